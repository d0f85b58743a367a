"""Sentences that know what they were made of, and are said in a language at the edges.

Audits, errors and views hold English: a literal, or a :class:`Text` made by :func:`text`, which is its own
English sentence and remembers message and values beside it. Pages, reports and the command line say it
with :func:`say`, in the language asked for at that moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import Any

from core.errors import AuditInputError
from core.languages import ENGLISH, Language, language
from core.measures.measure import Unit, format_number

Value = Any  # a str as typed by the person, an int, a Text, or a sequence of names
Plain = str | dict[str, Any]
_NO_NAME = re.compile(r"\{(?!\w+\})")  # an opening brace that is not one of a value's name
_LONGEST = 1 << 16  # letters that values may take in a text of another process or of a file
_SMALL_SHARE = 0.01  # of a total, below which a part is told as a count
_FIXED: ContextVar[str] = ContextVar("_FIXED", default="")
_deciding: list[Callable[[], str]] = []  # the function that decides, once there is one


class Text(str):
    """An English sentence that can be said in other languages.

    `message` and `plural` (for all counts but one, or empty) are what translators see, with names of values
    in braces; `n` is the count that decides between them; `values` stand in the braces: numbers, texts, and
    names and words of files, which are never translated.
    """

    __slots__ = ("message", "n", "plural", "values")
    message: str
    plural: str
    n: int | None
    values: Mapping[str, Value]

    def __new__(cls, message: str, plural: str, n: int | None, values: Mapping[str, Value]) -> Text:
        """Make the English sentence."""
        template = plural if plural and n != 1 else message
        if values:
            template = template.format(**{key: _in_english(one) for key, one in values.items()})
        made = super().__new__(cls, template)
        made.message, made.plural, made.n, made.values = message, plural, n, values
        return made

    def __reduce__(self) -> tuple[type[Text], tuple[str, str, int | None, Mapping[str, Value]]]:
        return Text, (self.message, self.plural, self.n, self.values)

    def __deepcopy__(self, _memory: object) -> Text:
        return self

    def said(self, spoken: Language) -> str:
        """Return the sentence in a language; English where that has no translation of it."""
        template = spoken.template(self.message, self.plural, self.n)
        if not self.values:
            return template
        return spoken.settled(
            template.format(**{key: _said(one, spoken) for key, one in self.values.items()})
        )


class Written(Text):
    """A number as it is written in English, such as one with all its decimals."""

    __slots__ = ()

    def __new__(cls, written: str) -> Written:
        """Keep how it is written."""
        made = str.__new__(cls, written)
        made.message, made.plural, made.n, made.values = written, "", None, {}
        return made

    def __reduce__(self) -> tuple[type[Written], tuple[str]]:  # type: ignore[override]
        return Written, (str(self),)

    def said(self, spoken: Language) -> str:
        """Return the number as the language writes it."""
        return spoken.number(str(self))


def text(message: str, plural: str = "", /, *, n: int | None = None, **values: Value) -> Text:
    """Make a sentence of a message and its values.

    Parameters
    ----------
    message, plural
        Whole sentences in English, with the values' names in braces and ``{n}`` for the count: that is what
        is translated. `plural` is for all counts but one.
    n
        The count, where the sentence has one that decides its form.
    **values
        Integers are written with separators, sequences as lists of names, texts are said in the language,
        other strings stand as they are. Shares and decimals go through :func:`percent` and :func:`number`.

    >>> text("{n} record of {file} is unique.", "{n} records of {file} are unique.", n=1234, file="a.csv")
    '1,234 records of a.csv are unique.'
    """
    if isinstance(message, Text) and not values:
        return message
    if n is not None:
        values["n"] = n
    return Text(message, plural, n, values)


def input_error(
    message: str, plural: str = "", /, *, n: int | None = None, **values: Value
) -> AuditInputError:
    """Return the error of an input, its one problem told as :func:`text` tells it."""
    return AuditInputError(text(message, plural, n=n, **values))


def joined(texts: Sequence[str], separator: str = " ") -> Text:
    """Return texts one after the other, each said by itself."""
    values = {f"part_{position}": own(one) for position, one in enumerate(texts)}
    return Text(separator.join(f"{{{key}}}" for key in values), "", None, values)


def say(words: str, plural: str = "", /, *, n: int | None = None, **values: Value) -> str:
    """Return a text, or a message with its values, in the language asked for now."""
    if values or n is not None:
        words = text(words, plural, n=n, **values)
    return own(words).said(_spoken())


def ask_language_by(current: Callable[[], str]) -> None:
    """Let a function decide for every :func:`say` which language is spoken, such as a session's choice."""
    _deciding[:] = [current]


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak one language for a while, such as English in files for programs."""
    token = _FIXED.set(code)
    try:
        yield
    finally:
        _FIXED.reset(token)


def spoken_language() -> str:
    """Return the code of the language spoken now."""
    return _spoken().code


def _spoken() -> Language:
    return language(_FIXED.get() or (_deciding[0]() if _deciding else ENGLISH))


def counted(n: int, one: str, many: str | None = None) -> Text:
    """Return such as "1 record" or "1,234 records".

    >>> counted(1, "record"), counted(1234, "class", "classes")
    ('1 record', '1,234 classes')
    """
    return text(f"{{n}} {one}", f"{{n}} {many or one + 's'}", n=n)


def share_of(n: int, total: int, noun: str = "") -> Text:
    """Return such as "40 of 928 rows (4.3 %)"; what is less than one in a hundred is told as a count alone.

    >>> share_of(1, 3), share_of(99_999, 100_000), share_of(5, 5, "rows"), share_of(3, 5_000), share_of(0, 0)
    ('1 of 3 (33.3 %)', '99,999 of 100,000 (> 99.9 %)', '5 of 5 rows (100 %)', '3 of 5,000', '0 of 0')
    """
    tail = f" {noun}" if noun else ""
    if not total or _is_small(n, total):
        return text(f"{{found}} of {{total}}{tail}", found=n, total=total)
    return text(f"{{found}} of {{total}}{tail} ({{share}})", found=n, total=total, share=percent(n / total))


def part_of(share: float | None, total: int | None, noun: str = "") -> Text:
    """Return such as "4.3 % of rows"; what is less than one in a hundred of a total is told as a count.

    Without a total, as where the share is estimated from a sample, it is percent.

    >>> part_of(0.5, 5_000), part_of(0.0006, 5_000, "users"), part_of(0.0006, None)
    ('50.0 %', '3 of 5,000 users', '< 0.1 %')
    """
    if share is not None and total and _is_small(n := round(share * total), total):
        return share_of(n, total, noun)
    return text(f"{{share}} of {noun}", share=percent(share)) if noun else percent(share)


def _is_small(n: int, total: int) -> bool:
    return 0 < n < _SMALL_SHARE * total


def percent(share: float | None) -> Text:
    """Return a share in [0, 1] as percent; rounding never makes something nothing, nor a part the whole.

    >>> percent(1.0), percent(0.99999), percent(0.5), percent(0.00001), percent(0.0)
    ('100 %', '> 99.9 %', '50.0 %', '< 0.1 %', '0 %')
    """
    return amount("share", share)


def number(value: float) -> Text:
    """Return a number with up to three decimals."""
    return amount("number", value)


def amount(unit: Unit, value: float | None) -> Text:
    """Return a number of a unit; see :func:`core.measures.measure.format_number`."""
    return Written(format_number(unit, value))


def listed(names: Sequence[str], *, at_most: int = 8) -> Text:
    """Return names as code, separated by commas; beyond `at_most` only how many more there are.

    >>> listed(["a", "b", "c"], at_most=2)
    '`a`, `b` and 1 more'
    """
    shown = ", ".join(f"`{name}`" for name in names[:at_most])
    rest = len(names) - at_most
    return (
        text("{names} and {more} more", names=shown, more=rest) if rest > 0 else text("{names}", names=shown)
    )


def plain_text(words: str) -> Plain:
    """Return a text as JSON can hold it, for another process."""
    if isinstance(words, Written):
        return {"written": str(words)}
    if isinstance(words, Text):
        values = {key: plain_text(one) if isinstance(one, str) else one for key, one in words.values.items()}
        return {"message": words.message, "plural": words.plural, "n": words.n, "values": values}
    return words


def text_of(plain: Plain) -> str:
    """Return a text from what :func:`plain_text` made of it; ValueError where that asks for more than values.

    The other process may say anything: braces could ask for attributes, or for a width that fills the memory,
    and a few values within values could be repeated without end.
    """
    if isinstance(plain, str):
        return plain
    if "written" in plain:
        return Written(plain["written"])
    message, plural = plain["message"], plain["plural"]
    values = {
        key: text_of(one) if isinstance(one, str | dict) else one
        for key, one in dict(plain["values"]).items()
    }
    if values and _NO_NAME.search(f"{message}{plural}"):
        raise ValueError("Braces hold names of values alone.")
    template = f"{message}{plural}"
    if sum(len(str(one)) * template.count(f"{{{key}}}") for key, one in values.items()) > _LONGEST:
        raise ValueError("values within values without end")
    return Text(message, plural, plain["n"], values)


def own(words: str) -> Text:
    """Return words of ours as a text; a literal one has no values."""
    return words if isinstance(words, Text) else Text(words, "", None, {})


def _in_english(value: Value) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, Integral | Sequence):
        raise TypeError(f"Say how a {type(value).__name__} is written.")
    return f"{int(value):,}" if isinstance(value, Integral) else str(listed(value))


def _said(value: Value, spoken: Language) -> str:
    if isinstance(value, Text):
        return value.said(spoken)
    if isinstance(value, Integral):
        return spoken.number(f"{int(value):,}")
    return str(value) if isinstance(value, str) else listed(value).said(spoken)
