"""A private PostgreSQL server for the tests: a cluster in a temporary folder, reached through a socket in it.

One server serves all workers of a run: the first starts it, the last stops it, under a lock on a file beside it. Every
test that asks for a database gets an empty one of its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg

TEMPORARY = Path(os.environ.get("TMPDIR", "/tmp"))


def programs() -> Path | None:
    """The folder of ``initdb`` and ``pg_ctl``, of the newest PostgreSQL that is installed; None if there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not found and (on_path := shutil.which("initdb")):
        found = [Path(on_path).resolve().parent]
    return max(
        found, key=lambda path: [int(part) for part in path.parent.name.split(".") if part.isdigit()], default=None
    )


class Cluster:
    """A cluster in ``folder``, which is made when it is first started.

    Args:
        bin_folder: where ``initdb`` and ``pg_ctl`` are.
        folder: a short path: a socket's path has at most 107 characters.
        safe: write to the disk at every commit, as a real server does; tests do without.
    """

    def __init__(self, bin_folder: Path, folder: Path, *, safe: bool = False) -> None:
        self.bin, self.folder, self.safe = bin_folder, folder, safe
        self.data = folder / "data"

    def url(self, name: str) -> str:
        """The address of one database."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def new(self, *, like: str | None = None) -> str:
        """The address of a new database: empty, or like the one at an address to which nobody is connected."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self._administer(f"CREATE DATABASE {name}" + ("" if like is None else f" TEMPLATE {_name(like)}"))
        return self.url(name)

    def drop(self, url: str) -> None:
        """Throw a database away, with whoever is still connected to it."""
        self._administer(f"DROP DATABASE IF EXISTS {_name(url)} WITH (FORCE)")

    def start(self) -> None:
        """Make the cluster where it is missing, and start the server."""
        if not self.data.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                shutil.chown(self.folder, "postgres")
            self._run(
                "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"
            )
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=300 -c shared_buffers=128MB"
        options += "" if self.safe else " -F"
        self._run("pg_ctl", "-D", self.data, "-w", "-t", "120", "-o", options, "-l", self.folder / "log", "start")

    def stop(self) -> None:
        """Stop the server and remove the cluster."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _administer(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self.bin / program), *map(str, arguments)]
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.decode(errors='replace').strip()}")


def _name(url: str) -> str:
    """The name of the database at an address."""
    return url.split("@/")[1].split("?")[0]


@contextlib.contextmanager
def shared_cluster(run: Path, bin_folder: Path) -> Iterator[Cluster]:
    """The server of one test run, named by a folder that all its workers share."""
    short = hashlib.sha256(str(run).encode()).hexdigest()[:8]
    cluster = Cluster(bin_folder, TEMPORARY / f"comoderate-pg-{short}")
    users = TEMPORARY / f"comoderate-pg-{short}.users"
    with _counted(users, 1) as n:
        if n == 1:
            shutil.rmtree(cluster.folder, ignore_errors=True)  # of a run that was killed
            cluster.start()
    try:
        yield cluster
    finally:
        with _counted(users, -1) as n:
            if n == 0:
                cluster.stop()
                users.unlink()


@contextlib.contextmanager
def _counted(path: Path, step: int) -> Iterator[int]:
    """How many use the server after this step, while nobody else can count."""
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        alive = {int(pid) for pid in file.read().split() if Path(f"/proc/{pid}").exists()}
        alive = alive | {os.getpid()} if step > 0 else alive - {os.getpid()}
        file.seek(0)
        file.truncate()
        file.write(" ".join(map(str, sorted(alive))))
        file.flush()
        yield len(alive)
