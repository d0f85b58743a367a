"""What a column's name says about its content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from core.roles.vocabulary import NAME_RULES, NameRule

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[가-힣]+|[^\W\d_가-힣]+[0-9]*|[0-9]+")
_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True, kw_only=True)
class NameMatch:
    """A rule that a column's name satisfies, and how many tokens (or syllables) of it."""

    rule: NameRule
    length: int


def name_tokens(name: str) -> tuple[str, ...]:
    """Return the words of a column's name: lower case, no accents, split at camelCase and signs.

    Examples
    --------
    >>> name_tokens("DateOfBirth"), name_tokens("Poštna številka"), name_tokens("환자ID")
    (('date', 'of', 'birth'), ('postna', 'stevilka'), ('환자', 'id'))
    """
    composed = unicodedata.normalize("NFKC", name)
    tokens = _TOKEN.findall(_CAMEL.sub(" ", composed))
    return tuple(_without_accents(token).casefold() for token in tokens)


def match_name(name: str) -> NameMatch | None:
    """Return the rule that explains most of a column's name, None where no rule does.

    The longest phrase wins; among equally long ones the surer rule, then the earlier one. So
    ``drug name`` is about a drug and ``date of birth`` is not about any date.
    """
    tokens = name_tokens(name)
    matches = [match for rule in NAME_RULES if (match := _match(rule, tokens)) is not None]
    return max(matches, key=lambda match: (match.length, match.rule.score), default=None)


def _match(rule: NameRule, tokens: tuple[str, ...]) -> NameMatch | None:
    lengths = [length for phrase in rule.phrases if (length := _phrase_length(phrase, tokens, rule))]
    return NameMatch(rule=rule, length=max(lengths)) if lengths else None


def _phrase_length(phrase: str, tokens: tuple[str, ...], rule: NameRule) -> int:
    """Return how much of the name the phrase explains, in letters; 0 where it does not match."""
    whole = phrase.startswith("=")
    words = _phrase_words(phrase.removeprefix("="))
    length = sum(map(len, words))
    if whole:
        return length if tokens in (words, ("".join(words),)) else 0
    if len(words) == 1 and _HANGUL.search(words[0]):
        return length if _inside_korean(words[0], tokens, rule.unless) else 0
    for start in range(len(tokens) - len(words) + 1):
        if tokens[start : start + len(words)] == words:
            rest = tokens[:start] + tokens[start + len(words) :]
            return 0 if _changes_meaning(rest, rule.unless) else length
    return _joined_length("".join(words), tokens, rule)


def _joined_length(joined: str, tokens: tuple[str, ...], rule: NameRule) -> int:
    """Return the length of a phrase written together as one token, possibly with a number behind it."""
    if "".join(tokens) == joined:
        return len(joined)
    rest = [token for token in tokens if token.rstrip("0123456789") != joined]
    if len(rest) == len(tokens) or _changes_meaning(rest, rule.unless):
        return 0
    return len(joined)


def _inside_korean(piece: str, tokens: Iterable[str], unless: frozenset[str]) -> bool:
    """Whether a Korean word holds the piece, and nothing beside it that changes the meaning."""
    for token in tokens:
        if piece in token:
            rest = token.replace(piece, " ", 1)
            return not any(_HANGUL.search(word) and word in rest for word in unless)
    return False


def _changes_meaning(rest: Iterable[str], unless: frozenset[str]) -> bool:
    return any(token in unless for token in rest)


@cache
def _phrase_words(phrase: str) -> tuple[str, ...]:
    return name_tokens(phrase)


def _without_accents(text: str) -> str:
    if _HANGUL.search(text):
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
