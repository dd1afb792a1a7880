"""Speed of the encoders, as ratios in one run: scoring against the transformers pipeline, and training frozen heads.

Scoring: a network of ours that is read by its first token, and the very same weights saved as a Hugging Face
BertForSequenceClassification for ``pipeline("text-classification")``, at the pipeline's best batch size and one by one.
Posts come in their own order, with their own lengths, from three data sets: tweets, comments of talk pages, comments of
news sites. Both read the same texts, at most 128 tokens, tokenising included, and both on one thread. Printed beside
the ratios: the largest difference of a probability from the pipeline's, and the change of AUROC. "mean" is our default,
a network of the same size that averages the tokens, which no pipeline offers. Times are processor seconds, medians of
rounds that take turns.

Training: all five methods on stored vectors of --train posts.

Usage: python bench/encoders.py [--posts 1000] [--data davidson wiki_talk civil_comments] [--train 20000] [--layers N]
       [--rounds 3] [--shared ../shared] [--only scoring|training]
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

LENGTH = 128
METHODS = ["deterministic", "mc_dropout", "ensemble", "sngp", "sngp_ensemble"]


def seconds(work, *arguments):
    """Processor seconds of a call."""
    began = time.process_time()
    work(*arguments)
    return time.process_time() - began


def medians(contenders, rounds):
    """The median processor seconds of each contender, the rounds taking turns."""
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            times[name].append(seconds(work))
    return {name: float(np.median(values)) for name, values in times.items()}


def peer(scorer, folder):
    """The transformers pipeline on the scorer's own weights."""
    network = scorer.networks_[0]
    under = network.backbone.model
    under.config.save_pretrained(folder)
    config = transformers.AutoConfig.from_pretrained(folder, num_labels=1)
    model = transformers.BertForSequenceClassification(config)
    model.bert.load_state_dict(under.state_dict(), strict=False)
    model.bert.pooler.dense.load_state_dict(network.pooler.state_dict())
    model.classifier.load_state_dict(network.head.state_dict())
    tokenizer = transformers.AutoTokenizer.from_pretrained(source_of(None))
    return transformers.pipeline("text-classification", model=model.eval(), tokenizer=tokenizer, device="cpu")


def ready(scorer, precision):
    """The scorer in a precision of its own."""
    other = scorer.derive(scorer.method)
    other.set_params(inference=precision)
    other._use(other._plan(), other.networks_)
    return other


def posts_of(name, data, n):
    """Posts of a data set in random order, links and handles shortened, with their labels."""
    file, text, label = {
        "davidson": ("davidson/labeled_data.csv", "tweet", "class"),
        "wiki_talk": ("wiki_talk/wiki_talk_20k.csv", "comment_text", "toxic"),
        "civil_comments": ("civil_comments/civil_comments_1k.csv", "comment_text", "toxic"),
    }[name]
    frame = pd.read_csv(data / file).sample(frac=1, random_state=1)[:n]
    y = frame[label] < 2 if label == "class" else frame[label]
    return [tidy(one) for one in frame[text]], y.to_numpy(float)


def scoring(texts, y, options):
    """Print how many times faster than the pipeline each of our ways is."""
    tuned = {"epochs": 1, "validation_share": 0.0, "max_length": 64, "random_state": 1}
    made = {
        "first": Encoder(**tuned, pooling="first").fit(texts[:640], y[:640]),
        "mean": Encoder(**tuned).fit(texts[:64], y[:64]),
        "SNGP": Encoder(**tuned, method="sngp").fit(texts[:64], y[:64]),
    }
    for scorer in made.values():
        scorer.set_params(max_length=LENGTH)
    ours = {precision: ready(made["first"], precision) for precision in ("fp32", "int8", "bf16")}
    ours |= {f"fp32, {name}": ready(made[name], "fp32") for name in ("mean", "SNGP")}
    ours |= {"int8, mean": ready(made["mean"], "int8")}
    with tempfile.TemporaryDirectory() as folder:
        pipe = peer(made["first"], folder)
    for name in options.data:
        compare(name, pipe, ours, *posts_of(name, options.shared / "data", options.posts), options.rounds)


def compare(name, pipe, ours, posts, truth, rounds):
    """Print a data set's table."""
    read = {"truncation": True, "max_length": LENGTH, "function_to_apply": "sigmoid"}
    sizes = {n: seconds(lambda n=n: pipe(posts[:256], batch_size=n, **read)) for n in (1, 2, 4, 8, 16, 32, 64)}
    best = min(sizes, key=sizes.get)
    exact = np.array([one["score"] for one in pipe(posts, batch_size=best, **read)])
    contenders = {
        "pipeline": lambda: pipe(posts, batch_size=best, **read),
        "pipeline, one by one": lambda: pipe(posts, batch_size=1, **read),
        **{way: lambda one=one: one.predict_uncertainty(posts) for way, one in ours.items()},
    }
    took = medians(contenders, rounds)
    print(f"{name}: {len(posts)} posts, the pipeline's best batch size is {best}")
    print("posts a processor second, times as fast as the pipeline and as one by one, differences, change of AUROC")
    for way, time_taken in took.items():
        faster = [took[other] / time_taken for other in ("pipeline", "pipeline, one by one")]
        same = ""
        if way in ours and "," not in way:
            proba = ours[way].predict_proba(posts)
            same = f"{np.abs(proba - exact).max():.6f}  {m.auroc(truth, proba) - m.auroc(truth, exact):+.5f}"
        print(f"{way:22} {len(posts) / time_taken:7.1f}  {faster[0]:5.2f}  {faster[1]:5.2f}  {same}", flush=True)
    print(f"SNGP takes {took['fp32, SNGP'] / took['fp32, mean']:.3f} times as long as deterministic", flush=True)


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
    for name, value in (("posts", 1000), ("train", 20_000), ("rounds", 3), ("layers", None)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--data", nargs="*", default=["davidson", "wiki_talk", "civil_comments"])
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
