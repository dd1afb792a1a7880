"""The language of a text as an attribute, guessed from its script and its commonest words."""

from __future__ import annotations

import re

from comoderate.surface.derived import Derived

UNCLEAR = "unclear"

SCRIPTS: dict[str, str] = {  # ranges of a character class; the first script that fills a fifth of the letters decides
    "Japanese": "\u3040-\u30ff",
    "Korean": "\uac00-\ud7af\u1100-\u11ff",
    "Chinese": "\u4e00-\u9fff",
    "Arabic script": "\u0600-\u06ff\u0750-\u077f",
    "Cyrillic": "\u0400-\u04ff",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Tamil": "\u0b80-\u0bff",
    "Thai": "\u0e00-\u0e7f",
    "Greek": "\u0370-\u03ff",
    "Hebrew": "\u0590-\u05ff",
}
WORDS: dict[str, str] = {  # of languages in Latin script; words that two languages share speak for neither
    "English": "the and is are was were you that this it of to they he she with for not have be my your all who",
    "Spanish": "el los las es una que y por con para pero como más esta este yo tú muy son lo del ser",
    "French": "le les des est une et pas pour dans avec je tu il elle nous vous sont ce cette qui mais",
    "German": "der die das und ist nicht ein eine ich du sie wir ihr mit auf für den dem sind war auch",
    "Portuguese": "o os as um uma que não com para mas eu você ele ela são dos das muito isso seu",
    "Italian": "il gli è una che non di per sono ma io lui lei noi questo questa della dei anche molto",
    "Dutch": "de het een en niet ik je jij wij zijn met op voor maar ook dat van zij was naar",
    "Turkish": "bir ve bu için değil ben sen çok ama da ne var daha gibi olan ile",
    "Indonesian": "yang dan ini itu tidak dengan untuk saya kamu mereka adalah ada akan dari juga",
    "Polish": "nie i w jest się na to że z jak ale czy są tego tak co po dla",
    "Swedish": "och är att en det som inte jag du på med av för den har till om han hon",
}
_LATIN = re.compile(r"[^\W\d_]+")
_OF = {
    word: [name for name, text in WORDS.items() if word in text.split()] for t in WORDS.values() for word in t.split()
}
_ONE = {word: names[0] for word, names in _OF.items() if len(names) == 1}


def language_of(text: str) -> str:
    """The likeliest language (or script) of a text; ``unclear`` for texts without letters, or with no word it knows."""
    letters = _LATIN.findall(text.lower())
    length = sum(map(len, letters))
    for name, ranges in () if text.isascii() else SCRIPTS.items():
        if length and len(re.findall(f"[{ranges}]", text)) >= 0.2 * length:
            return name
    counts: dict[str, int] = {}
    for word in letters:
        if word in _ONE:
            counts[_ONE[word]] = counts.get(_ONE[word], 0) + 1
    return max(counts, key=lambda name: (counts[name], name)) if counts else UNCLEAR


class Language(Derived):
    """The language of a text, by :func:`language_of`: good for telling posts in other languages apart, no more.

    Args:
        min_count, max_values: as for :class:`Category`; rare languages become "other", None becomes "missing".
    """

    def value(self, text: str) -> str:
        """The language."""
        return language_of(text)
