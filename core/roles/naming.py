"""What a column's name says about its content."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
    matches = (*_whole_names(tokens), *_phrases(tokens), *_joined_phrases(tokens), *_korean_pieces(tokens))
    return max(matches, key=lambda match: (match.length, match.rule.score), default=None)


def _whole_names(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase that is the whole name, its words written together or not."""
    joined = "".join(tokens)
    for rule in (*_VOCABULARY.whole.get(joined, ()), *_VOCABULARY.joined.get(joined, ())):
        yield NameMatch(rule=rule, length=len(joined))


def _phrases(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase among the tokens, unless a token beside it changes the meaning."""
    for start, token in enumerate(tokens):
        for rule, words in _VOCABULARY.by_first_word.get(token, ()):
            end = start + len(words)
            if tokens[start:end] == words and not _changes_meaning(tokens[:start] + tokens[end:], rule):
                yield NameMatch(rule=rule, length=sum(map(len, words)))


def _joined_phrases(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase written together as one token, possibly with a number behind it."""
    for i, token in enumerate(tokens):
        word = token.rstrip("0123456789")
        for rule in _VOCABULARY.joined.get(word, ()):
            if not _changes_meaning(tokens[:i] + tokens[i + 1 :], rule):
                yield NameMatch(rule=rule, length=len(word))


def _korean_pieces(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a Korean phrase inside a word."""
    if any(_HANGUL.search(token) for token in tokens):
        for rule, piece in _VOCABULARY.korean:
            if _inside_korean(piece, tokens, rule.unless):
                yield NameMatch(rule=rule, length=len(piece))


def _inside_korean(piece: str, tokens: Iterable[str], unless: frozenset[str]) -> bool:
    """Whether a Korean word holds the piece, and nothing beside it that changes the meaning."""
    for token in tokens:
        if piece in token:
            rest = token.replace(piece, " ", 1)
            return not any(_HANGUL.search(word) and word in rest for word in unless)
    return False


def _changes_meaning(rest: Iterable[str], rule: NameRule) -> bool:
    return any(token in rule.unless for token in rest)


def _without_accents(text: str) -> str:
    if _HANGUL.search(text):
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


class _Vocabulary:
    """The phrases of all rules, by what a name is looked up with."""

    def __init__(self, rules: Iterable[NameRule]) -> None:
        self.whole: dict[str, list[NameRule]] = defaultdict(list)
        self.joined: dict[str, list[NameRule]] = defaultdict(list)
        self.by_first_word: dict[str, list[tuple[NameRule, tuple[str, ...]]]] = defaultdict(list)
        self.korean: list[tuple[NameRule, str]] = []
        for rule in rules:
            for phrase in rule.phrases:
                self._add(rule, phrase)

    def _add(self, rule: NameRule, phrase: str) -> None:
        words = name_tokens(phrase.removeprefix("="))
        if phrase.startswith("="):
            self.whole["".join(words)].append(rule)
        elif len(words) == 1 and _HANGUL.search(words[0]):
            self.korean.append((rule, words[0]))
        else:
            self.by_first_word[words[0]].append((rule, words))
            self.joined["".join(words)].append(rule)


_VOCABULARY = _Vocabulary(NAME_RULES)
