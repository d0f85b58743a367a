"""The languages that pages, reports and commands speak, and their catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

ENGLISH = "en"
BRACKETS = "brackets"  # every message between brackets, so that a test sees what is none
LANGUAGES: Mapping[str, str] = MappingProxyType({ENGLISH: "English", "ko": "한국어", "sl": "Slovenščina"})
FOLDER = Path(__file__).parents[1] / "locale"
_SEPARATORS = re.compile(r"(?<=\d)[.,](?=\d)")
# The forms in the order of a catalogue, by the names that CLDR gives them.
PLURAL_FORMS: Mapping[str, Sequence[str]] = {"ko": ("other",), "sl": ("one", "two", "few", "other")}
_Forms = Mapping[tuple[str, str], tuple[str, ...]]


class Language:
    """English: messages are what they are."""

    def __init__(self, code: str) -> None:
        self.code = code

    def template(self, message: str, plural: str, n: int | None) -> str:
        """Return a message in this language, in the form that a count asks for."""
        return plural if plural and n != 1 else message

    def number(self, english: str) -> str:
        """Return a number that is written as in English, with this language's separators."""
        return english

    def settled(self, sentence: str) -> str:
        """Return a sentence whose words take the forms that the values in it ask for."""
        return sentence


class Bracketed(Language):
    """English between brackets."""

    def template(self, message: str, plural: str, n: int | None) -> str:
        """Return the message in brackets; what has no words of its own stays."""
        found = super().template(message, plural, n)
        return f"⟦{found}⟧" if re.search(r"[^\W\d_]", re.sub(r"\{\w*\}", "", found)) else found

    def number(self, english: str) -> str:
        """Return a number as it is, words in its place between brackets."""
        return self.template(english, "", None)


class Translated(Language):
    """A language with catalogues in ``locale/<code>``, one for each tool."""

    def __init__(self, code: str) -> None:
        from babel import Locale  # noqa: PLC0415 - takes long to import

        super().__init__(code)
        symbols = Locale.parse(code).number_symbols["latn"]
        self._separators = {",": str(symbols["group"]), ".": str(symbols["decimal"])}
        self._forms = _forms(code)
        self._plural_rule = Locale.parse(code).plural_form

    def template(self, message: str, plural: str, n: int | None) -> str:
        """Return the message's translation; English where there is none."""
        found = self._forms.get((message, plural))
        if found is None:
            return super().template(message, plural, n)
        if n is None or len(found) == 1:
            return found[0]
        return found[PLURAL_FORMS[self.code].index(self._plural_rule(n))]

    def number(self, english: str) -> str:
        """Return the number with this language's separators, such as "not assessed" in its words."""
        if words := self._forms.get((english, "")):
            return words[0]
        return _SEPARATORS.sub(lambda found: self._separators[found[0]], english)

    def settled(self, sentence: str) -> str:
        """Return a Korean sentence with the form of each particle that the letter before it asks for.

        Both stay after what nobody knows how to read, such as a word in Latin letters.
        """
        return _PARTICLE.sub(_particle, sentence) if self.code == "ko" and "(" in sentence else sentence


# A particle in both forms after the letter that decides, maybe in quotes.
_PARTICLE = re.compile(
    r"(?P<before>[가-힣0-9%])(?P<marks>[`\"'”’」』]{0,3})"
    r"(?P<both>은\(는\)|이\(가\)|을\(를\)|과\(와\)|와\(과\)|\(으\)로)"
)
_FORMS = {
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "과(와)": ("과", "와"),
    "와(과)": ("과", "와"),
    "(으)로": ("으로", "로"),
}  # after a consonant, and after a vowel
_FIRST_SYLLABLE, _N_ENDINGS, _RIEUL = ord("가"), 28, 8
_READ_AS = dict(zip("0123456789%", "십일이삼사오육칠팔구트", strict=True))


def _particle(found: re.Match[str]) -> str:
    letter = found["before"]
    syllable = _READ_AS.get(letter, letter)
    ending = (ord(syllable) - _FIRST_SYLLABLE) % _N_ENDINGS
    ends_in_vowel = not ending or (ending == _RIEUL and found["both"] == "(으)로")
    return letter + found["marks"] + _FORMS[found["both"]][ends_in_vowel]


@cache
def language(code: str) -> Language:
    """Return a language by its code; English for one that is not known."""
    if code == BRACKETS:
        return Bracketed(code)
    return Translated(code) if code in LANGUAGES and code != ENGLISH else Language(ENGLISH)


def translated(code: str) -> bool:
    """Return whether a language has a catalogue."""
    return any((FOLDER / code).glob("*.po"))


def catalogues(code: str) -> Iterator[tuple[Path, Catalog]]:
    """Read the catalogues of a language, in the order of their names."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - takes long to import

    for path in sorted((FOLDER / code).glob("*.po")):
        with path.open("rb") as file:
            yield path, read_po(file, locale=code)


def _forms(code: str) -> _Forms:
    """Return the translations of a language by message and plural, those alone that are complete."""
    return {
        key: forms
        for _, catalogue in catalogues(code)
        for message in catalogue
        if message.id and not message.fuzzy
        for key, forms in (_form(message),)
        if all(forms)
    }


def _form(message: Message) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return a message and its plural, and its forms in a catalogue."""
    said = message.string or ""
    forms = (said,) if isinstance(said, str) else tuple(said)
    return ((message.id, "") if isinstance(message.id, str) else (message.id[0], message.id[1])), forms
