"""What the report says of review beyond its curves: advice, groups, acting, moderators who err, days, decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.plots import Band, BandDisplay, Bins, ReliabilityDisplay, ReviewCurveDisplay
from comoderate.report import ReportSection
from comoderate.report.sentences import reads_twice
from comoderate.study.review_wording import STRATEGIES, advice_sentences, base_rate_sentences, percent
from comoderate.study.strategies import BASELINES

if TYPE_CHECKING:
    from comoderate.study.study import Study

KEYS = ["target", "scorer"]


def review_sections(study: Study) -> list[ReportSection]:
    """The sections that the study has something for, in order."""
    review, advice = study.result("review"), study.result("advice")
    found = [
        advice_section(
            advice, study.result("crossings"), study.result("review_groups"), review, study.result("base_rate")
        ),
        reliability_section(study.result("reliability"), study.result("trust")),
        acting_section(study.result("thresholds"), study.result("outcomes"), study.result("costs")),
        erring_section(study.result("erring"), review),
        days_section(study.result("stream"), study.result("stream_days")),
        audit_section(study.audit()),
    ]
    return [section for section in found if section is not None]


def main_curves(review: pd.DataFrame, advice: pd.DataFrame) -> pd.DataFrame:
    """The curves that figures show: the paper's two strategies, and the best one."""
    shown = {*BASELINES, *advice["best"].unique(), *advice["used"].unique()} if len(advice) else set(BASELINES)
    return review[review["strategy"].isin(shown)].reset_index(drop=True)


def advice_section(
    advice: pd.DataFrame,
    crossings: pd.DataFrame,
    groups: pd.DataFrame,
    review: pd.DataFrame,
    rates: pd.DataFrame,
) -> ReportSection | None:
    """Which strategy to use, whom it reads and whom it leaves with mistakes; all strategies in folded tables."""
    if advice.empty:
        return None
    told = [*advice_sentences(advice, crossings), *base_rate_sentences(rates)]
    tables = [(f"Strategies compared by {advice['objective'].iloc[0]}", _compared(advice))]
    for domain, part in groups.groupby("domain", sort=False):
        told += _group_sentence(str(domain), part)
        tables.append((f"Readings and remaining mistakes by {domain}", _wide(part, ["group"], _GROUP_HEADS)))
    others = review[~review["strategy"].isin(set(main_curves(review, advice)["strategy"]))]
    if len(others):
        twice = reads_twice(review)
        shares = ["review_fraction", "posts_read"] if twice else ["review_fraction"]
        rest = others[["target", "scorer", "strategy", *shares, "metric", "value", "low", "high"]]
        rest = rest.assign(**{name: rest[name].map(percent) for name in shares})
        named = {"review_fraction": "readings, of all posts" if twice else "posts read", "posts_read": "posts read"}
        tables.append(("What the other strategies buy", rest.rename(columns=named)))
    return ReportSection(title="How to use moderators’ time", sentences=told, tables=tables)


_GROUP_HEADS = {
    "share": "share of posts", "load": "read", "load_share": "share of all readings", "error_before": "wrong before",
    "error_after": "wrong after",
}  # fmt: skip


def _interval(row: pd.Series) -> str:
    if pd.isna(row["value"]):
        return "undefined"
    ends = "" if pd.isna(row["low"]) else f" ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
    return f"{100 * row['value']:.1f} %{ends}"


def _number(row: pd.Series) -> str:
    if pd.isna(row["value"]):
        return "undefined"
    ends = "" if pd.isna(row["low"]) else f" ({row['low']:.3f} to {row['high']:.3f})"
    return f"{row['value']:.3f}{ends}"


def _wide(
    frame: pd.DataFrame, keys: list[str], heads: dict[str, str], write: Callable[[pd.Series], str] = _interval
) -> pd.DataFrame:
    """A row a key, a column a metric: shares with their intervals."""
    kept = frame[frame["metric"].isin(list(heads))]
    cells = kept.assign(cell=kept.apply(write, axis=1))
    wide = cells.pivot(index=keys, columns="metric", values="cell")
    order = kept[keys].drop_duplicates()
    named: Any = pd.MultiIndex.from_frame(order) if len(keys) > 1 else order[keys[0]].tolist()
    wide = wide.reindex(index=named, columns=[m for m in heads if m in wide]).fillna("–")
    return wide.rename(columns=heads).reset_index().rename_axis(columns=None)


def _compared(advice: pd.DataFrame) -> pd.DataFrame:
    value = advice[advice["metric"] == "value"][["strategy", "value", "low", "high"]]
    gain = advice[advice["metric"] == "gain"]
    base = str(advice["baseline"].iloc[0])
    more = {
        str(row.strategy): "–" if str(row.strategy) == base else f"{row.value:+.4f} ({row.low:+.4f} to {row.high:+.4f})"
        for row in gain.itertuples()
    }
    return value.assign(**{f"more than {base}": value["strategy"].map(more)})


def _group_sentence(domain: str, part: pd.DataFrame) -> list[str]:
    """Which group keeps the largest share of wrong decisions, among those with enough labels."""
    left = part[(part["metric"] == "error_after") & ~part["few"].astype(bool) & part["value"].notna()]
    if len(left) < 2:
        return []
    ranked = left.sort_values("value", ascending=False)
    worst, best = ranked.iloc[0], ranked.iloc[-1]
    return [
        f"By {domain}, most wrong decisions are left among posts of “{worst['group']}”, {_interval(worst)}, and the "
        f"fewest among those of “{best['group']}”, {_interval(best)}."
    ]


def reliability_section(table: pd.DataFrame, trust: pd.DataFrame) -> ReportSection | None:
    """Reliability diagrams of all scorers, a figure a target, and how far they are off in numbers."""
    if table.empty:
        return None
    figures = []
    for target, part in table.groupby("target", sort=False):
        bins = [
            Bins(f"{scorer}, calibrated" if own else str(scorer), *(rows[name].to_numpy() for name in _BINS))
            for (scorer, own), rows in part.groupby(["scorer", "calibrated"], sort=False)
        ]
        figures.append(ReliabilityDisplay(bins, title=f"Are the probabilities of “{target}” what they claim"))
    shown = trust.assign(scorer=trust["scorer"] + trust["calibrated"].map({True: ", calibrated", False: ""}))
    wide = _wide(shown, ["target", "scorer"], _TRUST_HEADS, write=_number)
    text = (
        "On the dotted line a probability is what it claims to be: of the posts that get 30 %, 30 % are positive. "
        "Strategies that expect errors use the calibrated probabilities, each from posts of other folds."
    )
    return ReportSection(
        title="Can the probabilities be trusted",
        sentences=[text, _TRUST],
        tables=[("How far off, and how well doubt finds mistakes", wide)],
        figures=figures,
    )


_TRUST = (
    "The calibration error is the mean distance from that line over ten bins of equally many posts; the Brier score is "
    "the mean squared distance of probability and label, less being better. The last two columns ask if the scorer "
    "is unsure where it is wrong: the AUROC with which its uncertainty finds its mistakes, and the mean share of "
    "mistakes that is left over all shares of posts that could be read (AURC)."
)
_TRUST_HEADS = {
    "calibration_error": "calibration error", "brier_score": "brier score",
    "calibration_auroc": "doubt finds mistakes", "area_under_risk_coverage": "mistakes left",
}  # fmt: skip


_BINS = ("predicted", "observed", "weight", "low", "high")


def acting_section(thresholds: pd.DataFrame, outcomes: pd.DataFrame, costs: pd.DataFrame) -> ReportSection | None:
    """Three outcomes: thresholds that keep a promise, what becomes of posts, and what it costs."""
    priced = costs.dropna(axis="columns", how="all")
    if thresholds.empty and "total" not in priced:
        return None
    told, tables = [], []
    if len(thresholds):
        told = [_acting(row) for _, row in thresholds[thresholds["domain"] == "all"].iterrows()]
        pooled = thresholds[thresholds["pooled"].astype(bool)]
        told += [f"For “{row.target}”: {row.reason}." for row in pooled.itertuples()]
        shown = thresholds.drop(columns=["sample", "truth", "scorer", "level", "pooled", "reason"])
        shown = shown.rename(columns=_THRESHOLD_HEADS)
        shown["act above"] = shown["act above"].map(lambda value: "never" if value == float("inf") else f"{value:.3f}")
        for name in list(_THRESHOLD_HEADS.values())[2:6]:
            shown[name] = shown[name].map(lambda value: "–" if pd.isna(value) else percent(value))
        tables.append(("Thresholds for acting without reading", shown))
        heads = {
            "acted": "acted on unread", "reviewed": "read", "left": "left", "automatic_precision": "right when acting",
            "recall": "positives found", "missed_rate": "positive among those left", "accuracy": "right in the end",
        }  # fmt: skip
        tables.append(("What becomes of the posts", _wide(outcomes, ["target", "plan"], heads)))
    if "total" in priced:
        currency = f", {priced['currency'].iloc[0]}" if "currency" in priced and priced["currency"].iloc[0] else ""
        posts = int(priced["posts"].iloc[0])
        tables.append((f"Mistakes and cost for all {posts:,} posts{currency}", _costs(priced)))
    return ReportSection(title="Acting without reading", sentences=told, tables=tables)


_THRESHOLD_HEADS = {
    "domain": "by", "act_above": "act above", "precision": "positive among them", "precision_low": "at least",
    "false_positive_rate": "of all negatives", "false_positive_rate_high": "at most", "n": "labels",
}  # fmt: skip


def _costs(priced: pd.DataFrame) -> pd.DataFrame:
    """Posts and money without decimals, for a reader; the table of results has them."""
    heads = {
        "target": "target", "plan": "plan", "acted": "acted on unread", "reviewed": "read", "missed": "missed",
        "wrongly_removed": "wrongly removed", "mistakes": "cost of mistakes", "reading": "cost of reading",
        "total": "together", "hours": "hours of reading",
    }  # fmt: skip
    whole = priced[list(heads)].copy()
    for name in list(heads)[2:]:
        whole[name] = whole[name].map(lambda value: f"{value:,.1f}" if 0 < value < 10 else f"{value:,.0f}")
    return whole.rename(columns=heads)


def _acting(row: pd.Series) -> str:
    if row["act_above"] == float("inf"):
        return f"For “{row['target']}” no threshold keeps the promise with these labels: nothing is acted on unread."
    return (
        f"For “{row['target']}”, posts above {row['act_above']:.3f} by {row['scorer']} may be acted on unread: with "
        f"{percent(row['level'])} confidence at least {percent(row['precision_low'])} of them are positive, and at "
        f"most {percent(row['false_positive_rate_high'])} of all negative posts are among them."
    )


def erring_section(erring: pd.DataFrame, review: pd.DataFrame) -> ReportSection | None:
    """The pair's metrics with moderators who err beside those with an oracle."""
    if erring.empty:
        return None
    first = erring.iloc[0]
    keys = ["target", "truth", "scorer", "strategy", "review_fraction", "metric"]
    oracle = review.merge(erring[keys], on=keys)
    # The figure shows the strategy in use; the table has both.
    shown = erring[erring["strategy"] == first["strategy"]]
    both = pd.concat(
        [
            oracle[oracle["strategy"] == first["strategy"]].assign(strategy=f"{first['strategy']}, always right"),
            shown.assign(strategy=f"{first['strategy']}, with errors"),
        ]
    )
    beside = erring[[*keys, "value"]].merge(oracle[[*keys, "value"]], on=keys, suffixes=("", "_oracle"))
    beside = beside.drop(columns=["target", "truth"])
    beside = beside.rename(columns={"value": "with errors", "value_oracle": "oracle"})
    readings = (
        "one moderator reads each post"
        if first["readings"] == 1
        else (f"{int(first['readings'])} moderators read each post and most of them decide")
    )
    told = [
        f"A moderator calls {percent(first['sensitivity'])} of the positive posts positive and "
        f"{percent(first['specificity'])} of the negative ones negative; {readings}. Where the scorer is surer than a "
        "moderator can be, reading a post may do harm: the curves then fall."
    ]
    figure = ReviewCurveDisplay(both, title="Moderators who err, beside moderators who are always right")
    return ReportSection(
        title="When moderators err", sentences=told, tables=[("With errors, and without", beside)], figures=[figure]
    )


def days_section(stream: pd.DataFrame, days: pd.DataFrame) -> ReportSection | None:
    """Backlog and waiting time at a capacity of posts a day."""
    if stream.empty:
        return None
    row = stream.iloc[0]
    told = [
        f"At {int(row['per_day']):,} readings a day, {int(row['read']):,} of {int(row['arrived']):,} posts that came "
        f"in {int(row['days']):,} days are read, after {row['mean_wait']:.2g} days on average and "
        f"{int(row['longest_wait'])} at most; {int(row['never_read']):,} are never read. "
        f"Each day moderators read {STRATEGIES[str(row['strategy'])]}, whatever their age.",
        f"Without a queue, a threshold on the review score that decides as posts arrive, and follows the stream, sends "
        f"{int(days['sent_at_once'].sum()):,} to moderators, at most {int(days['sent_at_once'].max()):,} on one day.",
    ]
    shown = {"Posts a day": ("arrived", "read", "sent_at_once"), "Posts that wait at the end of each day": ("waiting",)}
    figures = []
    for title, names in shown.items():
        curves = [
            Band(name.replace("_", " "), days["day"].to_numpy(dtype=str), days[name].to_numpy(dtype=float))
            for name in names
        ]
        figures.append(BandDisplay(curves, x_label="date", y_label="posts", title=title, x_scale="date"))
    return ReportSection(title="Reading day by day", sentences=told, tables=[("Every day", days)], figures=figures)


def audit_section(table: pd.DataFrame) -> ReportSection | None:
    """What moderators' decisions tell: the audit slice of the stream, the queue of itself."""
    if table.empty:
        return None
    told = [
        f"By the {int(row['posts']):,} audit posts on which moderators decided, {_interval(row)} of the stream is "
        f"“{row['target']}”."
        if row["slice"] == "audit"
        else f"Of the {int(row['posts']):,} posts that the strategy chose, {_interval(row)} are; that says how well it "
        "finds them, and nothing of the stream."
        for _, row in table.iterrows()
        if not pd.isna(row["value"])
    ]
    shown = table[["target", "slice", "posts", "value", "low", "high", "says"]]
    return ReportSection(title="What moderators decided", sentences=told, tables=[("Audit and queue apart", shown)])
