"""What the words mean, and where the methods come from."""

from __future__ import annotations

TERMS: dict[str, tuple[str, str]] = {
    "alpha": ("Krippendorff's α", "agreement between raters beyond chance, for any number of raters and any kind of "
              "answer; 1 is perfect, 0 is chance."),
    "ac1": ("Gwet's AC1, AC2", "agreement beyond chance that stays steady when nearly all answers are the same."),
    "accuracy": ("Accuracy", "the share of posts that a scorer decides right at its threshold. Where few posts are "
                 "positive, a scorer that finds none of them is accurate too."),
    "audit": ("Audit post", "a post of the queue that was drawn at random from all posts, whatever its score, so that "
              "mistakes nobody looks for are seen as well. It is judged before its score is shown."),
    "auroc": ("AUROC", "area under the curve of true against false positive rates: the chance that a positive post "
              "gets a higher score than a negative one; 1 is perfect, 0.5 is guessing."),
    "average-precision": ("Average precision", "precision averaged over all levels of recall; 1 is perfect, the share "
                          "of positive posts is guessing. It says most where positives are rare."),
    "brier-score": ("Brier score", "mean squared difference between probability and truth; 0 is perfect."),
    "calibration-error": ("Calibration error", "how far probabilities are from the shares they claim, on average."),
    "cohort": ("Cohort", "a group of raters, such as volunteers or experts."),
    "enrichment": ("Enrichment", "drawing more of the posts that a scorer suspects, to see enough rare ones. Weights "
                   "undo it in every estimate."),
    "estimand": ("Estimand", "what exactly a number is an estimate of: which posts, counted how."),
    "f1": ("F1", "the harmonic mean of precision and recall; high only where both are."),
    "few": ("Few labels", "fewer than 30 labels in a group, or in all: such a number is a hint, no more."),
    "icc": ("ICC", "intraclass correlation: the share of the variation in answers that is due to the posts and not to "
            "the raters; 1 is perfect agreement, 0 or less is none."),
    "interval": ("Interval", "the range in brackets after a number. If the whole study were repeated many times, about "
                 "19 of 20 such ranges (at 95 %) would hold the true value."),
    "kappa": ("Kappa (κ)", "agreement between raters beyond chance: 1 is perfect, 0 is what guessing would give, "
              "negative is less than guessing would give."),
    "label": ("Label", "what the answers of one post's raters come to."),
    "oc-acc": ("Right decisions (OC-Acc)", "the share of posts decided right by model and moderators together, if "
               "moderators are always right on what they read: oracle collaborative accuracy."),
    "oc-auroc": ("AUROC of the pair (OC-AUROC)", "the AUROC once moderators have put right what they read; likewise "
                 "for average precision."),
    "percent-agreement": ("Percent agreement", "the share of pairs of answers to the same post that are equal; chance "
                          "alone can make it high."),
    "precision": ("Precision", "of the posts that a scorer flags, the share that is really positive."),
    "prevalence": ("Prevalence, share", "the share of all posts that are positive."),
    "recall": ("Recall", "of the posts that are really positive, the share that a scorer flags."),
    "review-effectiveness": ("Review effectiveness", "of all mistakes of the model, the share that review catches."),
    "review-efficiency": ("Review efficiency", "of the posts that moderators read, the share on which the model would "
                          "have been wrong: how much of their time corrects something."),
    "review-fraction": ("Review fraction", "the share of posts that moderators can read."),
    "scorer": ("Scorer", "anything that gives a post a probability of being positive: a model, a service, or people. "
               "Its version follows its name."),
    "strategy": ("Strategy", "the rule that orders posts for moderators. Toxicity: the most probably positive first. "
                 "Uncertainty: the posts on which the model is least sure first."),
    "stratum": ("Stratum", "a part of the posts, such as a day, within which posts are drawn at random."),
    "threshold": ("Threshold", "the probability above which a scorer flags a post; here the one with the best F1."),
    "weight": ("Weight", "how many posts a labelled post stands for: one over its chance to be drawn, adjusted for "
               "posts drawn but not labelled."),
}  # fmt: skip

METHODS: dict[str, tuple[str, str]] = {
    "prevalence": (
        "Shares are weighted means (Hájek) with weights of one over the chance of selection; intervals from stratified "
        "linearised standard errors and Wilson limits, or as each table says.",
        "Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992; Delisle et al., 2019, for the design",
    ),
    "agreement": (
        "Agreement beyond chance, with unequal numbers of raters a post.",
        "Fleiss, Psychological Bulletin, 1971; Shrout and Fleiss, Psychological Bulletin, 1979; the words for sizes of "
        "κ: Landis and Koch, Biometrics, 1977",
    ),
    "evaluation": (
        "Precision, recall, F1, average precision (stepwise) and AUROC are weighted to the real mix of posts; their "
        "intervals come from a bootstrap. No scorer is measured on posts it was trained on.",
        "Delisle et al., A large-scale crowdsourced analysis of abuse against women journalists and politicians on "
        "Twitter, 2019, doi:10.48550/arXiv.1902.03093",
    ),
    "review": (
        "The pair of model and moderators is measured as if moderators made no mistakes.",
        "Kivlichan et al., Measuring and improving model-moderator collaboration using uncertainty estimation, 2021, "
        "doi:10.18653/v1/2021.woah-1.5",
    ),
    "queue": (
        "The queue orders posts by review score and reserves a part for random audit posts.",
        "Kivlichan et al., 2021, for the ordering",
    ),
}
