"""Review strategies compared on real data: each strategy's value and its paired difference from the paper's better one.

Six data sets, several scorers each, eight review fractions, several splits. A scorer is trained on half of a data set,
calibrated on a tenth and judged on the rest; where it is deployed elsewhere, a tenth of the other data set calibrates
it. A difference is from the better of the paper's two strategies *chosen with hindsight* on the posts that judge; its
interval is a paired bootstrap over these posts, averaged over the splits as if they were one. With --hatecheck, the
scorers of wiki_talk on hatecheck: calibrated where they were trained, on 200 labelled posts of the deployment, with the
strategy that cross-fitting on those 200 chooses, and a random order as yardstick.

Usage: python bench/strategies.py [--seeds 3] [--replicates 100] [--shared ../shared] [--hatecheck] [--csv FILE.csv]
       [--markdown] [--scorers logistic … encoder]
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
MEMBERS = 5


def logistic(**options):
    """The regression that the scorers share."""
    return LogisticRegression(max_iter=300, **options)


SCORERS = {
    "logistic": logistic,
    "balanced": lambda: logistic(class_weight="balanced"),
    "naive_bayes": lambda: MultinomialNB(alpha=0.3),
    "ensemble": logistic,  # of members, each on a bootstrap sample of the training posts
}
MOST = 6000  # posts of a data set that the encoder reads
PAPER = ("toxicity", "uncertainty")
OWN = {
    "expected_error": ("oracle_collaborative_accuracy", "review_efficiency"),
    "expected_auroc_gain": ("oracle_collaborative_auroc",),
    "expected_average_precision_gain": ("oracle_collaborative_average_precision",),
}
BESIDE = ("hybrid", "random")
OF_MEMBERS = ("member_variance", "mutual_information")
FIELDS = list(m.CollaborationCurves._fields)
SHORT = {
    "oracle_collaborative_accuracy": "OC-Acc",
    "review_efficiency": "review efficiency",
    "oracle_collaborative_auroc": "OC-AUROC",
    "oracle_collaborative_average_precision": "OC average precision",
}


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
    """A scorer fitted on half of a data set, as a function of texts to probabilities (members, n), and the other half.

    The encoder is frozen, an ensemble of heads on its vectors; it reads the same few thousand posts for every seed.
    """
    rng = np.random.default_rng(seed)
    texts, y = load(source, shared)
    if scorer == "encoder":
        few = np.random.default_rng(0).permutation(len(y))[:MOST]
        texts, y = texts[few], y[few]
    train, rest = np.split(rng.permutation(len(y)), [len(y) // 2])
    if scorer == "encoder":
        from comoderate.models import Encoder

        held = Encoder(frozen=True, method="ensemble", members=MEMBERS, max_length=64, random_state=seed)
        held.fit(list(map(str, texts[train])), y[train])
        return (lambda posts: uncertain(held, posts)), texts[rest], y[rest], rng
    words = TfidfVectorizer(min_df=2, ngram_range=(1, 2), sublinear_tf=True, max_features=60_000)
    seen = words.fit_transform(texts[train])
    draws = [np.arange(len(train))]
    if scorer == "ensemble":
        draws = [rng.integers(0, len(train), len(train)) for _ in range(MEMBERS)]
    models = [SCORERS[scorer]().fit(seen[draw], y[train][draw]) for draw in draws]

    def score(posts):
        held = words.transform(posts)
        return np.clip([model.predict_proba(held)[:, 1] for model in models], 0.0, 1.0)

    return score, texts[rest], y[rest], rng


def uncertain(model, posts):
    """Probabilities of the encoder's members, (members, n)."""
    return model.predict_uncertainty(list(map(str, posts)), members=True).members.T


def scored(pair, scorer, seed, shared):
    """Probabilities, calibrated ones, members (m, n), and labels of the posts on which strategies are judged."""
    source, _, target = pair.partition(">")
    score, texts, y, rng = trained(source, scorer, seed, shared)
    held = len(y) // 5
    if target:
        texts, y = load(target, shared)
        shuffled = rng.permutation(len(y))
        texts, y, held = texts[shuffled], y[shuffled], len(y) // 10
    members = score(texts)
    p = members.mean(axis=0)
    tuned = Beta().fit(p[:held], y[:held])
    known = dict(strategies())
    known["hybrid"] = known["hybrid"].fit(y[:held], p[:held], review_fraction=0.05)
    extras = {"calibrated": tuned.predict(p[held:]), "members": members[:, held:]}
    names = [*PAPER, *OWN, *BESIDE, *(OF_MEMBERS if len(members) > 1 else ())]
    return p[held:], y[held:], {name: known[name].score(p[held:], **extras) for name in names}


def compared(p, y, scores, seed, replicates):
    """Values and paired differences of strategies from the better of the paper's two, at each fraction and metric."""
    drawn = {
        name: m.replicate(
            m.collaboration_curves, y, p, u, review_fraction=FRACTIONS, replicates=replicates, random_state=seed
        )
        for name, u in scores.items()
    }
    rows = []
    for i in range(len(FIELDS) * len(FRACTIONS)):
        paper = max(PAPER, key=lambda name: np.nan_to_num(drawn[name].value[i], nan=-1))
        for name, own in drawn.items():
            gained = own.value[i] - drawn[paper].value[i]
            spread = (own.replicates[:, i] - drawn[paper].replicates[:, i]).std(ddof=1)
            field, at = FIELDS[i // len(FRACTIONS)], FRACTIONS[i % len(FRACTIONS)]
            rows.append((name, field, at, own.value[i], drawn[paper].value[i], gained, spread))
    return pd.DataFrame(rows, columns=["strategy", "metric", "fraction", "value", "paper", "gain", "se"])


def table(pairs, scorers, options):
    """One row a pair, scorer, strategy, metric and fraction, averaged over splits."""
    frames = []
    for pair in pairs:
        for scorer in scorers:
            for seed in range(options.seeds):
                found = scored(pair, scorer, seed, options.shared)
                frames.append(compared(*found, seed, options.replicates).assign(pair=pair, scorer=scorer, seed=seed))
    keys = ["pair", "scorer", "strategy", "metric", "fraction"]
    merged = pd.concat(frames).groupby(keys, sort=False)
    out = merged[["value", "paper", "gain"]].mean()
    out["se"] = merged["se"].apply(lambda se: np.sqrt(np.mean(se**2)))
    out = out.reset_index()
    return out[out["metric"].isin(SHORT)].assign(
        low=out["gain"] - 1.96 * out["se"], high=out["gain"] + 1.96 * out["se"]
    )


def own_cells(frame):
    """The cells of each strategy on its own objective, with whether the interval of the gain leaves 0 out."""
    own = pd.concat(frame[(frame["strategy"] == name) & frame["metric"].isin(metrics)] for name, metrics in OWN.items())
    own = own.dropna(subset=["gain", "se"])
    return own.assign(better=own["low"] > 0, worse=own["high"] < 0)


def summary(cells, keys):
    """Of cells, how many are better and worse, and the gains."""
    return cells.groupby(list(keys), sort=False).agg(
        cells=("gain", "size"),
        better=("better", "sum"),
        worse=("worse", "sum"),
        mean=("gain", "mean"),
        least=("gain", "min"),
        most=("gain", "max"),
    )


def markdown(frame):
    """The cells as tables for a page: a table an objective, a row a pair and scorer, a column a review fraction.

    Each cell is the value of our strategy and its gain, bold where the interval lies above 0, in italics where below.
    """
    cells = own_cells(frame)
    told = []
    for (strategy, metric), part in cells.groupby(["strategy", "metric"], sort=False):
        told += [f"\n### `{strategy}` by {SHORT[metric]}\n"]
        told += ["| data | scorer | " + " | ".join(f"{at:g}" for at in FRACTIONS) + " |", "|---" * 10 + "|"]
        for (pair, scorer), rows in part.groupby(["pair", "scorer"], sort=False):
            known = {row.fraction: cell(row) for row in rows.itertuples()}
            told += [f"| {pair} | {scorer} | " + " | ".join(known.get(at, "–") for at in FRACTIONS) + " |"]
    return "\n".join(told)


def cell(row):
    """``.953 +.0041`` with the gain marked where it is more than chance."""
    gain = f"{row.gain:+.4f}".replace("0.", ".", 1)
    mark = "**" if row.better else "*" if row.worse else ""
    return f"{row.value:.3f} {mark}{gain}{mark}".replace("0.", ".", 1)


def hatecheck(options, labels=200):
    """Gains on hatecheck of scorers trained on wiki_talk, by where the probabilities were calibrated.

    Two yardsticks: from the better of the paper's two with hindsight, and from the mean of a random order, whose own
    gain is there as well.
    """
    rows = []
    for scorer in SCORERS:
        for seed in range(options.seeds):
            score, texts, y, rng = trained("wiki_talk", scorer, seed, options.shared)
            home = Beta().fit(score(texts).mean(axis=0), y)
            texts, y = load("hatecheck", options.shared)
            shuffled = rng.permutation(len(y))
            p, y = score(texts[shuffled]).mean(axis=0), y[shuffled]
            few, few_y, rest, rest_y = p[:labels], y[:labels], p[labels:], y[labels:]
            there = Beta().fit(few, few_y)
            for strategy, metrics in OWN.items():
                for metric in metrics:
                    for way, q in (("calibrated at home", home), ("200 labels there", there)):
                        u = strategies()[strategy].score(rest, calibrated=q.predict(rest))
                        rows += gains(rest, rest_y, dict.fromkeys(FRACTIONS, u), (scorer, seed, metric, way))
                    advised = advised_scores(few, few_y, rest, there, strategy, metric)
                    rows += gains(rest, rest_y, advised, (scorer, seed, metric, "200 labels and advice"))
                    for _ in range(20):
                        lot = dict.fromkeys(FRACTIONS, rng.random(len(rest)))
                        rows += gains(rest, rest_y, lot, (scorer, seed, metric, "a random order"))
    frame = pd.DataFrame(rows, columns=["scorer", "seed", "metric", "way", "fraction", "gain"])
    return frame.groupby(["metric", "way", "fraction"], sort=False)["gain"].mean().unstack("fraction")


def advised_scores(few, few_y, rest, there, strategy, metric):
    """Review scores by fraction of the strategy that cross-fitting on a few labels advises there."""
    among = {name: strategies()[name] for name in (*PAPER, strategy)}
    chosen = {}
    for at in FRACTIONS:
        advice = advise(
            few_y,
            few,
            fold=folds_of(len(few)),
            review_fraction=float(max(at, 0.02)),
            objective=getattr(m, metric),
            strategies=among,
            replicates=20,
        )
        chosen[at] = among[advice.best].score(rest, calibrated=there.predict(rest))
    return chosen


def gains(p, y, scores, key):
    """Rows of a strategy's gain over the paper's better strategy; ``scores`` has review scores by fraction."""
    metric = getattr(m, key[2])
    paper = np.max([metric(y, p, other, review_fraction=FRACTIONS) for other in (p, p * (1 - p))], axis=0)
    held = {id(u): metric(y, p, u, review_fraction=FRACTIONS) for u in {id(u): u for u in scores.values()}.values()}
    return [(*key, at, held[id(scores[at])][i] - paper[i]) for i, at in enumerate(FRACTIONS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--shared", default=str(Path(__file__).parents[2] / "shared"))
    parser.add_argument("--pairs", nargs="*", default=PAIRS)
    parser.add_argument("--scorers", nargs="*", default=list(SCORERS))
    parser.add_argument("--hatecheck", action="store_true")
    parser.add_argument("--markdown", action="store_true", help="print the cells as tables for a page")
    parser.add_argument("--csv", help="write every cell, or where there is no --pairs to measure, read them")
    options = parser.parse_args()
    if options.hatecheck:
        print(hatecheck(options).to_string(float_format="{:+.4f}".format))
        return
    frame = table(options.pairs, options.scorers, options)
    if options.csv:
        frame.to_csv(options.csv, index=False, float_format="%.6f")
    cells = own_cells(frame)
    if options.markdown:
        print(markdown(frame))
    print(summary(cells, ["strategy", "metric", "pair", "scorer"]).to_string(float_format="{:.4f}".format))
    print(summary(cells, ["strategy", "metric"]).to_string(float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
