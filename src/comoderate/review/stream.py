"""Capacity as posts a day: arrivals, backlog and waiting time, instead of a share of a fixed set."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, as_vector


class StreamReview(NamedTuple):
    """What became of each post, and of each day.

    Attributes:
        day: (n,) day on which the post was read; −1 where it never was.
        waited: (n,) days from arrival to reading; NaN where never read.
        read: (d,) posts read each day.
        backlog: (d,) posts waiting at each day's end.
        expired: (d,) posts that left the queue unread each day, being too old.
    """

    day: Codes
    waited: Array
    read: Codes
    backlog: Codes
    expired: Codes


def review_stream(
    arrival: ArrayLike,
    review_score: ArrayLike,
    *,
    capacity: ArrayLike,
    readings: ArrayLike | None = None,
    max_wait: int | None = None,
    aging: float = 0.0,
    n_days: int | None = None,
) -> StreamReview:
    """Reads each day the waiting posts with the largest priority, as many as the day's capacity.

    Priority is ``review_score`` plus ``aging`` a day of waiting: 0 reads by score alone, a large number the oldest
    first.

    Args:
        arrival: (n,) whole day of arrival, from 0.
        review_score: (n,) larger is read first.
        capacity: readings a day, one number or one a day (d,).
        readings: (n,) whole readings that each post takes; 1 each where not given. A day ends at the first post that
            does not fit any more, which then comes first the next day.
        max_wait: days after which an unread post leaves the queue; none keeps it.
        aging: what a day of waiting adds to the score, not negative.
        n_days: days to run; from day 0 to the last arrival where not given.
    """
    days = as_vector(arrival, "arrival").astype(np.int64)
    score = as_vector(review_score, "review_score", size=len(days))
    last = int(days.max(initial=-1)) + 1 if n_days is None else n_days
    room = np.broadcast_to(np.asarray(capacity, dtype=np.int64), (last,))
    times = as_vector(np.ones(len(days)) if readings is None else readings, "readings", size=len(days))
    if aging < 0.0 or (len(days) and days.min() < 0) or room.min(initial=0) < 0:
        raise ValueError("arrival, capacity and aging must not be negative")
    if times.min(initial=1.0) < 1.0 or times.max(initial=1.0) > room.max(initial=1):
        raise ValueError("readings must be at least 1, and no more than a day's capacity")
    # A day of waiting adds the same to all, so that score − aging · arrival orders the queue on every day.
    priority = score - aging * days
    return _run(days, priority, room, times.astype(np.int64), max_wait)


def _run(days: Codes, priority: Array, room: Codes, times: Codes, max_wait: int | None) -> StreamReview:
    n_days = len(room)
    read_on = np.full(len(days), -1, dtype=np.int64)
    gone = np.zeros(len(days), dtype=bool)
    read, backlog, expired = (np.zeros(n_days, dtype=np.int64) for _ in range(3))
    by_day = np.argsort(days, kind="stable")
    edges = np.searchsorted(days[by_day], np.arange(n_days + 1))
    heap: list[tuple[float, int]] = []
    waiting = 0
    for day in range(n_days):
        for post in by_day[edges[day] : edges[day + 1]].tolist():
            heapq.heappush(heap, (-float(priority[post]), post))
        waiting += int(edges[day + 1] - edges[day])
        if max_wait is not None and day - max_wait - 1 >= 0:
            late = by_day[edges[day - max_wait - 1] : edges[day - max_wait]]
            late = late[read_on[late] < 0]
            gone[late] = True
            expired[day] = len(late)
            waiting -= len(late)
        spent = 0
        while heap and spent + (1 if gone[heap[0][1]] else times[heap[0][1]]) <= room[day]:
            post = heapq.heappop(heap)[1]
            if not gone[post]:
                read_on[post] = day
                read[day] += 1
                spent += int(times[post])
        waiting -= int(read[day])
        backlog[day] = waiting
    waited = np.where(read_on >= 0, read_on - days, np.nan)
    return StreamReview(read_on, waited, read, backlog, expired)
