"""What a tool is asked, by name: files by role, settings, options; and what the words of a report ask."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from core.settings.form import NONE
from core.settings.options import Option, place
from core.tools import Tool
from core.words import Text, input_error, own, text

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_SECRET, _ANY_SECRET = "SEED", 0  # what stands for a secret in the words of a report, and here


class Asked(SimpleNamespace):
    """The value of each option of a tool's command by name, as given or as usual."""


def as_usual(tool: Tool) -> dict[str, Any]:
    """Return what a tool is asked where nothing is given."""
    return {told.dest: told.usual for told in tool.asks if not told.sets}


def converter(told: Option) -> Callable[[str], Any]:
    """Return what makes a value of a word of the command line; ValueError where it is none."""
    if told.kind in (int, float):
        return _number_or_none(told.kind) if told.may_be_none else told.kind
    if told.kind is Path:
        return place if told.in_engine else Path
    return str


def _number_or_none(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(word: str) -> Any:
        return NONE if word == "none" else kind(word)

    read.__name__ = kind.__name__  # argparse names it where a word is no number
    return read


def excluding(tool: Tool) -> Iterator[tuple[Option, Option]]:
    """Yield the options of a tool that cannot stand beside each other."""
    for told in tool.asks:
        if told.excludes:
            yield told, next(each for each in tool.asks if each.dest == told.excludes and each is not told)


def words_asked(tool: Tool, words: Sequence[str], *, refused: str) -> dict[str, Any]:
    """Return what the words of a report ask, by name; only what they say, in the words' own form.

    Raises
    ------
    AuditInputError
        `refused` with the reason: words that no report has, such as options that write files.
    """
    try:
        return _Words(tool).read(words)
    except _WrongWordsError as wrong:
        raise input_error(refused, reason=wrong.reason) from None


class _WrongWordsError(Exception):
    def __init__(self, reason: Text) -> None:
        super().__init__(reason)
        self.reason = reason


class _Words:
    """A strict reader of words as reports write them (:func:`core.settings.form.option_of`)."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.asked: dict[str, Any] = {}
        self.used: list[Option] = []

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        known = {flag: told for told in self.tool.asks for flag in told.flags}
        rest, places = deque(words), []
        while rest:
            word = rest.popleft()
            flag, equals, attached = word.partition("=")
            if _is_value(word):
                places.append(word)
            elif flag in known:
                told = known[flag]
                self._take(told, [attached] if equals else [*_values(told, rest)])
            else:
                raise _WrongWordsError(text("unrecognized arguments: {words}", words=word))
        self._place(places)
        self._check()
        return self.asked

    def _take(self, told: Option, given: Sequence[str]) -> None:
        """Keep the values of an option."""
        _check_number(told, given)
        self.used.append(told)
        values = [_value(told, each) for each in given]
        are_several = told.is_several or told.n_values > 1
        if told.kind is bool:
            self.asked[told.dest] = told.to if told.sets else True
        elif told.adds_up:
            self.asked.setdefault(told.dest, []).append(values if are_several else values[0])
        elif told.is_several:
            self.asked.setdefault(told.dest, []).extend(values)
        else:
            self.asked[told.dest] = values if are_several else values[0]

    def _place(self, places: list[str]) -> None:
        """Give the words without an option to the arguments that stand by their place."""
        left = deque(places)
        for told in self.tool.asks:
            if not told.flags and left:
                n = len(left) if told.is_several else 1
                self._take(told, [left.popleft() for _ in range(n)])
        if left:
            raise _WrongWordsError(text("unrecognized arguments: {words}", words=" ".join(left)))

    def _check(self) -> None:
        """Refuse what is of one run alone, what excludes each other, and words that name no input."""
        for told in self.used:
            if told.use == "once":
                raise _WrongWordsError(own(told.dest))
        for one, other in excluding(self.tool):
            if one in self.used and other in self.used:
                beside = "argument {option}: not allowed with argument {other}"
                raise _WrongWordsError(text(beside, option=_name(other), other=_name(one)))
        needed = [told for told in self.tool.asks if told.is_needed]
        if absent := [_name(told) for told in needed if told.dest not in self.asked]:
            required = "the following arguments are required: {names}"
            raise _WrongWordsError(text(required, names=", ".join(absent)))


def _is_value(word: str) -> bool:
    """Return whether a word is no option."""
    return not word.startswith("-") or bool(_NUMBER.fullmatch(word)) or " " in word.partition("=")[0]


def _values(told: Option, rest: deque[str]) -> Iterator[str]:
    """Take the words behind an option that are its values."""
    n = 0 if told.kind is bool else len(rest) if told.is_several else told.n_values
    while rest and n and _is_value(rest[0]):
        n -= 1
        yield rest.popleft()


def _check_number(told: Option, given: Sequence[str]) -> None:
    """Refuse too few values, and one of an option that takes none."""
    n = told.n_values
    if told.kind is bool:
        if given:
            explicit = "argument {option}: ignored explicit argument {value}"
            raise _WrongWordsError(text(explicit, option=_name(told), value=repr(given[0])))
    elif told.is_several:
        if not given:
            raise _WrongWordsError(
                text("argument {option}: expected at least one argument", option=_name(told))
            )
    elif len(given) != n:
        expected = "argument {option}: expected {n} arguments" if n > 1 else _ONE
        raise _WrongWordsError(text(expected, option=_name(told), n=n))


_ONE = "argument {option}: expected one argument"


def _value(told: Option, word: str) -> Any:
    if told.secret and word == _SECRET:
        return _ANY_SECRET
    if not told.is_field and told.choices and word not in told.choices:
        choice = "argument {option}: invalid choice: {value} (choose from {choices})"
        choices = ", ".join(map(repr, told.choices))
        raise _WrongWordsError(text(choice, option=_name(told), value=repr(word), choices=choices))
    read = converter(told)
    try:
        return read(word)
    except ValueError:
        invalid = "argument {option}: invalid {kind} value: {value}"
        kind, value = read.__name__, repr(word)
        raise _WrongWordsError(text(invalid, option=_name(told), kind=kind, value=value)) from None


def _name(told: Option) -> str:
    """Return what an option is called where it is refused."""
    return "/".join(told.flags) or told.metavar or told.name
