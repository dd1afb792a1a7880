"""Arms of a study: from the attributes that ``[surface]`` names to a code for every value of every post."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.errors import ComoderateError
from comoderate.study import checks
from comoderate.study.loading import FILE
from comoderate.study.predicted import Belief, Listed, Predicted, belief, predicted
from comoderate.study.settings import Settings, SurfaceAttributeSettings, SurfaceSettings
from comoderate.study.settings.surface import TEXT_KINDS
from comoderate.surface import ArmEncoder, Attribute, Binned, Category, Language, Mentions, TextLength, Which

if TYPE_CHECKING:
    from comoderate.study.study import Study

MANY = 12
"""Numbers with more different values are put in bins."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Arms:
    """Every post with the arm that it belongs to.

    Attributes:
        post_id: (N,) ids.
        codes: (N, K) codes of values, the likeliest where attributes are predicted.
        encoder: fitted to all posts of the study; turns codes back into words.
        belief: how probably posts belong to which arms; None where each counts for one.
    """

    post_id: pd.Index
    codes: Codes
    encoder: ArmEncoder
    belief: Belief | None = None

    def some(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> Arms:
        """The posts marked, or placed, in ``kept``."""
        part = None if self.belief is None else self.belief.some(kept)
        return replace(self, post_id=self.post_id[kept], codes=self.codes[kept], belief=part)


def surface_settings(study: Study) -> SurfaceSettings:
    """The table ``[surface]``, or its defaults where the study has none."""
    return study.settings.surface or SurfaceSettings()


def arms_of(study: Study) -> Arms:
    """The arms of all posts, in the order of the import.

    Raises:
        ComoderateError: the study has no attribute, or a value that should be a number is none.
    """
    settings = surface_settings(study)
    wanted = attributes_of(study.settings)
    kinds = {name: settings.attribute.get(name, SurfaceAttributeSettings()) for name in wanted}
    held = study.posts().columns
    sources = {name: source_of(name, own) for name, own in kinds.items() if own.kind not in {"scorer", "predicted"}}
    for name, column in sources.items():
        if column not in held:
            raise ComoderateError(
                f"the posts have no {column!r}, which attribute {name!r} of the surface is made from",
                where=study.folder / FILE,
                do="leave the attribute out of [surface], or import the posts with it",
            )
    frame = study.posts().frame(list(dict.fromkeys(["post_id", *sources.values()])))
    said = {name: predicted(study, name, own, frame["post_id"]) for name, own in kinds.items() if own.scorers}
    columns = {
        name: said[name].likeliest
        if name in said
        else _plain(frame[sources[name]] if name in sources else _scored(study, own.column or name, frame["post_id"]))
        for name, own in kinds.items()
    }
    encoder = ArmEncoder(
        {name: _attribute(name, columns[name], own, settings.rare, said.get(name)) for name, own in kinds.items()}
    )
    try:
        codes = encoder.fit_transform(columns)
    except ValueError as error:
        raise ComoderateError(f"the arms cannot be made: {error}", where=study.folder / FILE) from None
    found = belief({name: said.get(name) for name in kinds}, codes, settings, seed=study.settings.study.seed)
    return Arms(pd.Index(frame["post_id"]), codes, encoder, found)


def attributes_of(settings: Settings) -> tuple[str, ...]:
    """The attributes whose combinations are the arms.

    Raises:
        ComoderateError: there is none.
    """
    own = settings.surface or SurfaceSettings()
    no_arms = {own.loss, settings.assess.cost, *(kind.truth for kind in own.attribute.values())}
    known = (name for name in checks.attribute_names(settings) if name not in no_arms)
    found = own.attributes or tuple(dict.fromkeys([*known, *own.attribute]))
    taken = next((name for name in found if name in checks.SURFACE_COLUMNS), None)
    if taken is not None:
        raise ComoderateError(
            f"the tables of a surface have a column {taken!r} of their own",
            do="give the attribute another name under [posts], or leave it out of [surface] attributes",
        )
    if not found:
        raise ComoderateError(
            "there is nothing to make arms of: the posts have no attributes and no text",
            do="name some under [posts], or describe one made from the text under [surface.attribute.NAME]",
        )
    return found


def source_of(name: str, own: SurfaceAttributeSettings) -> str:
    """The column of posts that an attribute reads."""
    return "text" if own.kind in TEXT_KINDS else own.column or name


def scorers_of(settings: Settings) -> tuple[str, ...]:
    """The scorers whose probabilities are attributes."""
    own = settings.surface or SurfaceSettings()
    kinds = {name: own.attribute[name] for name in own.attributes or own.attribute if name in own.attribute}
    bins = [kind.column or name for name, kind in kinds.items() if kind.kind == "scorer"]
    return tuple(dict.fromkeys([*bins, *(scorer for kind in kinds.values() for scorer in kind.scorers.values())]))


def predicted_of(settings: Settings) -> tuple[str, ...]:
    """The attributes of arms that are predicted."""
    own = settings.surface or SurfaceSettings()
    kinds = {name: own.attribute[name] for name in own.attributes or own.attribute if name in own.attribute}
    return tuple(name for name, kind in kinds.items() if kind.kind == "predicted")


def truths_of(settings: Settings) -> tuple[str, ...]:
    """The samples whose labels say what is true of predicted attributes."""
    own = settings.surface or SurfaceSettings()
    kinds = [own.attribute[name] for name in predicted_of(settings) if own.attribute[name].truth is None]
    first = next(iter(settings.sample))
    return tuple(dict.fromkeys(settings.scorer[one].sample or first for kind in kinds for one in kind.scorers.values()))


def _scored(study: Study, scorer: str, post_id: pd.Series) -> pd.Series:
    """A scorer's probabilities of posts, row for row; none where it gave none."""
    return study.scores(scorer).set_index("post_id")["proba"].reindex(post_id)


def _plain(values: pd.Series) -> NDArray[Any]:
    return np.asarray(values.astype(object).where(values.notna(), None).to_numpy(dtype=object))


def _attribute(
    name: str, column: NDArray[Any], own: SurfaceAttributeSettings, rare: int, said: Predicted | None
) -> Attribute:
    rare = own.rare or rare
    bins = own.edges or own.bins
    if said is not None:
        return Listed(said.values)
    if own.kind == "scorer":
        return Binned(own.edges or (0.5,))
    if own.kind == "text_length":
        return TextLength(bins)
    if own.kind == "language":
        return Language(min_count=rare, max_values=own.values)
    if own.kind == "mentions":
        return Mentions(own.terms)
    if own.kind == "which":
        return Which(own.terms, min_count=rare, max_values=own.values)
    if own.kind == "number" or (own.kind == "auto" and _are_numbers(column)):
        _refuse_words(name, column)
        return Binned(bins)
    return Category(min_count=rare, max_values=own.values)


def _are_numbers(column: Iterable[Any]) -> bool:
    """Whether all values are numbers, and so many different ones that they are no categories."""
    different = {value for value in column if value is not None}
    return len(different) > MANY and all(map(_is_number, different))


def _is_number(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except ValueError:
        return False


def _refuse_words(name: str, column: Iterable[Any]) -> None:
    wrong = next((value for value in column if value is not None and not _is_number(value)), None)
    if wrong is not None:
        raise ComoderateError(
            f"{str(wrong)[:40]!r} is not a number, but attribute {name!r} of the surface has kind = 'number'",
            do="leave such cells empty in the file of posts, or set kind = 'category'",
        )


def value_names(encoder: ArmEncoder, codes: Codes) -> pd.DataFrame:
    """The names of arms' values, a column an attribute; ``codes`` (A, K)."""
    named: Mapping[str, Attribute] = encoder.attributes_
    return pd.DataFrame(
        {name: np.asarray(a.values_, dtype=object)[codes[:, k]] for k, (name, a) in enumerate(named.items())}
    )
