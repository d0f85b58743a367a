"""What the published rule counts of a column where it is; see :class:`core.tabular.rules.Scanned`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.engines import Engine, is_missing_text, key_columns, known_value, text_form, trimmed_text
from core.patterns import CATALOGUE
from core.people import (
    ADMINISTRATIVE_ENDINGS,
    CATEGORICAL_ENDINGS,
    GIVEN_NAMES_LIKE_PLACES,
    KOREAN_SURNAMES,
    WORDS_THAT_ARE_NO_NAMES,
)
from core.tables import ReadOptions
from core.tabular import values
from core.tabular.columns import MatchedColumn
from core.tabular.log import DATE_FLOOR_ACTIONS
from core.tabular.rules import Pseudonyms

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_MOST_SHAPES = 200  # of cells that speak against a column, the most frequent
_LONGEST_SHAPE = 50  # characters of a cell that its shape may depend on
_BREAKS = ["\x85", "\u2028", "\u2029"]  # ends of lines that Java allows before the end of a text
_ASK_TEXTS = {"pseudonymize", *DATE_FLOOR_ACTIONS}  # actions of which every value is looked at as text


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Two tables of one engine, the original first."""

    engines: tuple[Engine, Engine]
    options: ReadOptions
    n_records: tuple[int, int]
    unchanged: Mapping[
        tuple[str, str], int
    ]  # by columns of both, the cells that are equal in rows of one key

    def values(self, side: int, name: str) -> tuple[Expression, Callable[[Any], Any]]:
        """Return the distinct values v that are there, the rows n of each, and how values are written."""
        engine = self.engines[side]
        column: Any = engine.table[name]
        if column.type().is_string():
            grouped = _grouped(engine.table.select(v=column))
            return grouped.filter(~is_missing_text(grouped.v, self.options)), lambda text: text
        key = key_columns(engine, [name], self.options)[name]
        return _grouped(engine.table.select(v=key.value)), text_form(engine, key)

    def facts(self) -> dict[str, tuple[int, int]]:
        """Return the cells of each anonymized column that is no text: those there, those to be searched."""
        engine = self.engines[1]
        asked: dict[str, Any] = {}
        names = [name for name in engine.table.columns if _has_type(engine.table[name].type())]
        for place, name in enumerate(names):
            value = known_value(engine, name, self.options)
            may_hold = _may_hold(engine.table[name].type(), value)
            asked |= {
                f"n{place}": value.count(),
                f"m{place}": (may_hold & value.notnull()).ifelse(1, 0).sum(),
            }
        found = engine.row(engine.table.agg(**asked)) if names else {}
        counts = [int(each or 0) for each in found.values()]
        return dict(zip(names, zip(counts[::2], counts[1::2], strict=True), strict=True))

    @contextmanager
    def scanned(
        self,
        name: str,
        facts: tuple[int, int] | None,
        *,
        actions: Sequence[str],
        patterns: Sequence[str],
    ) -> Iterator[ScannedThere]:
        """Give an anonymized column while the engine keeps its texts.

        Of a column that has `facts` texts are made where they may hold a pattern alone, unless an action asks
        for all. The first of the actions says which dates are no residual.
        """
        engine = self.engines[1]
        kind = engine.table[name].type()
        found = ScannedThere(self, name, facts, action=actions[0], patterns=_possible(kind, patterns))
        asks_all = facts is None or not _ASK_TEXTS.isdisjoint(actions)
        if facts is not None and not asks_all and not facts[1]:
            yield found
            return
        grouped, written = self.values(1, name)
        grouped = grouped.mutate(may=_may_hold(kind, grouped.v))
        chosen = grouped if asks_all else grouped.filter(grouped.may)
        with engine.kept(chosen.select(v=written(chosen.v), n=chosen.n, may=chosen.may)) as texts:
            found.texts = texts
            yield found


def _grouped(cells: Expression) -> Expression:
    cells = cells.filter(cells.v.notnull())
    return cells.group_by("v").agg(n=cells.count())


def _has_type(kind: Any) -> bool:
    return bool(kind.is_numeric() or kind.is_boolean() or kind.is_date() or kind.is_timestamp())


def _possible(kind: Any, patterns: Sequence[str]) -> list[str]:
    """Return the patterns that a column of this type can hold."""
    if not _has_type(kind):
        return list(patterns)
    return [key for key in patterns if key == ("resident_number" if kind.is_numeric() else "date")]


def _may_hold(kind: Any, value: Any) -> Any:
    """Return whether a value may hold a pattern of the rule once it is text; never False where it does."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    if kind.is_boolean():
        return ibis.literal(False)
    if kind.is_date() or kind.is_timestamp():
        return ibis.literal(True)
    if kind.is_integer():
        return value >= _THIRTEEN_DIGITS
    written = value.cast("string")
    if kind.is_floating():
        return written.re_search(_THIRTEEN_DECIMALS)
    return written.re_search("[0-9]{13}" if kind.is_numeric() else _MAY_HOLD)


_THIRTEEN_DIGITS = 10**12  # the smallest number of them, as a resident number may be written
# In memory numbers from a millionth on have so many without an exponent; engines may write one.
_THIRTEEN_DECIMALS = "[.][0-9]{13}$|[eE]-0?[1-6]$"
# What is in every text that holds a pattern of the rule: no letters besides, so that it is searched quickly.
_MAY_HOLD = (
    "[0-9]{6}-?[0-9]{7}|[0-9]{2,3}-[0-9]{3,4}-[0-9]{4}|[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|@|[가-힣]{2}"
)


class ScannedThere:
    """What the rule counts of an anonymized column in an engine, asked for when it is first read."""

    def __init__(
        self,
        pair: Pair,
        name: str,
        facts: tuple[int, int] | None,
        *,
        action: str,
        patterns: Sequence[str],
    ) -> None:
        self.texts: Any = None  # v with the rows n of each, and whether it may hold a pattern
        self._pair, self._name, self._facts, self._action = pair, name, facts, action
        self._patterns = patterns

    def _row(self, question: Expression) -> dict[str, int]:
        return {key: int(value or 0) for key, value in self._pair.engines[1].row(question).items()}

    @cached_property
    def _counts(self) -> dict[str, int]:
        """Return the cells and distinct values kept, those of them to be searched, and those not plain."""
        texts = self.texts
        if texts is None:
            return {"n": 0, "distinct": 0, "may": 0, "odd": 0}
        odd = texts.may.ifelse(texts.v.re_search(_NOT_PLAIN), False)
        return self._row(
            texts.agg(
                n=texts.n.sum(),
                distinct=texts.count(),
                may=texts.may.ifelse(1, 0).sum(),
                odd=odd.ifelse(1, 0).sum(),
            )
        )

    @cached_property
    def _searched(self) -> Expression | None:
        """Return the values that may hold a pattern with which p they hold, and whether one counts, r."""
        if not self._counts["may"] or not self._patterns:
            return None
        texts = self.texts.filter(self.texts.may)
        is_plain = not self._counts["odd"]
        found = {f"p{place}": _holds(texts.v, key, is_plain) for place, key in enumerate(self._patterns)}
        flagged = texts.mutate(**found)
        residual = flagged.p0
        for key in found:
            residual = residual | flagged[key]
        if self._action in DATE_FLOOR_ACTIONS:
            residual = residual & ~_is_floor(flagged.v, decade=self._action == "date_floor_decade")
        return flagged.mutate(r=residual)

    @cached_property
    def _hits(self) -> dict[str, int]:
        """Return the cells with a pattern that counts, and those with each."""
        if self._searched is None:
            return {"r": 0}
        found = self._searched.filter(self._searched.r)
        hits = {key: found[f"p{place}"].ifelse(found.n, 0).sum() for place, key in enumerate(self._patterns)}
        return self._row(found.agg(r=found.n.sum(), **hits))

    @property
    def n_records(self) -> int:
        """Return the number of records."""
        return self._pair.n_records[1]

    @property
    def n_filled(self) -> int:
        """Return the cells that are not blank."""
        return self._counts["n"] if self._facts is None else self._facts[0]

    @property
    def n_residual(self) -> int:
        """Return the cells that hold a sensitive pattern."""
        return self._hits["r"]

    @property
    def residual_counts(self) -> Mapping[str, int]:
        """Return pattern key to the cells that hold it."""
        return {key: n for key, n in self._hits.items() if n and key != "r"}

    def residual_shapes(self) -> tuple[str, ...]:
        """Return frequent shapes of cells with a pattern."""
        if self._searched is None:
            return ()
        return self._shapes(self._searched.filter(self._searched.r), is_plain=not self._counts["odd"])

    def wrong_dates(self, *, decade: bool) -> tuple[int, tuple[str, ...]]:
        """Return the cells that are not the first day of a year, or of a decade, and frequent shapes."""
        wrong = self.texts.filter(~_is_floor(self.texts.v, decade=decade))
        odd = wrong.v.re_search(_NOT_PLAIN).ifelse(1, 0)
        found = self._row(wrong.agg(n=wrong.n.sum(), odd=odd.sum()))
        return found["n"], self._shapes(wrong, is_plain=not found["odd"]) if found["n"] else ()

    def _shapes(self, texts: Expression, *, is_plain: bool) -> tuple[str, ...]:
        """Return the most frequent shapes; the engine hides digits and letters, and the rest is done here."""
        shape = texts.v.left(_LONGEST_SHAPE).re_replace("[0-9]", "0").re_replace("[a-zA-Z]", "A")
        if not is_plain:
            for of, instead in ((r"\p{N}", "²"), (r"[\p{L}\p{M}]", "A")):
                shape = shape.re_replace(f"[{_characters(of, beyond_ascii=True)}]", instead)
        hidden = texts.select(s=shape, n=texts.n)
        grouped = hidden.group_by("s").agg(n=hidden.n.sum().cast("int64"))
        found = self._pair.engines[1].rows(
            grouped.order_by([grouped.n.desc(), grouped.s]).limit(_MOST_SHAPES), most=_MOST_SHAPES
        )
        return values.shapes_of(pa.array(found["s"], pa.string()), pa.array(found["n"], pa.int64()))

    def pseudonyms(self, match: MatchedColumn) -> Pseudonyms:
        """Return what the rule counts of pseudonyms; rows belong together by the key."""
        first, second = self._pair.n_records
        original, written = self._pair.values(0, match.original)
        n_original = int(self._pair.engines[0].row(original.agg(n=original.count()))["n"])
        if by_row := first == second:
            n_unchanged = self._pair.unchanged.get((match.original, self._name))
        else:
            ours = original.select(a=trimmed_text(written(original.v))).distinct()
            theirs = self.texts.select(b=trimmed_text(self.texts.v)).distinct()
            shared = ours.join(theirs, ours.a == theirs.b)
            n_unchanged = self._row(shared.agg(n=shared.count()))["n"]
        return Pseudonyms(
            n_filled=self.n_filled,
            n_distinct=self._counts["distinct"],
            n_distinct_original=n_original,
            n_unlike=self.n_filled - self._n_like_pseudonyms(),
            n_unchanged=n_unchanged,
            n_compared=self.n_filled if by_row else self._counts["distinct"],
            by_row=by_row,
        )

    def _n_like_pseudonyms(self) -> int:
        """Return the cells that look like pseudonyms; see `values.look_like_pseudonyms`."""
        texts = self.texts.select(t=trimmed_text(self.texts.v), n=self.texts.n)
        token = texts.t.re_search(_there(values.TOKEN))
        token = token.ifelse(texts.t.re_search("[A-Za-z]") & texts.t.re_search("[0-9]"), False)
        other = token | texts.t.re_search(_there(f"{values.UUID}|{values.SURNAME_AND_ZEROS}"))
        is_number = texts.t.re_search(values.DIGITS_ONLY)
        is_hexadecimal = texts.t.re_search(values.HEXADECIMAL)
        kinds = texts.mutate(kind=is_hexadecimal.ifelse(is_number.ifelse(1, 2), other.ifelse(3, 0)))
        n_cells = {f"k{kind}": (kinds.kind == kind).ifelse(kinds.n, 0).sum() for kind in (1, 2, 3)}
        digits, letters, others = self._row(kinds.agg(**n_cells)).values()
        n_like = letters + others + (digits if digits <= letters else 0)
        if n_like < self.n_filled and self._share_a_prefix(texts):
            return self.n_filled
        return n_like

    def _share_a_prefix(self, texts: Expression) -> bool:
        """Return whether every text is one prefix and a number; see `values.look_like_pseudonyms`."""
        split = texts.select(p=texts.t.re_replace("[0-9]+$", ""), t=texts.t)
        without = ((split.p == "") | (split.p == split.t)).ifelse(1, 0).sum()
        found = self._row(split.agg(without=without, same=(split.p.min() == split.p.max()).ifelse(1, 0)))
        return bool(found["same"]) and not found["without"]


# --- the rule's patterns as every engine reads them: no backslash, and characters named one by one

_NOT_PLAIN = "[^ -~]"  # beyond ASCII, or a control character


@cache
def _every() -> tuple[Any, pa.Array]:
    """Return all characters but the first, by number and as texts."""
    codes = np.arange(1, 0x110000, dtype=np.uint32)
    codes = codes[codes >> 11 != 0x1B]  # halves of characters
    ends = np.cumsum(1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000), dtype=np.int32)
    plain = codes.astype("<u4").tobytes().decode("utf-32-le").encode()
    return codes, pa.StringArray.from_buffers(
        len(codes), pa.py_buffer(np.append(np.int32(0), ends)), pa.py_buffer(plain)
    )


@cache
def _characters(of: str, *, beyond_ascii: bool = False) -> str:
    """Return the characters that a regex finds in memory, as ranges to stand in brackets."""
    codes, texts = _every()
    found = pc.match_substring_regex(texts, of).to_numpy(zero_copy_only=False)
    hits = codes[found & (codes >= 128 * beyond_ascii)]
    ends = np.flatnonzero(np.diff(hits) != 1)
    starts, ends = hits[np.append(0, ends + 1)].tolist(), hits[np.append(ends, len(hits) - 1)].tolist()
    return "".join(f"{chr(a)}-{chr(b)}" if b > a else chr(a) for a, b in zip(starts, ends, strict=True))


@cache
def _there(regex: str, *, is_plain: bool = False) -> str:
    """Return a regex of the rule as engines read it; of plain texts it needs no letters beyond ASCII."""
    plain = (
        *(("(?P<found>", "(?:"), (r"\-]", "-]"), (r"\d", "[0-9]"), (r"\s", "[\t\n\f\r ]")),
        *((r"\.", "[.]"), (r"\{", "[{]"), (r"\}", "[}]")),
    )
    for old, new in plain:
        regex = regex.replace(old, new)
    for kind, in_ascii in ((r"\p{L}", "a-zA-Z"), (r"\p{N}", "0-9")):
        if kind in regex:
            regex = regex.replace(kind, in_ascii if is_plain else _characters(kind))
    return regex


def _holds(value: Any, key: str, is_plain: bool) -> Any:
    """Return whether a text holds a pattern of the rule."""
    found = value.re_search(_there(CATALOGUE[key].regex, is_plain=is_plain))
    if key != "hangul_name":
        return found
    word = trimmed_text(value)
    people = f"^{_any_of(KOREAN_SURNAMES)}{_any_of(GIVEN_NAMES_LIKE_PLACES)}$"
    is_place = word.re_search(f"[{ADMINISTRATIVE_ENDINGS}]$") & ~word.re_search(people)
    is_word = word.re_search(f"^{_any_of(WORDS_THAT_ARE_NO_NAMES)}$|[{CATEGORICAL_ENDINGS}]$")
    return found.ifelse(~value.right(1).isin(_BREAKS) & ~is_place & ~is_word, False)


def _is_floor(value: Any, *, decade: bool) -> Any:
    """Return whether a text is the first day of a year, or of a decade."""
    text = trimmed_text(value)
    serials = _any_of(each for each in values.SERIALS[decade].to_pylist() if "." not in each)
    return text.re_search(f"{_there(values.floor_pattern(decade=decade))}|^{serials}([.]0)?$")


def _any_of(words: Iterable[str]) -> str:
    """Return a regex of words; as a list of values they would take long to compile."""
    return f"(?:{'|'.join(sorted(words))})"
