"""Speed of the encoders, as ratios in one run: scoring against the transformers pipeline, and training frozen heads.

Scoring: a fine-tuned network of ours against ``pipeline("text-classification")`` on a model of the same size with the
same weights below its head, at the pipeline's best batch size and one by one, on posts as they come. Both are given
the same texts. The change of AUROC is that of each precision against fp32. Times are processor seconds of one thread,
the least of several rounds that take turns.

Training: all five methods on stored vectors of --train posts.

Usage: python bench/encoders.py [--posts 600] [--train 20000] [--layers N] [--rounds 3] [--shared ../shared]
       [--only scoring|training]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import transformers

from comoderate import metrics as m
from comoderate.models import Encoder
from comoderate.models.encoders import frozen
from comoderate.models.encoders.backbone import source_of
from comoderate.models.text import tidy

METHODS = ["deterministic", "mc_dropout", "ensemble", "sngp", "sngp_ensemble"]


def seconds(work, *arguments):
    """Processor seconds of a call."""
    began = time.process_time()
    work(*arguments)
    return time.process_time() - began


def least(contenders, rounds):
    """The least processor seconds of each contender, the rounds taking turns."""
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            times[name].append(seconds(work))
    return {name: min(values) for name, values in times.items()}


def peer(folder):
    """The transformers pipeline on the default encoder with a fresh head."""
    source = source_of(None)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(source, num_labels=2)
    model.save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    return transformers.pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")


def ready(scorer, precision):
    """The scorer in a precision of its own."""
    other = scorer.derive(scorer.method)
    other.set_params(inference=precision)
    other._use(other._plan(), other.networks_)
    return other


def scoring(texts, y, options):
    """Print how many times faster than the pipeline each of our ways is."""
    tuned = {"epochs": 1, "validation_share": 0.0, "max_length": 128}
    some = slice(0, 64)
    scorer = Encoder(**tuned).fit(texts[some], y[some])
    gaussian = Encoder(**tuned, method="sngp").fit(texts[some], y[some])
    posts, truth = [tidy(text) for text in texts[400 : 400 + options.posts]], y[400 : 400 + options.posts]
    with tempfile.TemporaryDirectory() as folder:
        pipe = peer(folder)
    read = {"truncation": True, "max_length": 128}
    few = posts[:64]
    sizes = {size: seconds(lambda size=size: pipe(few, batch_size=size, **read)) for size in (1, 4, 8, 16, 32)}
    best = min(sizes, key=sizes.get)
    distance_aware = ready(gaussian, "fp32")
    ours = {precision: ready(scorer, precision) for precision in ("fp32", "bf16", "int8")}
    contenders = {
        "pipeline": lambda: pipe(posts, batch_size=best, **read),
        "pipeline, one by one": lambda: pipe(posts, batch_size=1, **read),
        "SNGP, fp32": lambda: distance_aware.predict_uncertainty(posts),
        **{name: lambda one=one: one.predict_proba(posts) for name, one in ours.items()},
    }
    took = least(contenders, options.rounds)
    print(f"{len(posts)} posts, the pipeline's best batch size is {best}; posts a processor second, times as fast")
    exact = m.auroc(truth, ours["fp32"].predict_proba(posts))
    for name, time_taken in took.items():
        change = f"{m.auroc(truth, ours[name].predict_proba(posts)) - exact:+.5f}" if name in ours else ""
        faster = [took[peer_] / time_taken for peer_ in ("pipeline", "pipeline, one by one")]
        print(f"{name:22} {len(posts) / time_taken:7.1f}  {faster[0]:5.2f}  {faster[1]:5.2f}  {change}")
    print(f"SNGP takes {took['SNGP, fp32'] / took['fp32']:.3f} times as long as deterministic")


def training(texts, y, options):
    """Print how long each method trains on stored vectors."""
    some, labels = texts[: options.train], y[: options.train]
    took = seconds(lambda: frozen.embed(some, layers=options.layers, max_length=64))
    print(f"{len(some)} posts: embedding {took:.1f} s of processor time")
    whole = 0.0
    for method in METHODS:
        scorer = Encoder(method=method, frozen=True, layers=options.layers, max_length=64)
        took = seconds(lambda one=scorer: one.fit(some, labels))
        whole += took
        print(f"{method:15} {took:6.1f} s, epochs {[len(one) for one in scorer.history_]}")
    print(f"all five {whole:.1f} s")


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("posts", 600), ("train", 20_000), ("rounds", 3), ("layers", None)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", choices=["scoring", "training"])
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    frame = pd.read_csv(options.shared / "data" / "davidson" / "labeled_data.csv").sample(frac=1, random_state=0)
    texts, y = frame["tweet"].tolist(), (frame["class"] < 2).to_numpy(float)
    print(f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}; {np.mean(y):.2f} positive")
    if options.only != "training":
        scoring(texts, y, options)
    if options.only != "scoring":
        training(texts, y, options)


if __name__ == "__main__":
    main()
