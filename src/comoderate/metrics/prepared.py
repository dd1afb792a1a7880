"""Metrics that sort once: the mark by which the bootstrap finds what a metric can do before weights are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from comoderate.metrics.inputs import Array

F = TypeVar("F", bound=Callable[..., Any])
Weighted = Callable[[Array], Any]


def prepared_by(
    prepare: Callable[..., Weighted], *, undefined: str, sizes: Callable[..., Weighted] | None = None
) -> Callable[[F], F]:
    """Mark a metric with ``prepare``, which does its sorting, and with the words for when it is undefined.

    ``prepare(*arrays, **options)`` returns a function of a weight vector (n,) that costs O(n). The metric itself
    equals ``prepare(*arrays, **options)(weight)``. Of a share, ``sizes(*arrays, **options)(weight)`` gives the
    effective number of posts that it is a share of, infinite where it could be no other.
    """

    def mark(metric: F) -> F:
        metric.prepare = prepare  # type: ignore[attr-defined]
        metric.undefined = undefined  # type: ignore[attr-defined]
        metric.sizes = sizes  # type: ignore[attr-defined]
        return metric

    return mark


def sizes_form(fn: Callable[..., Any], *arrays: Any, **options: Any) -> Weighted | None:
    """How many posts a share is a share of, as a function of the weights; None for other statistics.

    Nothing is sorted before it is called: few estimates need it.
    """
    if isinstance(fn, partial) and not fn.args:
        return sizes_form(fn.func, *arrays, **{**fn.keywords, **options})
    sizes = getattr(fn, "sizes", None)
    return None if sizes is None else lambda weight: sizes(*arrays, **options)(weight)


def weighted_form(fn: Callable[..., Any], *arrays: Any, **options: Any) -> Weighted:
    """``fn`` as a function of the weights alone; presorted where ``fn`` is marked by :func:`prepared_by`."""
    if isinstance(fn, partial) and not fn.args:
        return weighted_form(fn.func, *arrays, **{**fn.keywords, **options})
    prepare = getattr(fn, "prepare", None)
    if prepare is not None:
        presorted: Weighted = prepare(*arrays, **options)
        return presorted
    return lambda weight: fn(*arrays, sample_weight=weight, **options)
