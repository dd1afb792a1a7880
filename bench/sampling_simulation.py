"""Bias and coverage of every design and estimator in repeated samples from a year with known truth.

    python bench/sampling_simulation.py            400 repetitions, a few minutes
    python bench/sampling_simulation.py --quick    20 repetitions

A row for every design and quantity: bias in units of its own Monte-Carlo error, standard deviation of the estimates,
root mean square of the standard errors, coverage of nominal 95 % intervals. The rare type has 1 % of the posts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sampling_world import DESIGNS, Drawn, World, make_world

from comoderate.metrics.estimate import Estimate
from comoderate.sampling import assisted_mean, hajek_mean, relative_risk

Truths = dict[str, float]


def truths(world: World) -> Truths:
    risk = world.y[world.group == 1].mean() / world.y[world.group == 0].mean()
    return {"overall": world.y.mean(), "risk": risk, "rare": world.rare.mean(), "assisted": world.y.mean()}


def estimates(world: World, drawn: Drawn) -> dict[str, Estimate]:
    y, group, weight, options = world.y[drawn.index], world.group[drawn.index], drawn.weight, drawn.options
    held = np.arange(len(world.y)) if drawn.held is None else drawn.held
    total, hand = np.bincount(world.day), np.bincount(world.day[held])
    expand = (total / hand)[world.day[held]]
    score = world.score
    return {
        "overall": hajek_mean(y, weight, **options),
        "risk": relative_risk(y, weight, group == 1, group == 0, **options),
        "rare": hajek_mean(world.rare[drawn.index], weight, **options),
        "assisted": assisted_mean(
            y,
            weight,
            score[drawn.index],
            score[held],
            population_weight=expand,
            unlabelled_sample=len(held) < len(world.y) and "first_phase" not in options,
            **options,
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--sharp", type=float, default=1.0, help="how good the scores are")
    parser.add_argument("--only", default="", help="designs whose name holds this")
    settings = parser.parse_args()
    world = make_world(1, sharp=settings.sharp)
    repetitions, truth = 20 if settings.quick else settings.repetitions, truths(world)
    print(f"{len(world.y):,} posts, {repetitions} repetitions; " + ", ".join(f"{k} {v:.4f}" for k, v in truth.items()))
    print(f"{'design':42} {'what':9} {'bias/mc':>8} {'sd':>8} {'se':>8} {'cover':>6} {'width':>6}")
    for name, design in ((n, d) for n, d in DESIGNS.items() if settings.only in n):
        begun = time.perf_counter()
        runs = [estimates(world, design(world, np.random.default_rng(r))) for r in range(repetitions)]
        for what, value in truth.items():
            report(name, what, [r[what] for r in runs], value, [r["overall"] for r in runs])
        print(f"{'':42} {time.perf_counter() - begun:.0f} s", flush=True)


def report(name: str, what: str, found: list[Estimate], truth: float, plain: list[Estimate]) -> None:
    known = [e for e in found if e.value == e.value]
    values, se = np.array([e.value for e in known]), np.array([e.se for e in known])
    bias = (values.mean() - truth) / (values.std() / np.sqrt(len(values)))
    cover = np.mean([e.covers(truth) for e in found])
    width = np.mean([(e.high - e.low) / (p.high - p.low) for e, p in zip(found, plain, strict=True)])
    ratio = f"{width:6.2f}" if what == "assisted" else ""
    error = np.sqrt((se**2).mean())
    print(f"{name:42} {what:9} {bias:8.2f} {values.std():8.5f} {error:8.5f} {cover:6.3f} {ratio:>6}")


if __name__ == "__main__":
    main()
