"""The sections of a report, each from its frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from comoderate.report import figures, sentences, tables
from comoderate.report.blocks import Block, Listing, Picture, Post, Posts, Section, Sentence, anchor
from comoderate.report.content import ReportContent, ReportSection
from comoderate.report.words import listed, quoted, text_of

if TYPE_CHECKING:
    import pandas as pd

QUEUE_ROWS = 20
MAIN_STATISTICS = ("fleiss_kappa", "icc", "intraclass_correlation", "cohen_kappa")
_MANY = 12


def _groups(frame: pd.DataFrame, *keys: str) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The parts of a frame in order of appearance, by the text of the keys."""
    for names, part in frame.groupby(list(keys), sort=False, dropna=False, observed=True):
        yield tuple(map(text_of, names)), part


def in_short(content: ReportContent) -> Section:
    """A few sentences with the main numbers."""
    told = [extra.in_short for extra in content.extras if extra.in_short][:2]
    prevalence, agreed = content.frame("prevalence"), content.frame("agreement")
    scored, reviewed = content.frame("evaluation"), content.frame("review")
    if prevalence is not None and (prevalence["value"].notna().any() or not told):
        told = _main_shares(prevalence) + told
    if agreed is not None:
        main, _ = _main_statistics(agreed)
        said = main[sentences.can_be_said(main)]
        first = next((part for _, part in _groups(said, "question", "cohort")), None)
        told += sentences.unsaid(main)[:1] if first is None else [sentences.agreement(first)]
    top = None
    if scored is not None:
        _, part = next(_groups(scored, "target", "sample", "truth"))
        told += sentences.best_scorer(part, content.people)[:1]
        top = sentences.best(part, content.people)
    if reviewed is not None:
        _, part = next(_groups(reviewed, "target", "sample", "truth"))
        told += sentences.review(part, _fraction(content), None if top is None else str(top["scorer"]))[:1]
    nothing = "Nothing has been measured yet: no posts have labels, or no stage after labelling has run."
    return Section("in-short", "In short", [Listing(told or [nothing])])


def _main_shares(prevalence: pd.DataFrame) -> list[str]:
    """The share of each of the first two targets, over all posts."""
    rows = prevalence[prevalence["domain"] == "all"].drop_duplicates("target")
    return [sentences.share(row) for _, row in rows.head(2).iterrows()]


def _fraction(content: ReportContent) -> float:
    return 0.05 if content.review_fraction is None else content.review_fraction


def asked(content: ReportContent) -> Section:
    """The question, the study, and what makes a post positive."""
    blocks: list[Block] = [Sentence(content.question, "key")] if content.question else []
    blocks += [Sentence(part.strip()) for part in content.description.split("\n\n") if part.strip()]
    if content.targets:
        blocks.append(Listing([f"{quoted(t['name'])}: {sentences.ended(t['sentence'])}" for t in content.targets]))
    return Section("asked", "What was asked", blocks or [Sentence("The study does not say what it asks.")])


def drawn(content: ReportContent) -> Section:
    """How posts were drawn, and what they stand for."""
    blocks: list[Block] = []
    for note in content.samples:
        blocks += [Sentence(sentences.sample(note), "key"), Sentence(sentences.ended(note["description"]))]
        blocks += [Sentence(sentences.ended(warning), "warning") for warning in note.get("warnings", ())]
    design, totals = content.frame("design"), content.frame("totals")
    picture = None if totals is None else figures.volume(totals)
    blocks += [picture] if picture else []
    if design is not None:
        blocks += [Sentence(_weights(design)), tables.phases(design)]
        if len(design) > len(design.drop_duplicates(["sample", "phase"])):
            blocks.append(tables.plain("Every stratum", design, folded=True))
    return Section("drawn", "How posts were drawn", blocks or [Sentence("No sample has been drawn yet.")])


def _weights(design: pd.DataFrame) -> str:
    """What one label stands for."""
    if (design["drawn"] >= design["N"]).all():
        return "Every post was taken, so all labels count alike."
    return "A post that had a small chance to be drawn stands for many others, so each label counts with a weight."


def how_much(content: ReportContent) -> Section:
    """Shares with intervals, over all posts and by group, a part a target."""
    frame = content.frame("prevalence")
    if frame is None:
        return Section("how-much", "How much is there", [Sentence("There are no estimates yet: no post has a label.")])
    parts = []
    for (target,), part in _groups(frame, "target"):
        parts.append(Section(anchor("how-much", target), quoted(target), list(_shares(part, content))))
    return _joined("how-much", "How much is there", [Sentence(sentences.interval(frame))], parts)


def _joined(name: str, title: str, blocks: list[Block], parts: list[Section]) -> Section:
    """A section with its parts; of only one part, the blocks directly, the general remarks after its first."""
    if len(parts) == 1:
        first, *rest = parts[0].blocks
        return Section(name, title, [first, *blocks, *rest])
    return Section(name, title, blocks, parts)


def _shares(frame: pd.DataFrame, content: ReportContent) -> Iterator[Block]:
    for (domain,), part in sorted(_groups(frame, "domain"), key=lambda pair: pair[0] != ("all",)):
        known = {
            "Truth": tables.beside(part, content.frame("truths"), "truth"),
            "In the full data": tables.beside(part, content.frame("comparisons"), "value"),
        }
        everything = domain == "all"
        if everything:
            yield Sentence(sentences.share(part.iloc[0]), "key")
        counted = text_of(part["unit"].iloc[0]) or "posts"
        title = f"Share of all {counted}" if everything else f"Share by {domain.replace('_', ' ')}"
        picture = figures.prevalence(part, known, title)
        if picture is not None:
            yield picture
        if domain in content.trimmed:
            yield Sentence(content.trimmed[domain])
        yield tables.prevalence(part, known, caption=f"{title}, in numbers", folded=len(part) > _MANY)


def agree(content: ReportContent) -> Section:
    """Agreement a row a question, cohort and statistic, and a sentence for each."""
    everything, title = content.frame("agreement"), "Do raters agree"
    if everything is None:
        return Section("agree", title, [Sentence("Agreement has not been measured: no post has two answers.")])
    frame, others = _main_statistics(everything)
    unsaid = sentences.unsaid(frame)
    frame, others = (part[sentences.can_be_said(part)] for part in (frame, others))
    if frame.empty:
        return Section("agree", title, [Listing(unsaid)])
    by_row = [part for _, part in _groups(frame, "question", "cohort")]
    readings = [sentences.reading_of(part) for part in by_row]
    told = [sentences.agreement(part) for part in by_row] if len(by_row) <= _MANY else []
    blocks: list[Block] = [Listing([*told, *unsaid])] if told or unsaid else []
    if any(word.startswith("systemic") for word in readings):
        text = (
            "Systemic disagreement means that raters read the question, or the posts, in different ways: groups with "
            "different views, or a definition that splits them. A majority label hides that; read such posts again "
            "before any number is built on them."
        )
        blocks.append(Sentence(text, "warning"))
    picture = figures.agreement(frame)
    blocks += [picture] if picture else []
    blocks.append(tables.agreement(frame))
    if len(others):
        blocks.append(tables.agreement(others, caption="Other coefficients of agreement", folded=True))
    return Section("agree", title, blocks)


def _main_statistics(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """κ and ICC, or all that there is where there is neither; and the remaining rows."""
    main = frame["statistic"].astype(str).str.partition(",")[0].isin(MAIN_STATISTICS)
    return (frame[main], frame[~main]) if main.any() else (frame, frame[:0])


def which_scorer(content: ReportContent) -> Section:
    """Scorers side by side, a part for each target, sample and cohort whose labels are the truth."""
    frame, title = content.frame("evaluation"), "Which scorer"
    if frame is None:
        return Section("scorers", title, [Sentence("No scorer has been measured yet.")])
    keys = ("target", "sample", "truth")
    parts = []
    for names, part in _groups(frame, *keys):
        blocks = list(_comparison(part, _same(content.frame("curves"), part, keys), content))
        parts.append(Section(anchor("scorers", *names), _against(*names), blocks))
    note = (
        "A scorer is measured only on posts that it was not trained on. Precision, recall and F1 are at the threshold "
        "that gives the best F1 on these labels, so they flatter a little."
    )
    return _joined("scorers", title, [Sentence(note)], parts)


def _against(target: str, sample: str, truth: str) -> str:
    return f"{quoted(target)} against the labels of {truth}, sample {quoted(sample)}"


def _same(frame: pd.DataFrame | None, part: pd.DataFrame, keys: tuple[str, ...]) -> pd.DataFrame | None:
    """The rows of another frame with the same keys as ``part``; None where there are none."""
    if frame is None:
        return None
    for key in keys:
        wanted = text_of(part[key].iloc[0])
        frame = frame[frame[key].isin([name for name in frame[key].unique() if text_of(name) == wanted])]
    return frame if len(frame) else None


def _comparison(frame: pd.DataFrame, curves: pd.DataFrame | None, content: ReportContent) -> Iterator[Block]:
    people = content.people
    first, *others = sentences.best_scorer(frame, people)
    yield Sentence(first, "key")
    for text in (*others, *sentences.as_scorers(frame, people)):
        yield Sentence(text)
    everything = frame[frame["domain"] == "all"]
    if len(everything):
        yield tables.scorers(everything, caption="Scorers compared")
    picture = None
    if curves is not None:
        picture = figures.scorers(curves, frame, "Precision and recall, true and false positive rates", people)
    if picture is not None:
        yield picture
    for (domain,), part in _groups(frame[frame["domain"] != "all"], "domain"):
        if domain in content.trimmed:
            yield Sentence(content.trimmed[domain])
        yield tables.scorers(part, caption=f"Scorers by {domain.replace('_', ' ')}", folded=True)


def review(content: ReportContent) -> Section:
    """What moderators' time buys, a part for each target, sample and truth."""
    frame, title = content.frame("review"), "What review buys"
    if frame is None:
        return Section("review", title, [Sentence("Review has not been measured yet.")])
    keys, parts = ("target", "sample", "truth"), []
    for names, part in _groups(frame, *keys):
        scored = _same(content.frame("evaluation"), part, keys)
        top = None if scored is None else sentences.best(scored, content.people)
        told = sentences.review(part, _fraction(content), None if top is None else str(top["scorer"]))
        shown = part.assign(review_fraction=part["posts_read"]) if sentences.reads_twice(part) else part
        picture = figures.review(shown, "The pair of model and moderators, by share of posts read")
        blocks: list[Block] = [Sentence(text, "plain" if i else "key") for i, text in enumerate(told)]
        blocks += [picture] if picture else []
        blocks.append(tables.review(part, caption="What review buys, in numbers"))
        parts.append(Section(anchor("review", *names), _against(*names), blocks))
    return _joined("review", title, [Sentence(_legend(frame))], parts)


def _legend(frame: pd.DataFrame) -> str:
    named = {"uncertainty": "solid lines: the posts on which the model is least sure come first",
             "toxicity": "dashed lines: the most probably positive posts come first"}  # fmt: skip
    told = [text for name, text in named.items() if name in set(frame["strategy"])]
    lines = f" {listed(told).capitalize()}." if told else ""
    bands = " Bands hold for a whole curve at once, intervals in tables for one number." * ("band_low" in frame)
    return f"Moderators are taken to be always right, so these numbers are the most that review can buy.{lines}{bands}"


def queue(content: ReportContent) -> Section:
    """The first posts that moderators would read, a part a target where there are several."""
    frame, title = content.frame("queue"), "The queue"
    if frame is None:
        return Section("queue", title, [Sentence(content.queue_note or "There is no queue yet.")])
    note = "These posts would be read first. Their text may be abusive and stays hidden until you open it."
    notes = [Sentence(note, "key"), *([Sentence(content.queue_note)] if content.queue_note else [])]
    if not ("target" in frame and frame["target"].nunique() > 1):
        return Section("queue", title, [*notes, _posts(frame)])
    parts = [
        Section(anchor("queue", target), quoted(target), [_posts(part)]) for (target,), part in _groups(frame, "target")
    ]
    return Section("queue", title, notes, parts)


def _posts(frame: pd.DataFrame) -> Posts:
    rows = frame.sort_values("rank", kind="stable").head(QUEUE_ROWS)
    return Posts([_post(row) for row in rows.to_dict("records")])


def _post(row: Mapping[Hashable, Any]) -> Post:
    """A post of the queue; an audit post shows no score, since it is to be judged without one."""
    audit = text_of(row["source"]) == "audit"
    shown = tables.share_text(row["proba"]), tables.number_text(row["review_score"])
    scores = [("Probability", shown[0]), ("Review score", shown[1])]
    twice = [("Readings", "2")] if row.get("readings", 1) == 2 else []
    facts = [] if audit else [*scores, *twice, ("Why", text_of(row["reason"]))]
    text = row["text"] if isinstance(row["text"], str) and row["text"].strip() else None
    tag = "audit post, drawn at random; its score is not shown" if audit else ""
    return Post(text_of(row["post_id"]), text, facts, tag)


def examples(content: ReportContent) -> Section | None:
    """Labelled posts to look at."""
    frame = content.frame("examples")
    if frame is None:
        return None
    rows = frame.head(QUEUE_ROWS).to_dict("records")
    posts = [
        Post(text_of(r["post_id"]), r["text"] if isinstance(r["text"], str) else None, [("Label", text_of(r["label"]))])
        for r in rows
    ]
    return Section("examples", "Labelled posts", [Posts(posts)])


def extra(section: ReportSection) -> Section:
    """A section that the study adds."""
    blocks: list[Block] = [Sentence(text) for text in section.sentences]
    blocks += [Picture([display], display.title) for display in section.figures]
    blocks += [tables.plain(caption, frame, folded=len(frame) > _MANY) for caption, frame in section.tables]
    return Section(anchor("extra", section.title), section.title, blocks)


def caveats(content: ReportContent) -> Section:
    """What a reader should know before using a number."""
    services = listed(content.sendings)
    sent = f"The text of posts was sent to {services}." if content.sendings else "No text left this machine."
    told = [
        *map(sentences.ended, content.warnings),
        *(
            f"{quoted(note['name'])}: {sentences.ended(text)}"
            for note in content.samples
            for text in note.get("warnings", ())
        ),
        *(f"Sample {quoted(n['name'])} speaks of {n['estimand']}, and of nothing else." for n in content.samples),
        "Intervals show the luck of the draw. They don't show errors that all raters share, or posts that were never "
        "collected.",
        "Numbers marked “few labels” rest on fewer than 30: read them as hints.",
        sent,
    ]
    return Section("caveats", "Caveats", [Listing(list(dict.fromkeys(told)))])
