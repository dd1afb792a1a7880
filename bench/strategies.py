"""Review strategies compared on real data: each strategy's value and its paired difference from the paper's better one.

Six data sets with three scorers each, eight review fractions, several splits. A scorer is trained on half of a data
set, calibrated on a tenth and judged on the rest; where it is deployed elsewhere, a tenth of the other data set
calibrates it. Differences are paired bootstraps over the judged posts, averaged over the splits. With --hatecheck, the
scorers of wiki_talk on hatecheck: calibrated where they were trained, on 200 labelled posts of the deployment, and with
the strategy that cross-fitting on those 200 chooses.

Usage: python bench/strategies.py [--seeds 3] [--replicates 100] [--shared ../shared] [--hatecheck] [--table FILE.csv]
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

import comoderate.metrics as m
from comoderate.calibration import Beta, folds_of
from comoderate.review import advise, strategies

FRACTIONS = np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2])
PAIRS = ["davidson_hate", "davidson_offensive", "edos", "wiki_talk", "convabuse", "wiki_talk>civil_comments"]
SCORERS = {
    "logistic": lambda: LogisticRegression(max_iter=300),
    "balanced": lambda: LogisticRegression(max_iter=300, class_weight="balanced"),
    "naive_bayes": lambda: MultinomialNB(alpha=0.3),
}
OWN = {
    "expected_error": ("oracle_collaborative_accuracy", "review_efficiency"),
    "expected_auroc_gain": ("oracle_collaborative_auroc",),
    "expected_average_precision_gain": ("oracle_collaborative_average_precision",),
}
FIELDS = list(m.CollaborationCurves._fields)


@cache
def load(name, shared):
    """Texts and labels of a data set."""
    data = Path(shared) / "data"
    if name.startswith("davidson"):
        frame = pd.read_csv(data / "davidson" / "labeled_data.csv")
        return frame["tweet"].to_numpy(), (frame["class"] == (0 if name.endswith("hate") else 1)).to_numpy(float)
    if name == "edos":
        frame = pd.read_csv(data / "edos" / "edos_labelled_aggregated.csv")
        return frame["text"].to_numpy(), (frame["label_sexist"] == "sexist").to_numpy(float)
    if name == "convabuse":
        frame = pd.read_csv(data / "convabuse" / "ConvAbuseEMNLPfull.csv")
        item = ["conv_id", "prev_agent", "prev_user", "agent", "user"]
        frame["abusive"] = frame[["is_abuse.-1", "is_abuse.-2", "is_abuse.-3"]].max(axis=1)
        judged = frame.fillna({"user": ""}).groupby(item, dropna=False)["abusive"].mean().reset_index()
        return judged["user"].to_numpy(str), (judged["abusive"] > 0.5).to_numpy(float)
    if name == "hatecheck":
        frame = pd.read_csv(data / "hatecheck" / "test_suite_cases.csv")
        return frame["test_case"].to_numpy(), (frame["label_gold"] == "hateful").to_numpy(float)
    file = {"wiki_talk": "wiki_talk/wiki_talk_20k.csv", "civil_comments": "civil_comments/civil_comments_1k.csv"}[name]
    frame = pd.read_csv(data / file).dropna()
    return frame["comment_text"].to_numpy(), frame["toxic"].to_numpy(float)


def trained(source, scorer, seed, shared):
    """A scorer fitted on half of a data set, as a function of texts, and the other half."""
    rng = np.random.default_rng(seed)
    texts, y = load(source, shared)
    train, rest = np.split(rng.permutation(len(y)), [len(y) // 2])
    words = TfidfVectorizer(min_df=2, ngram_range=(1, 2), sublinear_tf=True, max_features=60_000)
    model = SCORERS[scorer]().fit(words.fit_transform(texts[train]), y[train])

    def score(posts):
        return np.clip(model.predict_proba(words.transform(posts))[:, 1], 0.0, 1.0)

    return score, texts[rest], y[rest], rng


def scored(pair, scorer, seed, shared):
    """Probabilities, calibrated ones, and labels of the posts on which strategies are judged."""
    source, _, target = pair.partition(">")
    score, texts, y, rng = trained(source, scorer, seed, shared)
    held = len(y) // 5
    if target:
        texts, y = load(target, shared)
        shuffled = rng.permutation(len(y))
        texts, y, held = texts[shuffled], y[shuffled], len(y) // 10
    p = score(texts)
    return p[held:], Beta().fit(p[:held], y[:held]).predict(p[held:]), y[held:]


def compared(p, q, y, names, seed, replicates):
    """Values and paired differences of strategies from the better of the paper's two, at each fraction and metric."""
    known = strategies()
    scores = {name: known[name].score(p, calibrated=q) for name in {*names, "toxicity", "uncertainty"}}
    drawn = {
        name: m.replicate(
            m.collaboration_curves, y, p, u, review_fraction=FRACTIONS, replicates=replicates, random_state=seed
        )
        for name, u in scores.items()
    }
    rows = []
    for i in range(len(FIELDS) * len(FRACTIONS)):
        paper = max(("toxicity", "uncertainty"), key=lambda name: np.nan_to_num(drawn[name].value[i], nan=-1))
        for name in names:
            gained = drawn[name].value[i] - drawn[paper].value[i]
            spread = (drawn[name].replicates[:, i] - drawn[paper].replicates[:, i]).std(ddof=1)
            field, at = FIELDS[i // len(FRACTIONS)], FRACTIONS[i % len(FRACTIONS)]
            rows.append((name, field, at, drawn[name].value[i], drawn[paper].value[i], gained, spread))
    return pd.DataFrame(rows, columns=["strategy", "metric", "fraction", "value", "paper", "gain", "se"])


def table(pairs, scorers, names, shared, seeds, replicates):
    """One row a pair, scorer, strategy, metric and fraction, averaged over splits."""
    frames = []
    for pair in pairs:
        for scorer in scorers:
            for seed in range(seeds):
                frame = compared(*scored(pair, scorer, seed, shared), names, seed, replicates)
                frames.append(frame.assign(pair=pair, scorer=scorer, seed=seed))
    keys = ["pair", "scorer", "strategy", "metric", "fraction"]
    merged = pd.concat(frames).groupby(keys, sort=False)
    out = merged[["value", "paper", "gain"]].mean()
    out["se"] = merged["se"].apply(lambda se: np.sqrt(np.mean(se**2)))
    return out.reset_index()


def summary(frame, keys=("strategy", "metric", "pair", "scorer")):
    """Of each strategy on its own objectives: cells better and worse by two standard errors, and the gains."""
    own = pd.concat(
        frame[(frame["strategy"] == name) & frame["metric"].isin(metrics)] for name, metrics in OWN.items()
    ).dropna(subset=["gain", "se"])
    own = own.assign(better=own["gain"] > 2 * own["se"], worse=own["gain"] < -2 * own["se"])
    return own.groupby(list(keys), sort=False).agg(
        cells=("gain", "size"),
        better=("better", "sum"),
        worse=("worse", "sum"),
        mean=("gain", "mean"),
        least=("gain", "min"),
        most=("gain", "max"),
    )


def hatecheck(shared, seeds, labels=200):
    """Gains on hatecheck of scorers trained on wiki_talk, by where the probabilities were calibrated."""
    rows = []
    for scorer in SCORERS:
        for seed in range(seeds):
            score, texts, y, rng = trained("wiki_talk", scorer, seed, shared)
            home = Beta().fit(score(texts), y)
            texts, y = load("hatecheck", shared)
            shuffled = rng.permutation(len(y))
            p, y = score(texts[shuffled]), y[shuffled]
            few, few_y, rest, rest_y = p[:labels], y[:labels], p[labels:], y[labels:]
            there = Beta().fit(few, few_y)
            for strategy, metrics in OWN.items():
                for metric in metrics:
                    for way, q in (("calibrated at home", home), ("200 labels there", there)):
                        u = strategies()[strategy].score(rest, calibrated=q.predict(rest))
                        rows += gains(rest, rest_y, dict.fromkeys(FRACTIONS, u), (scorer, strategy, metric, way))
                    chosen = {}
                    for at in FRACTIONS:
                        among = {name: strategies()[name] for name in ("toxicity", "uncertainty", strategy)}
                        advice = advise(
                            few_y,
                            few,
                            fold=folds_of(labels),
                            review_fraction=float(max(at, 0.02)),
                            objective=getattr(m, metric),
                            strategies=among,
                            replicates=20,
                        )
                        chosen[at] = strategies()[advice.best].score(rest, calibrated=there.predict(rest))
                    rows += gains(rest, rest_y, chosen, (scorer, strategy, metric, "200 labels and advice"))
    frame = pd.DataFrame(rows, columns=["scorer", "strategy", "metric", "way", "fraction", "gain"])
    return frame.groupby(["metric", "way", "fraction"], sort=False)["gain"].mean().unstack("fraction")


def gains(p, y, scores, key):
    """Rows of a strategy's gain over the paper's better strategy; ``scores`` has review scores by fraction."""
    out = []
    for at, u in scores.items():
        metric = getattr(m, key[2])
        paper = [metric(y, p, other, review_fraction=at) for other in (p, p * (1 - p))]
        out.append((*key, at, metric(y, p, u, review_fraction=at) - max(paper)))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--shared", default=str(Path(__file__).parents[2] / "shared"))
    parser.add_argument("--hatecheck", action="store_true")
    parser.add_argument("--table")
    options = parser.parse_args()
    if options.hatecheck:
        print(hatecheck(options.shared, options.seeds).to_string(float_format="{:+.4f}".format))
        return
    frame = table(PAIRS, SCORERS, list(OWN), options.shared, options.seeds, options.replicates)
    if options.table:
        frame.to_csv(options.table, index=False)
    print(summary(frame).to_string(float_format="{:.4f}".format))
    print(summary(frame, ["strategy", "metric"]).to_string(float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
