"""What the web application needs of a study: campaigns with their posts, anonymised, in the order of the study."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.annotation import (
    CampaignSettings,
    Conflict,
    Database,
    campaigns,
    change_campaign,
    create_campaign,
    load_tasks,
)
from comoderate.annotation.chance import chance
from comoderate.codebook import Codebook, ExamplePost
from comoderate.errors import ComoderateError
from comoderate.study import assessing, surfaces
from comoderate.study.loading import FILE
from comoderate.study.privacy import anonymise
from comoderate.study.settings import CampaignSettings as Asked

if TYPE_CHECKING:
    from comoderate.study.study import Study

Task = dict[str, Any]
YES = {"yes", "true", "1"}


class Serving:
    """A study as the web application sees it.

    Args:
        study: the study, opened.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.codebook = study, study.settings.codebook
        names = sorted((re.escape(name) for name in study.settings.web.names if name.strip()), key=len, reverse=True)
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE) if names else None

    def load(self, db: Database) -> None:
        """Bring the campaigns and their posts in the database up to what the study says; new ones begin open.

        Raises:
            ComoderateError: the codebook changed under answers that were given to the old one, or a sample cannot be
                drawn.
        """
        known = {one.name for one in campaigns(db)}
        for name, asked in self.study.settings.campaign.items():
            rules = self.rules(asked)
            if name not in known:
                create_campaign(db, name, self.codebook, rules, state="open" if asked.open else "paused")
            else:
                self._change(db, name, rules)
            load_tasks(db, self.tasks(asked), campaign=name)

    def extend(self, db: Database, scorer: str) -> None:
        """Give out what assessment of a scorer proposes by now, in campaigns that the database has already."""
        known = {one.name for one in campaigns(db)}
        for name, asked in self.study.settings.campaign.items():
            mine = asked.order == "surface" and (asked.scorer or assessing.scorer_of(self.study)) == scorer
            if mine and name in known:
                load_tasks(db, self._proposed(asked), campaign=name)

    def _change(self, db: Database, name: str, rules: CampaignSettings) -> None:
        try:
            change_campaign(db, name, settings=rules, codebook=self.codebook)
        except Conflict as error:
            raise ComoderateError(
                f"campaign {name!r} has answers to another wording of the codebook",
                where=self.study.folder / FILE,
                do="undo the change, or give the codebook another version and the campaign another name",
            ) from error

    def rules(self, asked: Asked) -> CampaignSettings:
        """A campaign's settings as the annotation room takes them."""
        return CampaignSettings(
            overlap=asked.overlap,
            roles=asked.roles,
            cohorts=(asked.cohort,),
            lease_minutes=asked.lease_minutes,
            hold=asked.ahead + 2,
            gold_rate=asked.gold_rate if self.codebook.gold else 0.0,
            benign_rate=asked.mix.rate if asked.mix else 0.0,
            exposing=self.exposing(),
            exposure_cap=asked.cap,
            break_every=asked.break_after,
            categories=tuple(asked.opt_outs),
            needs_tutorial=asked.tutorial and bool(self.codebook.tutorial or self.codebook.video),
            needs_qualification=asked.qualification and self.codebook.qualification is not None,
            seed=self.study.settings.study.seed,
        )

    def exposing(self) -> dict[str, Any]:
        """The condition on answers under which a post was harmful to read: the codebook's, else any target's."""
        if self.codebook.care.after is not None:
            return self.codebook.care.after
        targets = self.study.settings.target.values()
        return {"any": [{one.question: list(one.positive_answers(self.codebook))} for one in targets]}

    # ------------------------------------------------------------------ posts

    def tasks(self, asked: Asked) -> Iterator[Task]:
        """A campaign's tasks: the sample's posts, those mixed in, and the codebook's gold posts."""
        gold = [gold_task(post, self.codebook, asked.overlap) for post in self.codebook.gold if asked.gold_rate > 0]
        lent: list[tuple[float, Any]] = []
        for task in self._proposed(asked) if asked.order == "surface" else self._sampled(asked, asked.sample, "post"):
            lot = chance(self.study.settings.study.seed, "gold context", task["post_id"])
            lent = sorted([*lent, (lot, task["context"])], key=lambda one: one[0])[: len(gold)]
            yield task
        if asked.mix is not None:
            known = set() if asked.order == "surface" else set(self.study.sample(asked.sample)["post_id"])
            mixed = self._sampled(asked, asked.mix.sample, "benign")
            yield from (task for task in mixed if task["post_id"] not in known)
        for task, (_, context) in zip(gold, lent + [(0.0, {})] * len(gold), strict=False):
            # what stands beside the posts of the sample stands beside these, or they could be told apart
            yield {**task, "context": {name: value for name, value in context.items() if name != "answers_to"}}

    def _sampled(self, asked: Asked, sample: str, kind: str) -> Iterator[Task]:
        """The posts of a sample, with how they were drawn."""
        drawn = self.study.draw(sample).set_index("post_id")
        phase, pi = drawn["phase"].astype(str).to_dict(), drawn["pi"].astype(float).to_dict()
        order = self._order(asked, drawn.index) if kind == "post" else {}
        for task in self._posts(asked, drawn.index):
            post_id = task["post_id"]
            placed = {"order": order[post_id]} if post_id in order else {}
            yield {**task, "kind": kind, "source": asked.source, "phase": phase[post_id], "pi": pi[post_id], **placed}

    def _proposed(self, asked: Asked) -> Iterator[Task]:
        """The posts that the assessment of a scorer proposes, in its order; a first round where there was none."""
        scorer = asked.scorer or assessing.scorer_of(self.study)
        if surfaces.proposed(self.study, scorer).empty:
            self.study.assess(scorer)
        ids = pd.Index(surfaces.proposed(self.study, scorer)["post_id"])
        place = {post_id: float(number) for number, post_id in enumerate(ids)}
        for task in self._posts(asked, ids):
            yield {**task, "kind": "post", "source": "assess", "order": place[task["post_id"]]}

    def _posts(self, asked: Asked, ids: pd.Index) -> Iterator[Task]:
        """Posts as tasks: anonymised, with what stands beside them; read in batches."""
        posts = self.study.posts()
        columns = [c for c in self._columns(asked) if c in posts.columns]
        for frame in posts.iter_frames(columns, batch_rows=20_000):
            for row in frame[frame["post_id"].isin(ids)].to_dict("records"):
                yield {
                    "post_id": str(row["post_id"]),
                    "text": self.shown(row.get("text")),
                    "context": self._context(asked, row),
                    "overlap": asked.overlap,
                    "categories": [one for one in asked.opt_outs if str(row.get(one) or "").lower() in YES],
                }

    @staticmethod
    def _columns(asked: Asked) -> list[str]:
        context = {"date": "day", "views": "views", "answers_to": asked.answers_to or ""}
        named = ["post_id", "text", *(context[one] for one in asked.context), *asked.facts.values(), *asked.opt_outs]
        return list(dict.fromkeys(named))

    def _order(self, asked: Asked, ids: pd.Index) -> dict[str, float]:
        """Smaller comes first, by post; nothing for the random order that the database gives by itself."""
        if asked.order == "random":
            return {}
        if asked.order == "stored":
            return dict(zip(ids, map(float, range(len(ids))), strict=True))
        scores = self.study.score(asked.scorer or self._first_scorer()).set_index("post_id")["proba"]
        sure = (scores.reindex(ids) - 0.5).abs().fillna(0.5)
        return dict(zip(ids, sure.astype(float).tolist(), strict=True))

    def _first_scorer(self) -> str:
        scorers = list(self.study.settings.scorer)
        if not scorers:
            raise ComoderateError(
                'order = "uncertainty" needs a scorer', where=self.study.folder / FILE, do="add [scorer.…]"
            )
        return scorers[0]

    def shown(self, text: Any) -> str:
        """A text as raters may see it: without handles, links and the names that the study hides."""
        plain = text if isinstance(text, str) else ""
        if self.study.settings.privacy.anonymise:
            plain = anonymise(plain)
        return self._names.sub("[name]", plain) if self._names else plain

    def _context(self, asked: Asked, row: Mapping[Any, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if "date" in asked.context and isinstance(row.get("day"), str):
            found["date"] = row["day"]
        if "views" in asked.context and row.get("views") is not None and not pd.isna(row["views"]):
            found["views"] = int(row["views"])
        facts = {label: str(row[name]) for label, name in asked.facts.items() if not pd.isna(row.get(name))}
        if facts:
            found["facts"] = facts
        if "answers_to" in asked.context and isinstance(row.get(str(asked.answers_to)), str):
            found["answers_to"] = self.shown(row[str(asked.answers_to)])
        return found


def gold_texts(codebook: Codebook) -> dict[str, str]:
    """The texts of a codebook's gold posts, by the ids under which they are answered."""
    return {str(gold_task(post, codebook, 1)["post_id"]): post.text for post in codebook.gold}


def gold_task(post: ExamplePost, codebook: Codebook, overlap: int) -> Task:
    """A gold post as a task: named by its content, so that another wording is another task."""
    content = f"{codebook.label}\x1f{post.text}"
    return {
        "post_id": f"gold-{hashlib.blake2b(content.encode(), digest_size=8).hexdigest()}",
        "text": post.text,
        "kind": "gold",
        "source": "gold",
        "gold": {name: list(answers) for name, answers in post.answers.items()},
        "gold_note": post.explanation,
        "overlap": overlap,
    }
