"""A little study with a population: 60 invented people, posts that mention one to three of them, known truth."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

PEOPLE, POSTS, DAYS = 60, 1_500, 12
PROFESSIONS, PARTIES = ("journalist", "politician"), ("red", "blue", "none")

TOML = """
[study]
title = "Who is spoken of"
seed = 4
format = 1

[posts]
path = "posts.csv"
created_at = "created_at"
views = "views"
attributes = { platform = "platform" }

[totals]
path = "totals.csv"

[population]
path = "population.csv"
handle = "handle"
attributes = { profession = "profession", party = "party" }
include = ["active = yes", "followers < 1000000"]
most = 5

[annotations.volunteers]
form = "long"
path = "answers.csv"
cohort = "volunteers"
rater_id = "rater"
question = "question"
answer = "answer"

[codebook.question.problem]
text = "Is there a problem?"
kind = "ordinal"
answers = ["No", "Problematic", "Abusive"]

[codebook.question.type]
text = "Which kinds?"
kind = "multiple"
answers = ["insult", "threat", "slur"]
when = { problem = ["Problematic", "Abusive"] }

[target.abusive]
question = "problem"
at_least = "Problematic"

[sample.main]
size = 900
enrich = { scorer = "words", size = "all" }

[scorer.words]
kind = "lexicon"
words = ["numpty"]

[evaluate]
by = ["platform"]
folds = 3
replicates = 40

[review]
fractions = [0.1]
capacity = 20
"""


@cache
def people() -> pd.DataFrame:
    """The list: two who are not active, one with too many followers, one whom nobody mentions."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "handle": [f"@Person_{i:02d}" for i in range(PEOPLE)],
            "profession": [PROFESSIONS[i % 2] for i in range(PEOPLE)],
            "party": [PARTIES[i % 3] for i in range(PEOPLE)],
            "active": ["no" if i in (3, 4) else "yes" for i in range(PEOPLE)],
            "followers": [2_000_000 if i == 5 else int(rng.integers(100, 90_000)) for i in range(PEOPLE)],
        }
    )


@cache
def posts() -> pd.DataFrame:
    """Posts with columns ``positive`` and ``named`` (positions in the list) that their file lacks."""
    rng = np.random.default_rng(2)
    liked = rng.dirichlet(np.full(PEOPLE - 1, 0.5))  # the last is mentioned by nobody
    named = [rng.choice(PEOPLE - 1, rng.integers(1, 4), replace=False, p=liked) for _ in range(POSTS)]
    chance = np.array([0.08 + 0.22 * any(i % 2 for i in who) for who in named])
    positive = rng.random(POSTS) < chance
    insult = rng.random(POSTS) < np.where(positive, 0.5, 0.02)
    days = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.sort(rng.integers(0, DAYS, POSTS)), unit="D")
    texts = [
        f"{' '.join(f'@person_{i:02d}' for i in who)} {'you numpty' if bad else 'good day'} no{n}"
        for n, (who, bad) in enumerate(zip(named, insult, strict=True))
    ]
    return pd.DataFrame(
        {
            "post_id": [f"p{i:04d}" for i in range(POSTS)],
            "text": texts,
            "created_at": days.strftime("%Y-%m-%dT10:00:00Z"),
            "views": rng.integers(1, 400, POSTS) * np.where(positive, 1, 3),
            "platform": rng.choice(["river", "square"], POSTS),
            "positive": positive,
            "named": named,
        }
    )


@cache
def answers() -> pd.DataFrame:
    """Three volunteers on every post, always right; of the types, insult always, threat on every third."""
    rows = []
    for n, post in enumerate(posts().itertuples()):
        for rater in range(3):
            base = {"post_id": post.post_id, "rater": f"r{(n + rater) % 9}"}
            rows.append({**base, "question": "problem", "answer": "Abusive" if post.positive else "No"})
            if post.positive:
                kinds = ["insult", *(["threat"] if n % 3 == 0 else []), *(["slur"] if rater == 0 else [])]
                rows += [{**base, "question": "type", "answer": kind} for kind in kinds]
    return pd.DataFrame(rows)


def totals() -> pd.DataFrame:
    """Twice as many posts in the world as are in hand."""
    counts = posts()["created_at"].str[:10].value_counts().sort_index()
    return pd.DataFrame({"day": counts.index, "N": 2 * counts.to_numpy()})


def write(folder: Path, toml: str = TOML) -> Path:
    """Write the study's files; gives its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    posts().drop(columns=["positive", "named"]).to_csv(folder / "posts.csv", index=False)
    people().to_csv(folder / "population.csv", index=False)
    answers().to_csv(folder / "answers.csv", index=False)
    totals().to_csv(folder / "totals.csv", index=False)
    (folder / "study.toml").write_text(toml.lstrip())
    return folder
