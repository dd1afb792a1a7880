"""Metrics that sort once: the mark by which the bootstrap finds what a metric can do before weights are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from comoderate.metrics.inputs import Array

F = TypeVar("F", bound=Callable[..., Any])
Weighted = Callable[[Array], Any]


def prepared_by(prepare: Callable[..., Weighted], *, undefined: str) -> Callable[[F], F]:
    """Mark a metric with ``prepare``, which does its sorting, and with the words for when it is undefined.

    ``prepare(*arrays, **options)`` returns a function of a weight vector (n,) that costs O(n). The metric itself
    equals ``prepare(*arrays, **options)(weight)``.
    """

    def mark(metric: F) -> F:
        metric.prepare = prepare  # type: ignore[attr-defined]
        metric.undefined = undefined  # type: ignore[attr-defined]
        return metric

    return mark


def weighted_form(fn: Callable[..., Any], *arrays: Any, **options: Any) -> Weighted:
    """``fn`` as a function of the weights alone; presorted where ``fn`` is marked by :func:`prepared_by`."""
    if isinstance(fn, partial) and not fn.args:
        return weighted_form(fn.func, *arrays, **{**fn.keywords, **options})
    prepare = getattr(fn, "prepare", None)
    if prepare is not None:
        presorted: Weighted = prepare(*arrays, **options)
        return presorted
    return lambda weight: fn(*arrays, sample_weight=weight, **options)
