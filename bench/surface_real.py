"""Assessment of real classifiers, round by round, checked against the full data.

Usage: python bench/surface_real.py DATA [labels]

DATA holds ``hatecheck``, ``davidson`` and ``madlibs``. Three studies without labels: a TF-IDF model and the default
encoder, frozen, with a Gaussian process on its vectors, both trained on davidson's tweets, on HateCheck's cases by
functionality and target group; and a public toxicity service's recorded scores, on the intersectional madlibs by
template, origin and orientation. Each round is ``Study.assess``; answers come
from the full data. Prints what the surface says, then how far that is from the truth: errors × 100 over arms that
count, coverage of 95 % intervals for the posts in hand, and of the arms that are named as surely worse, how many are.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate.models import Encoder, TfidfLogistic
from comoderate.study import Study
from comoderate.surface import surface_scores

TOML = """
[study]
title = "{title}"
seed = 5
format = 1

[posts]
path = "posts.csv"
attributes = {attributes}
scores = {{ classifier = "score" }}
length = false

[codebook.question.bad]
text = "{question}"
answers = ["no", "yes"]

[target.bad]
question = "bad"
positive = ["yes"]

[sample.all]
design = "census"

[scorer.classifier]
kind = "recorded"

[surface]
min_posts = 10
{surface}

[assess]
next = 100
"""
ORIGINS = [
    "african", "african american", "american", "asian", "black", "canadian", "chinese", "european", "hispanic",
    "indian", "japanese", "latina", "latino", "latinx", "mexican", "middle eastern", "white",
]  # fmt: skip
ORIENTATIONS = [
    "bisexual", "gay", "heterosexual", "homosexual", "lesbian", "lgbt", "lgbtq", "queer", "straight", "male", "female",
    "nonbinary", "trans", "transgender", "cis",
]  # fmt: skip


def hatecheck(data, model=None):
    """Cases, the truth, and a model of hate speech that never saw them."""
    tweets = pd.read_csv(data / "davidson" / "labeled_data.csv")
    cases = pd.read_csv(data / "hatecheck" / "test_suite_cases.csv")
    model = (model or TfidfLogistic()).fit(tweets["tweet"].tolist(), (tweets["class"] == 0).to_numpy(dtype=float))
    posts = cases[["functionality", "target_ident"]].rename(columns={"target_ident": "group"})
    posts = posts.assign(post_id=cases["case_id"], text=cases["test_case"])
    score = np.round(np.asarray(model.predict_proba(cases["test_case"].tolist())), 4)
    posts["score"] = score[:, 1] if score.ndim == 2 else score
    toml = TOML.format(
        title="HateCheck", question="Is it hateful?", surface="",
        attributes='{ functionality = "functionality", group = "group" }',
    )  # fmt: skip
    return posts, cases["label_gold"] == "hateful", toml


def madlibs(data):
    """Sentences made from templates, whether they are toxic, and a service's scores."""
    rows = pd.read_csv(data / "madlibs" / "intersectional_madlibs_scored.csv")
    posts = pd.DataFrame({"post_id": np.arange(len(rows)), "text": rows["phrase"], "template": rows["template"]})
    surface = [
        f"attribute.{name} = {{ kind = 'which', terms = {terms} }}"
        for name, terms in (("origin", ORIGINS), ("orientation", ORIENTATIONS))
    ]
    toml = TOML.format(
        title="Madlibs", question="Is it toxic?", surface="\n".join(surface), attributes='{ template = "template" }'
    )
    return posts.assign(score=rows["TOXICITY@6"]), rows["toxicity"] == "toxic", toml


def check(result, found, wrong):
    """How far the surface is from the full data."""
    arms, truth = result.arms, pd.Series(1.0 - wrong.to_numpy(), index=wrong.index)
    table = found.table
    by_arm = truth.reindex(found.arms.post_id).groupby(table.index).mean()
    described = [found.arms.encoder.describe(arm) for arm in table.arms]
    true = pd.Series(by_arm.to_numpy(), index=described).reindex(arms["arm"]).to_numpy()
    scores = surface_scores(
        true, arms["here"], pool_size=arms["posts"], low=arms["here_low"], high=arms["here_high"], min_pool=10
    )
    named = arms["named"].to_numpy()
    print(
        f"  {result.about.labels:,} labels, {scores.n_arms} arms: macro {100 * scores.macro:.2f}, worst 50 "
        f"{100 * scores.worst:.2f}, coverage {scores.coverage:.2f}, width {scores.width:.2f}; named {named.sum()}, of "
        f"which below the mean of {truth.mean():.3f}: {(true[named] < truth.mean()).sum()}; overall said "
        f"{result.about.value:.3f}",
        flush=True,
    )


def play(name, posts, bad, toml, aim):
    from comoderate.study import surfaces

    print(f"\n{name}: {len(posts):,} posts", flush=True)
    truth = pd.Series(bad.map({True: "yes", False: "no"}).to_numpy(), index=posts["post_id"].astype(str))
    wrong = pd.Series(((posts["score"] > 0.5) != bad).to_numpy(dtype=float), index=truth.index)
    with tempfile.TemporaryDirectory() as folder:
        posts.to_csv(Path(folder) / "posts.csv", index=False)
        (Path(folder) / "study.toml").write_text(toml)
        answers = Path(folder) / "answers.csv"
        batch = Study.open(folder).assess("classifier").batch
        for labels in range(100, aim + 1, 100):
            batch[["post_id"]].assign(answer=batch["post_id"].map(truth)).to_csv(answers, index=False)
            study = Study.open(folder)
            round_ = study.assess("classifier", answers=answers)
            batch = round_.batch
            if labels in {200, 500, 1000, 1500, 2000, 3000}:
                check(round_.surface, surfaces.assessed(study, "classifier"), wrong)
        for text in round_.surface.sentences:
            print("  " + text)
        for loss in ("false_positive", "false_negative"):
            for text in study.surface("classifier", loss=loss).sentences[:2]:
                print("  " + text)


def main(data, aim=1500):
    play("hatecheck, TF-IDF", *hatecheck(data), aim)
    encoder = Encoder(frozen=True, method="sngp", max_length=64, random_state=2017)
    play("hatecheck, encoder", *hatecheck(data, encoder), aim)
    play("madlibs", *madlibs(data), aim)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1500)
