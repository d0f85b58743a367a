"""Text columns of a table, and the cells of them that name people."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn, CodedTable, IntArray
from core.people.free_text.models import named_by_model
from core.people.free_text.names import are_sentences, find_names, names_in_codes
from core.people.patterns import CATALOGUE, SensitivePattern, bounded, scan_values
from core.settings.reading import ModelName

_N_LOOKED_AT = 500  # distinct values that say whether a column is text
_FEWEST_TEXTS = 10  # distinct values from which a column can be text
_DISTINCT = 0.5  # distinct share from which sentences are texts and no categories
_DISTINCT_IF_LONG, _WORDS_IF_LONG, _LETTERS_IF_LONG = 0.3, 5, 30
_SYLLABLE = re.compile("[가-힣]")  # counts as two letters
# words enough to hold a name beside others
_WORDED = r"\p{L}{2}[^\s]*\s+\S*\p{L}{2}[^\s]*\s+\S|[가-힣]\s+\S*[가-힣]"
_WORDED_SHARE = 0.02  # of the values looked at, from which a column is read

_STREET = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Square|Terrace|Crescent|Close"
    "|Gardens|Grove|Mews|Way"
)
_ULICA = r"ulica|ulici|ul\.|cesta|cesti|trg|trgu|nabrežje|naselje|steza|pot|poti"
_NUMBERED = r"(?:no|nr|number|št|st|id|številka|stevilka)?[ .:#]{0,3}"
_ADDRESS = "|".join(
    (
        rf"\d{{1,5}}[A-Za-z]?,? (?:\p{{Lu}}[\p{{L}}]+ ){{1,3}}(?:{_STREET})",
        rf"\p{{Lu}}[\p{{L}}]+(?: [\p{{L}}]+)? (?i:{_ULICA}) \d{{1,3}}[a-z]?",
        r"(?:Cesta|Ulica|Pot|Trg) (?:[\p{L}]+ ){1,3}\d{1,3}[a-z]?",
        r"[가-힣]+[시군구] [가-힣0-9]+(?:로|길) ?\d+(?:-\d+)?",
        r"[가-힣]+[동읍면리] \d+(?:-\d+)?번지",
    )
)
_HOSPITAL_NUMBER = (
    r"(?i)(?:\b(?:mrn|hospital|patient|chart|case|file|record|kartotek[\p{L}]*|karton[\p{L}]*|indeks)"
    rf"[ .:#-]{{1,3}}{_NUMBERED}"
    r"|(?:등록|차트|환자|병록|의무기록) ?번호[ :은는]{0,3})(?P<found>[A-Z]{0,3}-?\d{5,12})\b"
)
_TELEPHONE = (
    r"(?i)(?:\b(?:tel|telephone|phone|mobile|cell|fax|telefon|gsm|mobitel|tel\.? št)\b"
    r"|전화|연락처|휴대폰|핸드폰)[ .:은는]{0,3}"
    r"(?P<found>\(?\d{2,5}\)?[ ./-]?\d{2,4}[ ./-]?\d{2,5}(?:[ ./-]?\d{2,4})?)|\(\d{3}\) ?\d{3}-\d{4}"
)
_PLACE = (
    r"(?:\b(?:[Ll]ives|[Ll]iving|[Rr]esident|[Bb]orn) in|(?:[Žž]ivi|[Ss]tanuje|[Rr]ojen[\p{L}]?) v"
    r"|거주지는?) (?P<found>\p{Lu}\p{Ll}+|[가-힣]+)"
)
_OWN = (
    SensitivePattern(key="address", label="", description="", regex=bounded(_ADDRESS), shortest=6),
    SensitivePattern(key="hospital_number", label="", description="", regex=_HOSPITAL_NUMBER, shortest=8),
    SensitivePattern(key="telephone", label="", description="", regex=_TELEPHONE, shortest=9),
)
_PLACES = SensitivePattern(key="place", label="", description="", regex=_PLACE, shortest=6)
_DATES = ("date", "date_other")
_NUMBERS = tuple(
    CATALOGUE[key]
    for key in (
        "email",
        "phone",
        "phone_spaced",
        "international_phone",
        "resident_number",
        "resident_number_embedded",
        "us_ssn",
        "kr_driving_licence",
        "iban",
        "card",
        "emso",
        "national_number",
        "disguised",
    )
)
# What names somebody wherever it stands: few cells of a column of codes, without words, hold it by mistake
_STRAY = tuple(
    CATALOGUE[key]
    for key in ("email", "phone", "phone_spaced", "international_phone", "us_ssn", "iban", "card", "emso")
)
MOST_STRAY = 0.05  # share of the cells; more are what the column is about, and its role says so
_DECIMAL = r"^\s*[+-]?\d*[.,]\d+(?:[eE][+-]?\d+)?\s*$"
_TITLED = r"\b(?:[Dd]r|[Pp]rof|Mr|Mrs|Ms|[Mm]ag)\.? \p{Lu}\p{Ll}"
# What is found: a kind by its pattern. Several patterns are of one kind.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "names": "names of people",
        "model": "names, by the model",
        "email": "e-mail addresses",
        "phone": "phone numbers",
        "number": "national and other personal numbers",
        "hospital_number": "hospital numbers",
        "address": "postal addresses",
        "date": "dates",
        "place": "places",
    }
)
_KIND_OF = {
    "phone_spaced": "phone",
    "international_phone": "phone",
    "telephone": "phone",
    "date_other": "date",
}
TELLS_WHO = frozenset(KINDS) - {"date", "place"}


@dataclass(frozen=True, kw_only=True, eq=False)
class TextColumn:
    """A column with words, and what was found in its cells."""

    column: str
    n_cells: int  # that hold something
    n_distinct: int
    # whether a person has to read it: sentences, mostly distinct; else there are only names beside words
    is_text: bool
    counts: Mapping[str, int]  # cells by kind, see `KINDS`; a cell with two kinds counts in both
    n_found: int  # cells with anything that tells who somebody is
    n_distinct_found: int  # distinct values among them
    n_perhaps: int  # further cells in which a listed name stands alone
    model: ModelName = "none"  # that looked for names too
    is_codes: bool = False  # whether its cells are codes, of which few hold something else
    n_cut: int = 0  # cells that go on after the letters that were read, see `core.coding.LONGEST_READ`

    def of(self, *, who: bool) -> dict[str, int]:
        """Return the cells by kind: of what tells who somebody is, or of dates and places."""
        return {kind: n for kind, n in self.counts.items() if (kind in TELLS_WHO) is who}


def measure_texts(
    table: pa.Table | CodedTable, *, skip: Collection[str] = (), model: ModelName = "none"
) -> tuple[TextColumn, ...]:
    """Look for text columns, and in all columns with words for what names people.

    Missing cells are passed over. Every cell is read, of a very long one the beginning.

    Parameters
    ----------
    table
        Columns of text; missing is null.
    skip
        Columns that are not looked at, such as those that will not be released.
    model
        A local model that looks for names too; see `core.people.free_text.models`.

    Returns
    -------
    tuple of TextColumn
        Text columns, and others in which somebody is named or a cell was not read to its end, in the order
        of the table.
    """
    columns = table if isinstance(table, CodedTable) else CodedTable(table=table, keeps=False)
    names = [name for name in columns.table.column_names if name not in skip]
    read = (_measure(name, columns[name], model) for name in names)
    return tuple(found for found in read if found is not None)


def _measure(name: str, column: CodedColumn, model: ModelName) -> TextColumn | None:
    n_distinct, (column, goes_on) = column.n_distinct, column.beginnings
    sample = _spread(column.values)
    if not len(sample):
        return None
    is_codes = not _is_worded(sample)
    if not is_codes:
        is_text = is_text_column(sample.to_pylist(), n_distinct=n_distinct, n_cells=column.n_filled)
        masks, perhaps = _found(column, model if is_text else "none")
    else:
        is_text, perhaps = False, np.zeros(len(column.values), dtype=np.bool_)
        masks = _stray(column)
    who = _who(masks, len(column.values))
    if not is_text and not who.any() and not goes_on.any():
        return None
    return TextColumn(
        column=name,
        n_cells=column.n_filled,
        n_distinct=n_distinct,
        is_text=is_text,
        counts={kind: column.n_cells(masks[kind]) for kind in KINDS if kind in masks},
        n_found=column.n_cells(who),
        n_distinct_found=len(pc.unique(column.values.filter(pa.array(who)))),
        n_perhaps=column.n_cells(perhaps & ~who),
        model=model,
        is_codes=is_codes,
        n_cut=column.n_cells(goes_on),
    )


def is_text_column(sample: Sequence[str], *, n_distinct: int, n_cells: int) -> bool:
    """Whether a column of which some distinct values are known holds free text: sentences, mostly distinct.

    Long ones may repeat more.
    """
    if n_distinct < _FEWEST_TEXTS or n_distinct < _DISTINCT_IF_LONG * n_cells:
        return False
    are_long = np.median([len(value.split()) for value in sample]) >= _WORDS_IF_LONG
    if (
        are_long
        and np.mean([len(value) + len(_SYLLABLE.findall(value)) for value in sample]) >= _LETTERS_IF_LONG
    ):
        return True
    return n_distinct >= _DISTINCT * n_cells and are_sentences(sample)


def _stray(column: CodedColumn) -> dict[str, BoolArray]:
    """Return which distinct values of a column of codes hold what names somebody, where few cells do."""
    masks: dict[str, BoolArray] = {}
    is_decimal = pc.match_substring_regex(column.values, _DECIMAL).to_numpy(zero_copy_only=False)
    for key, mask in scan_values(column, _STRAY).masks.items():
        kind = _KIND_OF.get(key, key)
        kind = kind if kind in KINDS else "number"
        found = mask & ~is_decimal
        if found.any() and column.n_cells(found) <= MOST_STRAY * column.n_filled:
            masks[kind] = masks[kind] | found if kind in masks else found
    named = names_in_codes(column.values)
    if named.any() and column.n_cells(named) <= MOST_STRAY * column.n_filled:
        masks["names"] = named
    return masks


def _spread(values: pa.Array) -> pa.Array:
    """Return some of the values, evenly spaced."""
    step = -(-len(values) // _N_LOOKED_AT) or 1
    return values.take(pa.array(np.arange(0, len(values), step)))


def _is_worded(sample: pa.Array) -> bool:
    """Whether values have words enough to hold a name beside others, or somebody's title."""
    if pc.any(pc.match_substring_regex(sample, _TITLED)).as_py():
        return True
    worded = pc.match_substring_regex(sample, _WORDED)
    return bool(pc.mean(worded.cast(pa.int8())).as_py() >= _WORDED_SHARE)


def records_that_name(table: pa.Table, text: TextColumn) -> IntArray:
    """Return the positions of the records whose cell of a text column tells who somebody is."""
    column, _ = CodedTable(table=table, keeps=False)[text.column].beginnings
    masks, _ = _found(column, text.model if text.is_text else "none")
    places = np.flatnonzero(column.codes >= 0)
    return np.asarray(places[_who(masks, len(column.values))[column.codes[places]]], dtype=np.int64)


def _who(masks: Mapping[str, BoolArray], n_values: int) -> BoolArray:
    """Return which distinct values tell who somebody is."""
    told = [mask for kind, mask in masks.items() if kind in TELLS_WHO]
    return np.logical_or.reduce([np.zeros(n_values, dtype=np.bool_), *told])


def _found(column: CodedColumn, model: ModelName) -> tuple[dict[str, BoolArray], BoolArray]:
    """Return which distinct values hold which kind, and in which a name may stand alone."""
    masks: dict[str, BoolArray] = {}
    named = find_names(column.values)
    found = [("names", named.surely), *_patterns(column)]
    if model != "none":
        found.append(("model", named_by_model(model, column.values)))
    for kind, mask in found:
        if mask.any():
            masks[kind] = masks[kind] | mask if kind in masks else mask
    return masks, named.perhaps


def _patterns(column: CodedColumn) -> Iterator[tuple[str, BoolArray]]:
    dates = tuple(CATALOGUE[key] for key in _DATES)
    for key, mask in scan_values(column, (*_NUMBERS, *_OWN, *dates, _PLACES)).masks.items():
        kind = _KIND_OF.get(key, key)
        yield kind if kind in KINDS else "number", mask
