"""Making artefacts: what each needs, when it is stale, and how a chain of them is brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from comoderate.errors import CannotScoreError, CannotTrainError, ComoderateError
from comoderate.study.artefacts import Artefacts, digest


class Listener(Protocol):
    """Hears how work goes on; the command line shows it on stderr."""

    def started(self, stage: str) -> None:
        """A stage begins."""

    def progress(self, stage: str, done: int) -> None:
        """A stage has done so many posts."""

    def note(self, stage: str, text: str) -> None:
        """How far a stage is, in words: which epoch, how much time is left."""

    def finished(self, stage: str, summary: Mapping[str, Any]) -> None:
        """A stage is done."""

    def skipped(self, stage: str) -> None:
        """A stage was up to date."""


class Silent:
    """A listener that says nothing."""

    def started(self, stage: str) -> None:
        """Say nothing."""

    def progress(self, stage: str, done: int) -> None:
        """Say nothing."""

    def note(self, stage: str, text: str) -> None:
        """Say nothing."""

    def finished(self, stage: str, summary: Mapping[str, Any]) -> None:
        """Say nothing."""

    def skipped(self, stage: str) -> None:
        """Say nothing."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How one artefact is made.

    Attributes:
        name: the artefact: ``posts``, ``sample:main``, ``report``, …
        settings: whatever its content follows from, apart from its inputs; goes into the key. A function is called
            when the key is needed, after the inputs are made.
        make: makes it and gives a summary.
        outputs: the files or folders that must exist.
        inputs: artefacts whose change makes this one stale.
        wishes: inputs that it can do without where a scorer among them cannot be trained, or cannot score.
        needs: artefacts that must exist before, but whose change does not make this one stale.
        format: raised when the code of the stage changes what it makes.
        fresh: whether the source of the artefact is out of reach, so that what is there counts as up to date.
    """

    name: str
    settings: Any
    make: Callable[[], Mapping[str, Any]]
    outputs: tuple[Path, ...]
    inputs: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    format: int = 1
    fresh: bool = field(default=False)


class Pipeline:
    """The artefacts of one study, brought up to date on demand.

    Args:
        stages: by name.
        artefacts: keys and locks.
        listener: hears what happens.

    Attributes:
        done: what was found or brought up to date so far.
        missing: what could not be made and was wished for only, and why.
    """

    def __init__(self, stages: Mapping[str, Stage], artefacts: Artefacts, listener: Listener) -> None:
        self.stages, self.artefacts, self.listener = stages, artefacts, listener
        self.done: set[str] = set()
        self.missing: dict[str, str] = {}

    def ensure(self, name: str, *, force: bool = False) -> None:
        """Make ``name`` and all that it needs, unless up to date.

        Args:
            name: an artefact.
            force: make it even where it is up to date (what it needs is still made only where stale).
        """
        if name in self.done and not force:
            return
        stage = self._stage(name)
        for other in (*stage.needs, *stage.inputs):
            self.ensure(other)
        for other in stage.wishes:
            self._try(other)
        if not force and self._is_fresh(stage):
            self.listener.skipped(name)
        else:
            self._make(stage)
        self.done.add(name)

    def _try(self, name: str) -> None:
        """Make ``name``, or forget it where its scorer cannot be trained, or cannot score."""
        if name in self.missing:
            return
        try:
            self.ensure(name)
        except (CannotTrainError, CannotScoreError) as error:
            self.missing[name] = str(error)
            self.artefacts.forget(name)
            self.listener.finished(name, {"warnings": [f"left out: {error}"]})

    def is_fresh(self, name: str) -> bool:
        """Whether an artefact and all its inputs are up to date."""
        stage = self._stage(name)
        return all(self.is_fresh(other) for other in (*stage.needs, *stage.inputs)) and self._is_fresh(stage)

    def _stage(self, name: str) -> Stage:
        if name not in self.stages:
            raise ComoderateError(f"the study has no {name}", do=f"it has: {', '.join(self.stages)}")
        return self.stages[name]

    def _key(self, stage: Stage) -> str:
        settings = stage.settings() if callable(stage.settings) else stage.settings
        return digest(
            stage.name, stage.format, settings, [self.artefacts.key(n) for n in (*stage.inputs, *stage.wishes)]
        )

    def _is_fresh(self, stage: Stage) -> bool:
        stored = self.artefacts.key(stage.name)
        if stored is None or not all(_whole(path) for path in stage.outputs):
            return False
        return stage.fresh or stored == self._key(stage)

    def _make(self, stage: Stage) -> None:
        with self.artefacts.lock(stage.name):
            self.listener.started(stage.name)
            with self.artefacts.remaking(stage.name):
                summary = stage.make()
                self.artefacts.finish(stage.name, self._key(stage), summary)
            self.listener.finished(stage.name, summary)


def _whole(path: Path) -> bool:
    """Whether an output is there; an empty file is what a full disk or a careless hand leaves."""
    return path.is_dir() or (path.exists() and path.stat().st_size > 0)
