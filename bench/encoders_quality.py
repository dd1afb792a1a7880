"""How well the scorers rank on two real data sets: fine-tuned encoders beside the baselines.

wiki_talk: 14,000 comments train, 2,000 decide when to stop, 4,000 test. davidson: 10,000 tweets train, 1,000 of them
decide, 4,000 test; offensive or hate against neither. Every model is trained once; a fine-tuned one keeps checkpoints,
so that the command can be stopped at any time and given again. What is done stands in --folder/results.csv and is not
done again.

Usage: nice python bench/encoders_quality.py --folder /tmp/quality [--only davidson/encoder …] [--layers 3]
       [--max-length 64] [--epochs 2] [--shared ../shared]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate import metrics as m
from comoderate import models

COLUMNS = ["data", "model", "auroc", "low", "high", "average_precision", "brier", "ece", "cpu_seconds"]


def wiki_talk(data):
    """Texts, labels, and which are for training, validation and test."""
    frame = pd.read_csv(data / "wiki_talk" / "wiki_talk_20k.csv").sample(frac=1, random_state=0)
    part = np.repeat(["train", "validation", "test"], [14_000, 2_000, 4_000])
    return frame["comment_text"].tolist(), frame["toxic"].to_numpy(float), part


def davidson(data):
    """As :func:`wiki_talk`."""
    frame = pd.read_csv(data / "davidson" / "labeled_data.csv").sample(frac=1, random_state=0)[:14_000]
    part = np.repeat(["train", "validation", "test"], [9_000, 1_000, 4_000])
    return frame["tweet"].tolist(), (frame["class"] < 2).to_numpy(float), part


DATA = {"davidson": davidson, "wiki_talk": wiki_talk}


def makers(options):
    """Every model by name."""
    size = {"layers": options.layers, "max_length": options.max_length, "random_state": 1}
    tuned = size | {"epochs": options.epochs}
    return {
        "naive_bayes": lambda: models.NaiveBayes(),
        "tfidf_logistic": lambda: models.TfidfLogistic(),
        "davidson_features": lambda: models.DavidsonFeatures(),
        "encoder": lambda: models.Encoder(**tuned),
        "troll_patrol": lambda: models.TrollPatrol(**tuned),
        "encoder, frozen": lambda: models.Encoder(**size, frozen=True),
        "troll_patrol, frozen": lambda: models.TrollPatrol(**size, frozen=True),
    }


def fitted(scorer, texts, y, part, folder):
    """Train on the training posts; an encoder stops by the validation posts, any other scorer trains on them too."""
    use = part != "test"
    some = [text for text, used in zip(texts, use) if used]
    if not isinstance(scorer, models.Encoder):
        return scorer.fit(some, y[use])

    def tell(progress):
        print(f"\r{progress}    ", end="", file=sys.stderr, flush=True)

    held = part[use] == "validation"
    return scorer.fit(some, y[use], validation=held, checkpoint=folder / "checkpoints", progress=tell)


def judged(y, proba, seed=0):
    """A row of metrics with the AUROC's interval."""
    area = m.estimate(m.auroc, y, proba, random_state=seed)
    return [
        area.value,
        area.low,
        area.high,
        m.average_precision(y, proba),
        m.brier_score(y, proba),
        m.expected_calibration_error(y, proba, kind="probability"),
    ]


def main():
    """Print a row a model as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", nargs="*", help="data/model")
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    for name in ("layers", "epochs", "max-length"):
        parser.add_argument(f"--{name}", type=int, default={"max-length": 128}.get(name))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "results.csv"
    rows = pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=COLUMNS)
    for name, read in DATA.items():
        texts, y, part = read(options.shared / "data")
        test = part == "test"
        for model, make in makers(options).items():
            label = f"{name}/{model}"
            done = ((rows["data"] == name) & (rows["model"] == model)).any()
            if done or (options.only and label not in options.only):
                continue
            began = time.process_time()
            scorer = fitted(make(), texts, y, part, options.folder)
            proba = scorer.predict_proba([text for text, used in zip(texts, test) if used])
            np.save(options.folder / f"{label.replace('/', '-')}.npy", proba)
            row = [name, model, *judged(y[test], proba), time.process_time() - began]
            rows.loc[len(rows)] = row
            rows.to_csv(path, index=False)
            print(f"\r{rows.tail(1).round(4).to_string(header=len(rows) == 1, index=False)}", flush=True)


if __name__ == "__main__":
    main()
