"""Weighted estimates against samplics and svy, the two that a survey statistician would use, in the same run.

    python bench/sampling_peers.py [--peers PYTHON] [--posts N] [--repeats K]

The peers run in an interpreter of their own: PYTHON, or ``.venv-peers`` in the root, which is made where it is missing.
Each is given the same arrays: posts in strata of 104 days by 2 answers of a filter, unequal weights, 40 domains. Each
makes Taylor-linearised standard errors and intervals by domain. Only the estimation is timed, after a warm-up on the
smallest of the data: not imports, reading, nor the making of svy's Sample. Of several repetitions the best counts; of
samplics there is one. Wall seconds, and in brackets processor seconds: svy may use every core, we and samplics one.
Then come the largest relative differences of estimates and of standard errors, and the largest difference of limits in
standard errors: as we give them, and by the peer's degrees of freedom (``mean``: symmetric, ``prop``: log-odds).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sampling_theirs import PEERS, clocked

from comoderate.sampling import hajek_domains, hajek_mean
from comoderate.sampling.intervals import limits

ROOT = Path(__file__).resolve().parent.parent
WANTED = ("samplics==0.6.1", "svy==0.35.0")
TIMED = ("share by domain", "share by domain, authors", "share, no domains")


def posts(n, *, share=0.07, seed=0, whole=False):
    """Posts of 104 days by 2 answers of a filter: days of unequal size, weights N / n, and unless ``whole`` uneven."""
    rng = np.random.default_rng(seed)
    size = rng.lognormal(0, 0.4, 104)
    day = rng.choice(104, n, p=size / size.sum())
    flagged = rng.random(n) < 0.4
    stratum = day * 2 + flagged
    domain = rng.choice(40, n, p=np.arange(1, 41)[::-1] / 820)
    chance = share * np.where(flagged, 1.8, 0.45) * (0.6 + 0.8 * domain / 39)
    drawn = np.bincount(stratum, minlength=208)
    population = np.ceil(drawn * np.where(np.arange(208) % 2, 1.5, 12.0) * rng.uniform(1, 2, 208))
    weight = (population / np.maximum(drawn, 1))[stratum]
    y = (rng.random(n) < chance).astype(float)
    if whole:
        return {"y": y, "stratum": stratum, "domain": domain, "weight": weight, "population": population[stratum]}
    return {"y": y, "stratum": stratum, "domain": domain, "weight": weight * rng.uniform(0.7, 1.4, n)}


def scenarios(n):
    """Names and arrays: the timed ones with n posts, those for the digits with a tenth."""
    every, few = posts(n), n // 10
    author = every["stratum"] * 1000 + np.random.default_rng(1).zipf(1.6, n) % 1000
    single = posts(few, seed=2)
    single["stratum"][-3:] = 1000 + np.arange(3)
    return {
        TIMED[0]: every,
        TIMED[1]: every | {"cluster": author},
        TIMED[2]: {name: values for name, values in every.items() if name != "domain"},
        "rare (0.5 %) by domain": posts(few, share=0.005, seed=3),
        "finite population": posts(few, seed=4, whole=True),
        "three single-post strata": single,
    }


def ours(data, interval):
    """Seconds, and value, se, low and high in the order of the domains."""
    options = {name: data[name] for name in ("stratum", "cluster") if name in data} | {"interval": interval}
    if "population" in data:
        options["pi"] = 1 / data["weight"]
    if "domain" not in data:
        seconds, found = clocked(lambda: [(0, hajek_mean(data["y"], data["weight"], **options))])
    else:
        seconds, found = clocked(lambda: hajek_domains(data["y"], data["weight"], data["domain"], **options))
    return seconds, np.array([(e.value, e.se, e.low, e.high) for _, e in found]).T


def with_us(data, repeats):
    """The best seconds with intervals on the log-odds, and what both kinds of interval find, by their peers' names."""
    runs = [ours(data, "logit") for _ in range(repeats)]
    found = {"prop": runs[-1][1], "mean": ours(data, "wald")[1]}
    return best([seconds for seconds, _ in runs]), found


def best(seconds):
    return tuple(min(times) for times in zip(*seconds))


def interpreter(given):
    """The peers' interpreter; None where they cannot be installed."""
    if given:
        return given
    folder = ROOT / ".venv-peers"
    python = folder / "bin" / "python"
    works = [str(python), "-c", "import samplics, svy"]
    if python.exists() and subprocess.run(works, capture_output=True).returncode == 0:
        return str(python)
    print(f"Installing {' and '.join(WANTED)} into {folder.name}; this takes a minute")
    make = [sys.executable, "-m", "venv", "--clear", str(folder)]
    fill = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *WANTED]
    for command in (make, fill, works):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print((done.stdout + done.stderr).strip()[-400:])
            return None
    return str(python)


def ask(python, peer, folder, repeats):
    code = f"import sampling_theirs; sampling_theirs.answer({peer!r}, {str(folder)!r}, {repeats})"
    subprocess.run([python, "-W", "ignore", "-c", code], check=True, cwd=Path(__file__).parent)


def relative(theirs, found):
    """The largest relative difference; 0 where both are 0."""
    away = np.abs(theirs - found)
    return float(np.max(np.divide(away, np.abs(found), out=away.copy(), where=found != 0)))


def between(theirs, found, kind):
    """The largest difference of limits in standard errors: of ours, and of ours by the peer's degrees of freedom."""
    there = (found[1] > 0) & np.all(np.isfinite(theirs), axis=0)
    value, se = found[0, there], found[1, there]
    by_df = [limits(v, s, kind=kind, level=0.95, df=df) for v, s, df in zip(value, se, theirs[4, there])]
    return [float(np.max(np.abs(theirs[2:4, there] - other) / se)) for other in (found[2:, there], np.array(by_df).T)]


def compare(name, peer, answers, own, found):
    for way, answer in answers.items():
        if "failed" in answer:
            print(f"  {peer} {way}: {answer['failed']}")
            continue
        theirs, digits = np.array(answer["found"]), []
        for label, row in (("estimates", 0), ("errors", 1)):
            digits.append(f"{label} {relative(theirs[row], found[way][row]):.1e}")
        far, same = between(theirs, found[way], "wald" if way == "mean" else "logit")
        line = f"  {peer} {way}: {', '.join(digits)}; limits {far:.2g} errors, {same:.1e} by its degrees of freedom"
        if name in TIMED:
            wall, worked = best(answer["seconds"])
            line += f"; {wall:.3f} s ({worked:.3f} s), {wall / own[0]:.1f} ({worked / own[1]:.1f}) times as long"
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="an interpreter that has samplics and svy")
    parser.add_argument("--posts", type=int, default=300_000)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    python, given = interpreter(chosen.peers), scenarios(chosen.posts)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in given.items():
            np.savez(Path(folder, f"{name}.npz"), **data)
        ours(given["finite population"], "logit")
        results = {name: with_us(data, chosen.repeats) for name, data in given.items()}
        for peer in PEERS if python else ():
            ask(python, peer, folder, 1 if peer == "samplics" else chosen.repeats)
        for name, (own, found) in results.items():
            took = f": {own[0]:.3f} s ({own[1]:.3f} s) ours" if name in TIMED else ""
            print(f"{name}, {len(given[name]['y']):,} posts{took}")
            for peer in PEERS if python else ():
                compare(name, peer, json.loads(Path(folder, f"{name}.{peer}.json").read_text()), own, found)
    if python is None:
        print("samplics and svy could not be installed: nothing was compared")


if __name__ == "__main__":
    main()
