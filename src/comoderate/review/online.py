"""A threshold on the review score that meets a capacity on a stream whose scores drift."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Mask, as_vector


class OnlineThreshold:
    """Sends a post to review, at once and for good, where its score is above a threshold that follows the stream.

    The threshold is a quantile of the last ``window`` scores. Which quantile is corrected by what the past sent too
    much or too little: the share sent next is α + (α · seen − sent) / horizon, so that the debt is paid within about
    ``horizon`` posts however the scores drift.

    Args:
        review_fraction: share α of the posts to send, in (0, 1).
        window: scores that the quantile is taken from.
        horizon: posts over which a debt is paid.
        random_state: decides posts tied with the threshold, each with the probability that meets the capacity.

    Attributes:
        threshold_: the present threshold; minus infinity before the first post.
        seen_, sent_: posts so far.
    """

    def __init__(
        self, review_fraction: float, *, window: int = 2000, horizon: int = 1000, random_state: int | None = 0
    ) -> None:
        if not 0.0 < review_fraction < 1.0 or window < 1 or horizon < 1:
            raise ValueError("review_fraction must lie in (0, 1), window and horizon must be at least 1")
        self.review_fraction, self.window, self.horizon, self.random_state = (
            review_fraction,
            window,
            horizon,
            random_state,
        )
        self.threshold_ = -np.inf
        self.seen_ = self.sent_ = 0
        self._recent: Array = np.empty(0)
        self._rng = np.random.default_rng(random_state)

    def update(self, review_score: ArrayLike, *, batch: int = 50) -> Mask:
        """Which of the arriving posts go to review, shape (n,); the threshold moves every ``batch`` posts."""
        score = as_vector(review_score, "review_score")
        out = np.zeros(len(score), dtype=bool)
        for start in range(0, len(score), batch):
            part = score[start : start + batch]
            out[start : start + batch] = self._step(part)
        return out

    def _step(self, part: Array) -> Mask:
        debt = self.review_fraction * self.seen_ - self.sent_
        share = float(np.clip(self.review_fraction + debt / self.horizon, 0.0, 1.0))
        # The first posts have no past: they are their own.
        past = self._recent if len(self._recent) else part
        self.threshold_ = float(np.quantile(past, 1.0 - share, method="inverted_cdf"))
        above, tied = float(np.mean(past > self.threshold_)), float(np.mean(past == self.threshold_))
        odds = (share - above) / tied if tied > 0 else 0.0
        sent = (part > self.threshold_) | ((part == self.threshold_) & (self._rng.random(len(part)) < odds))
        self.seen_ += len(part)
        self.sent_ += int(sent.sum())
        self._recent = np.concatenate([self._recent, part])[-self.window :]
        return np.asarray(sent)
