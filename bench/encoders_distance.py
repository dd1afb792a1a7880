"""How well SNGP's variance tells posts of another kind from the kind that it was trained on.

A frozen encoder with SNGP's head learns from davidson's tweets, or from wiki_talk's comments. Then 500 other posts of
the same set stand against 500 texts of each other set: other platforms, written test cases, prompts, German sentences,
program code, random letters. Printed is the AUROC of the variance of the log-odds, with a 95 % interval, and for
comparison that of p(1 − p), which every method has, and that of the distance to the ten nearest training posts in the
encoder's own vectors.

Usage: python bench/encoders_distance.py [--layers 6] [--max-length 64] [--train 3000] [--length-scale 0.5]
       [--spectral-bound 10] [--folder DIR] [--shared ../shared]
"""

from __future__ import annotations

import argparse
import contextlib
import gettext
import gzip
import importlib
import inspect
import json
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate import metrics as m
from comoderate import models
from comoderate.models.encoders.frozen import embed

N = 500
MODULES = ["argparse", "ast", "configparser", "csv", "datetime", "inspect", "mailbox", "pathlib", "tarfile", "zipfile"]


def some(texts):
    """At most 500 different texts, at random."""
    frame = pd.Series(texts, dtype=object).dropna().astype(str)
    frame = frame[frame.str.strip().str.len() > 0].drop_duplicates()
    return frame.sample(min(N, len(frame)), random_state=0).tolist()


def code():
    """Five lines each of Python's own library."""
    lines = [line for name in MODULES for line in inspect.getsource(importlib.import_module(name)).splitlines()]
    lines = [line for line in lines if line.strip()]
    return some(["\n".join(lines[at : at + 5]) for at in range(0, len(lines), 5)])


def german():
    """German sentences from the messages of programs on this machine; none where it has no such messages."""
    found = []
    for path in sorted(Path("/usr/share/locale/de/LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file, contextlib.suppress(UnicodeDecodeError, OSError):
            catalogue = gettext.GNUTranslations(file)._catalog
            found += [one for key, one in catalogue.items() if isinstance(one, str) and one != key and "%" not in one]
    return some([one for one in found if 40 <= len(one) <= 300])


def letters():
    """Words of random letters."""
    chance = np.random.default_rng(0)
    alphabet = list("abcdefghijklmnopqrstuvwxyz")
    sizes = [chance.integers(2, 9, chance.integers(5, 25)) for _ in range(N)]
    return [" ".join("".join(chance.choice(alphabet, size)) for size in words) for words in sizes]


def others(data):
    """Name → texts of every set that nothing is trained on."""
    with gzip.open(data / "openai_moderation" / "samples-1680.jsonl.gz", "rt", encoding="utf-8") as file:
        prompts = [json.loads(line)["prompt"] for line in file]
    columns = {
        "civil_comments (news)": ("civil_comments/civil_comments_1k.csv", "comment_text"),
        "edos (Reddit, Gab)": ("edos/edos_labelled_aggregated.csv", "text"),
        "misogyny (Reddit)": ("misogyny/final_labels.csv", "body"),
        "convabuse (said to bots)": ("convabuse/ConvAbuseEMNLPfull.csv", "user"),
        "hatecheck (test cases)": ("hatecheck/test_suite_cases.csv", "test_case"),
    }
    found = {name: some(pd.read_csv(data / path)[column]) for name, (path, column) in columns.items()}
    found |= {"prompts": some(prompts), "German": german(), "program code": code(), "random letters": letters()}
    return {name: texts for name, texts in found.items() if texts}


def homes(data):
    """Name → texts and labels of the sets that are trained on, in random order."""
    tweets = pd.read_csv(data / "davidson" / "labeled_data.csv").sample(frac=1, random_state=0)
    talk = pd.read_csv(data / "wiki_talk" / "wiki_talk_20k.csv").sample(frac=1, random_state=0)
    return {
        "davidson (tweets)": (tweets["tweet"].tolist(), (tweets["class"] < 2).to_numpy(float)),
        "wiki_talk (talk pages)": (talk["comment_text"].tolist(), talk["toxic"].to_numpy(float)),
    }


def vectors_of(texts, options):
    """The frozen encoder's vectors, computed once a text."""
    return embed(texts, layers=options.layers, max_length=options.max_length)


def strangeness(vectors, known):
    """(n,) in [0, 1]: half of one less the mean cosine of the ten nearest known vectors."""
    one, other = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (vectors, known))
    return np.clip((1 - np.sort(one @ other.T, axis=1)[:, -10:].mean(axis=1)) / 2, 0, 1)


def main():
    """Print a row a pair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("train", 3000), ("layers", None), ("max-length", 64)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, value in (("length-scale", 0.5), ("spectral-bound", 10.0)):
        parser.add_argument(f"--{name}", type=float, default=value)
    parser.add_argument("--folder", type=Path, help="keep the encoder's vectors there")
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    options = parser.parse_args()
    data = options.shared / "data"
    own, foreign = homes(data), others(data)
    rows = []
    for home, (texts, y) in own.items():
        scorer = models.Encoder(
            method="sngp", frozen=True, layers=options.layers, max_length=options.max_length,
            length_scale=options.length_scale, spectral_bound=options.spectral_bound, random_state=1,
        )  # fmt: skip
        scorer.fit(texts[: options.train], y[: options.train], checkpoint=options.folder)
        held = slice(options.train, options.train + N)
        inside = scorer.predict_uncertainty(texts[held])
        known, own_vectors = (vectors_of(part, options) for part in (texts[: options.train], texts[held]))
        rows.append([home, "(its own labels)", m.auroc(y[held], inside.proba), *[np.nan] * 4])
        away = {name: others_texts[:N] for name, (others_texts, _) in own.items() if name != home} | foreign
        for name, outside_texts in away.items():
            outside = scorer.predict_uncertainty(outside_texts)
            truth = np.repeat([0.0, 1.0], [N, len(outside_texts)])
            variance = np.concatenate([inside.logit_variance, outside.logit_variance])
            area = m.estimate(m.auroc, truth, np.clip(variance, 0, 1), random_state=0)
            total = m.auroc(truth, np.concatenate([inside.total, outside.total]))
            both = np.concatenate([own_vectors, vectors_of(outside_texts, options)])
            near = m.auroc(truth, strangeness(both, known))
            rows.append([home, name, area.value, area.low, area.high, total, near])
    columns = ["trained on", "against", "auroc of variance", "low", "high", "auroc of p(1-p)", "of nearest"]
    print(pd.DataFrame(rows, columns=columns).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
