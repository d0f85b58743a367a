"""Dates in words or of another calendar, written as ISO 8601 where they stand: as a cell or inside a text.

The time of day that follows a date in a cell is written in digits too, whatever words or signs it has.

Names of months are those of CLDR, in whatever case; the language is the one that knows most of a column's.
Of calendars, Japanese eras, the Republic of China's, the Thai, the Korean and the Iranian one are converted
exactly, the Islamic one by its arithmetic rule, a day off at most.

>>> iso_dates(pa.array(["12. März 1958", "Mittwoch, 3. Mai 1961", "昭和33年3月12日"])).to_pylist()
['1958-03-12', '1961-05-03', '1958-03-12']
"""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.values.letters import without_accents

_LANGUAGES = """
en de fr es it pt nl pl sl ko ro cs sk hu sv da fi nb et lv lt hr sr bs mk bg el ru uk be tr ca gl eu ga cy
is sq mt id ms th lo hi bn ar he ka hy az kk uz
""".split()  # noqa: SIM905 - a list of fifty lines is no easier to read
_IRANIAN = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()  # noqa: SIM905
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
# The year before the first one of an era, and the last one of an era that is over.
_ERAS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        **dict.fromkeys(("明治", "M"), (1867, 45)),
        **dict.fromkeys(("大正", "T"), (1911, 15)),
        **dict.fromkeys(("昭和", "S"), (1925, 64)),
        **dict.fromkeys(("平成", "H"), (1988, 31)),
        **dict.fromkeys(("令和", "R"), (2018, 99)),
        **dict.fromkeys(("民國", "民国"), (1911, 199)),
        **dict.fromkeys(("단기", "檀紀"), (-2333, 9999)),
        **dict.fromkeys(("佛曆", "佛历", "พ.ศ."), (-543, 9999)),
        **dict.fromkeys(("西暦", "西元", "公元", "서기", "ค.ศ."), (0, 9999)),
    }
)
_HAN = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "元": 1}
_BUDDHIST, _IN_BUDDHIST = 543, range(2443, 2644)
_REPUBLIC, _IN_REPUBLIC = 1911, range(1, 200)
_IN_IRANIAN_OR_ISLAMIC = range(1300, 1451)
_LAST_IRANIAN = 1405  # a later one is Islamic; so are 250 days of which none is a 31st (a chance of 1 in 60)
_WITHOUT_31ST = 250
_TURN = 31  # a year of two digits counts as 19.. from here on; as `core.values.dates.CENTURY_TURNS`
_SHORTEST, _ENDING = 3, 2  # letters that a month's name begins with; and of an ending that replaces its own
_NEARLY_ALL = 0.95
_FEWEST = 3  # values of numbers alone, each of which is a day in 1 of 27 cases by chance
_MANY = 100_000  # records, from which coding columns that hold no such date takes long
_GLANCE = 2_000  # texts that show whether any date is there

_LETTER = "[A-Za-zÀ-῿]"
_MAY_BE = (  # a quick look at what every date in words has
    rf"(?:^|[^A-Za-z0-9])[0-9]{{1,2}}[^0-9]{{0,8}}{_LETTER}{{2}}[^0-9]{{0,14}}[12][0-9]{{3}}(?:[^A-Za-z0-9]|$)"
    rf"|^[0-9]{{1,2}}[^A-Za-z0-9]{{0,2}}{_LETTER}{{3,}}[^0-9]{{0,3}}[0-9]{{2}}(?:$|[T ,:]+[0-9]{{1,2}}[.:])"
    rf"|{_LETTER}{{3,}}[. ]{{1,2}}[0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}"
    rf"|{_LETTER}{{3,}}\.?,?[-/ ][12][0-9]{{3}}(?:[^0-9]|$)"
    rf"|\b[12][0-9]{{3}}[., -]{{1,2}}(?:[^0-9 ]{{1,4}} )?{_LETTER}{{3,}}\.?[- ][0-9]{{1,2}}\b"
    r"|[0-9][-./ ]{1,2}[IVX]{1,4}[-./ ]{1,2}[0-9]{4}|(?:^|[^A-Za-z0-9])[MTSHR][0-9]{1,2}[-./]?[0-9]"
    r"|昭和|平成|令和|大正|明治|民國|民国|단기|檀紀|佛曆|佛历|[元0-9〇一二三四五六七八九十] ?[年년]"
    r"|[０-９٠-٩۰-۹०-९๐-๙]"
    r"|^\[[0-9]{1,4}[-./]|^[0-9]{1,4}[-./ ].*[時时시]|[AaPp]\. ?[Mm]\.$|[0-9] (?:Uhr|ur[ia]|óra|h)$"
    r"|^[0-9]{1,4}[-./ ].*[0-9.)] \(?[^0-9 :()]{1,8}\)?,? ?[0-9]{1,2} ?[:.h時时시]"
)
_WORD = r"(?P<name>[^\W\d_][^\s\d,;/()\-]{2,19}|[IVX]{1,4})"
_FROM = (
    r"(?<![A-Za-z0-9])(?<!\d[.,/-])(?P<day>\d{1,2})(?:st|nd|rd|th|er|ère|[º°ª.])?[-/.\s]{0,2}"
    r"(?:(?:de|of|di)\s|d['’])?"
)
_END = r"(?![A-Za-z0-9])(?:\.(?![\w.])|\s?[^\W\d_]\.(?!\w))?"
_NUMBER = "(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})"
_LONG_ERAS = "|".join(re.escape(era) for era in _ERAS if len(era) > 1)
_IN_WORDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_FROM}{_WORD},?[-/.\s]{{0,2}}(?:(?:de|del|of|พ\.ศ\.|ค\.ศ\.)\s)?(?P<year>\d{{4}}){_END}",
        rf"(?<!\w){_WORD}\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}}){_END}",
        rf"(?<!\d)(?P<year>\d{{4}})[.,]?[- ](?:[^\W\d_]{{1,4}}\.? )?{_WORD}\.?[- ](?P<day>\d{{1,2}}){_END}",
        rf"^{_WORD}\.?,?[-/ ](?P<year>\d{{4}}){_END}$",
    )
)
_SHORT = re.compile(
    rf"^(?P<day>\d{{1,2}})[. /-]{{0,2}}{_WORD}[. /-]{{0,2}}'?(?P<year>\d{{2}})(?=$|[T ,:]+\d{{1,2}}[.:])"
)
_IN_SIGNS = re.compile(
    rf"(?:(?P<era>{_LONG_ERAS})\s?|(?<![0-9]))(?P<year>元|[0-9]{{1,4}}|[〇零一二三四五六七八九十]{{1,4}})\s?[年년]"
    rf"\s?(?P<month>{_NUMBER})\s?[月월](?:\s?(?P<day>{_NUMBER})\s?[日일號号])?"
)
_OF_AN_ERA = re.compile(
    rf"(?P<era>{_LONG_ERAS}|(?<![A-Za-z0-9])[MTSHR])[. ]{{0,2}}(?P<year>元|[0-9]{{1,4}})[-./年]"
    r"(?P<month>[0-9]{1,2})[-./月](?P<day>[0-9]{1,2})(?![0-9])日?"
)
_COMPACT_ERA = re.compile(r"^(?P<era>[MTSHR])(?P<year>[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})$")
_NUMBERS = re.compile(
    r"^(\d{1,4})([-/. ]{1,2})(\d{1,2})[-/. ]{1,2}(\d{1,4})\.?([T ,]{1,2}\d{1,2}[:.]\d\d.*)?$"
)
_BEFORE_NOON, _AFTER_NOON = ("오전", "午前", "上午"), ("오후", "午後", "下午")
_HALF_DAY = "|".join((*_BEFORE_NOON, *_AFTER_NOON))
_TIME_OF_DAY = re.compile(
    r"^\[?(?P<date>\d{1,4}[-/. ]\s?\d{1,2}[-/. ]\s?\d{1,4}\.?)(?:[T ,:]{1,2}|(?=\())"
    rf"(?:\(?(?!{_HALF_DAY})[^\W\d_]{{1,8}}(?:[.)],? ?|,? ))?(?P<half>{_HALF_DAY})?\s?"
    r"(?P<hour>\d{1,2})\s?[:.h時时시]\s?(?P<minute>\d\d?)?\s?[:.m分분]?\s?(?P<second>\d\d?)?\s?[s秒초]?(?P<rest>[.,]\d{1,9})?"
    r"\s?(?:(?P<letter>[AaPp])\.?\s?[Mm]\.?|Uhr|uri|ura|óra|h)?\s?(?P<zone>[Zz]|UTC|[+-]\d\d:?\d\d)?\]?$"
)
_DAY_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{2,14})\.?,? (?:den )?$")


def iso_dates(values: pa.Array, *, settle: bool = False) -> pa.Array:
    """Return texts in which dates in words or of another era are written as year-month-day, or year-month.

    Parameters
    ----------
    values
        Shape (n_values,), the distinct values of a column; null for a missing one.
    settle
        Whether to settle by the whole column what a cell does not say: the century of ``12-Mar-58``, and the
        calendar of plain numbers, such as ``2501-03-12``.

    Returns
    -------
    pa.Array
        The same array where nothing is to be written otherwise.
    """
    glance = values if len(values) <= _GLANCE else values.take(pa.array(_places(len(values))))
    in_words = _any(pc.match_substring_regex(glance, _MAY_BE))
    if not in_words and not (settle and _are_of_another_calendar(glance)):
        return values
    rows = np.arange(len(values))
    if in_words:
        rows = np.flatnonzero(pc.fill_null(pc.match_substring_regex(values, _MAY_BE), False))
    before = values.take(pa.array(rows)).to_pylist()
    texts = [_in_ascii_digits(text or "") for text in before]
    # Of texts without a date in words, only a date in wide digits is written otherwise.
    left = [old if _NUMBERS.fullmatch(text) else text for old, text in zip(before, texts, strict=True)]
    texts = [
        _TIME_OF_DAY.sub(_in_digits, text) for text in _with_eras_read(_with_words_read(texts, settle=settle))
    ]
    if settle:
        texts = _with_years_read(texts)
    changed = np.array([text != old for text, old in zip(texts, left, strict=True)], dtype=bool)
    if not changed.any():
        return values
    written = np.asarray(values.to_pylist(), dtype=object)
    written[rows[changed]] = np.asarray(texts, dtype=object)[changed]
    return pa.array(written.tolist(), values.type)


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())


def with_iso_dates(table: pa.Table) -> pa.Table:
    """Return a table of text with the dates of each column as by `iso_dates`, settled."""
    many = table.take(pa.array(_places(table.num_rows))) if table.num_rows > _MANY else None
    for position, field in enumerate(table.schema):
        if many is not None and _shows_none(many.column(position)):
            continue
        encoded = pc.dictionary_encode(table.column(position)).combine_chunks()
        written = iso_dates(encoded.dictionary, settle=True)
        if written is not encoded.dictionary:
            table = table.set_column(position, field, pa.chunked_array([written.take(encoded.indices)]))
    return table


def _shows_none(column: pa.ChunkedArray) -> bool:
    """Whether no date in words is among some cells of a long column, which is then not coded."""
    cells = column.combine_chunks()
    return not _any(pc.match_substring_regex(cells, _MAY_BE)) and not _are_of_another_calendar(
        cells.drop_null()
    )


def _places(n_values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.linspace(0, n_values - 1, _GLANCE).astype(np.int64)


def _in_ascii_digits(text: str) -> str:
    """Return a text with its digits and wide signs in ASCII."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in plain).replace("−", "-")


def _in_digits(found: re.Match[str]) -> str:
    """Return a date with its time of day as 15:04:05, with AM or PM where the text says so."""
    parts = (found["hour"], found["minute"] or "0", *filter(None, [found["second"]]))
    clock = ":".join(f"{int(part):02d}" for part in parts)
    half = found["half"]
    letter = (found["letter"] or "").upper() or ("A" if half in _BEFORE_NOON else "P" if half else "")
    return f"{found['date']} {clock}{letter and f' {letter}M'}{found['zone'] or ''}"


# --- months by name


def _with_words_read(texts: Sequence[str], *, settle: bool) -> list[str]:
    """Return texts with days that are written with the name of a month as ISO dates."""
    forms = (*_IN_WORDS, _SHORT) if settle else _IN_WORDS
    found = [next(filter(None, (form.search(text) for form in forms)), None) for text in texts]
    if not any(found):
        return list(texts)
    months = _months_of(Counter(_folded(one["name"]) for one in found if one))
    return [
        text if one is None else _each_word_read(text, forms, months)
        for text, one in zip(texts, found, strict=True)
    ]


def _each_word_read(
    text: str, forms: Sequence[re.Pattern[str]], months: Mapping[str, tuple[int, str]]
) -> str:
    def written(found: re.Match[str]) -> str:
        month, language = months.get(_folded(found["name"]), (0, ""))
        parts = found.groupdict()
        year = _full_year(parts["year"])
        if language == "iranian":
            return _iso_of(_iranian(year, month, int(parts["day"] or 1))) or found[0]
        return _iso(year - _BUDDHIST * (year in _IN_BUDDHIST), month, parts.get("day")) or found[0]

    for form in forms:
        if (one := form.search(text)) and (new := form.sub(written, text)) != text:
            return _without_weekday(new, one.start())
    return text


def _without_weekday(text: str, at: int) -> str:
    """Return a text that begins with a weekday, and goes on with a date, without it."""
    before = _DAY_BEFORE.search(text[:at])
    if before is None or before.start() > 0 or _folded(before[1]) not in _weekdays():
        return text
    return text[at:]


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) > 2 else year + (1900 if year >= _TURN else 2000)


def _folded(name: str) -> str:
    return without_accents(name).replace(".", "").strip()


def _months_of(words: Counter[str]) -> dict[str, tuple[int, str]]:
    """Return the month of each word in the language that knows most of a column's, and so on for the rest."""
    known: dict[str, tuple[int, str]] = {}
    left = dict(words)
    while left:
        best: dict[str, int] = {}
        language = ""
        for one in _CANDIDATES:
            read = {word: month for word in left if (month := _month(word, _names_of(one)))}
            if sum(map(left.__getitem__, read)) > sum(map(left.__getitem__, best)):
                best, language = read, one
            if len(best) == len(left):
                break
        if not best:
            return known
        known |= {word: (month, language) for word, month in best.items()}
        left = {word: n for word, n in left.items() if word not in best}
    return known


_CANDIDATES = ("roman", *_LANGUAGES, "iranian")


@lru_cache
def _names_of(language: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of each month, in full and short."""
    if language in {"roman", "iranian"}:
        return tuple((_folded(name),) for name in (_ROMAN if language == "roman" else _IRANIAN))
    from babel import Locale  # noqa: PLC0415 - takes long to import

    months = Locale(language).months
    of_kind = [months[kind][width] for kind in ("format", "stand-alone") for width in ("wide", "abbreviated")]
    return tuple(tuple({_folded(names[n]).split()[-1] for names in of_kind}) for n in range(1, 13))


def _month(word: str, names: Sequence[Sequence[str]]) -> int:
    """Return the month that a word names, alone of all; 0 for none.

    The whole name; its beginning; or the name with another ending, as of cases.
    """
    alone = (
        lambda name: word == name,
        lambda name: len(word) >= _SHORTEST and name.startswith(word),
        lambda name: _differs_in_ending(word, name),
    )
    for fits in alone:
        found = {number for number, each in enumerate(names, 1) if any(map(fits, each))}
        if found:
            return found.pop() if len(found) == 1 else 0
    return 0


def _differs_in_ending(word: str, name: str) -> bool:
    n_shared = sum(
        1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(word, name, strict=False))
    )
    return n_shared >= _SHORTEST and len(word) - n_shared <= _ENDING and len(name) - n_shared <= _ENDING


@lru_cache(maxsize=1)
def _weekdays() -> frozenset[str]:
    from babel import Locale  # noqa: PLC0415 - takes long to import

    days = (Locale(language).days["format"] for language in _LANGUAGES)
    return frozenset(_folded(name) for each in days for width in each.values() for name in width.values())


# --- eras


def _with_eras_read(texts: Sequence[str]) -> list[str]:
    """Return texts with days of an era as ISO dates; of one letter where nearly all that look so are days."""
    texts = [_IN_SIGNS.sub(_of_an_era, text) for text in texts]
    for form in (_OF_AN_ERA, _COMPACT_ERA):
        looking_so = {found[0]: found for text in texts for found in form.finditer(text)}
        n_days = sum(_of_an_era(found) != text for text, found in looking_so.items())
        if n_days >= max(_FEWEST, _NEARLY_ALL * len(looking_so)) or any(
            len(found["era"]) > 1 for found in looking_so.values()
        ):
            texts = [form.sub(_of_an_era, text) for text in texts]
    return texts


def _of_an_era(found: re.Match[str]) -> str:
    year, month, day = (_number(found[part]) for part in ("year", "month", "day"))
    first, last = _ERAS[found["era"]] if found["era"] else (0, 9999)
    if not found["era"] and year < 1000:
        return found[0]
    return (_iso(year + first, month, day or None) if 0 < year <= last else "") or found[0]


def _number(digits: str | None) -> int:
    """Return a number in digits or Chinese numerals, 0 for none: 三十一 is 31, 一九五八 is 1958."""
    if not digits or digits.isascii():
        return int(digits or 0)
    if "十" not in digits:
        return int("".join(str(_HAN[digit]) for digit in digits))
    tens, _, ones = digits.partition("十")
    return 10 * (_HAN[tens] if tens else 1) + (_HAN[ones] if ones else 0)


# --- whole columns of numbers


def _are_of_another_calendar(values: pa.Array) -> bool:
    """Whether values are numbers that `_with_years_read` writes otherwise."""
    if not _any(pc.match_substring_regex(values.slice(0, 1), r"^ *[^ ]{1,4}[-/. ]")):
        return False
    texts = [_in_ascii_digits(text or "") for text in values.to_pylist()]
    return _with_years_read(texts) != texts


def _with_years_read(texts: Sequence[str]) -> list[str]:
    """Return a column of days whose years can only be those of another calendar with years of ours."""
    found = [_NUMBERS.fullmatch(text.strip()) for text in texts]
    n_filled = sum(bool(text.strip()) for text in texts)
    read = [one for one in found if one]
    if len(read) < max(_FEWEST, _NEARLY_ALL * n_filled):
        return list(texts)
    at = 1 if sum(len(one[1]) > len(one[4]) for one in read) > len(read) / 2 else 4
    years = [int(one[at]) for one in read]
    converted = _conversion(read, years, at)
    if converted is None:
        return list(texts)
    return [
        (new + (one[5] or "") if one and (new := converted(one)) else text)
        for text, one in zip(texts, found, strict=True)
    ]


def _conversion(
    read: Sequence[re.Match[str]], years: Sequence[int], at: int
) -> Callable[[re.Match[str]], str] | None:
    """Return what writes a day in our calendar, "" for no day; None where the years are our own."""
    if all(year in _IN_BUDDHIST for year in years):
        return lambda one: _with_year(one, int(one[at]) - _BUDDHIST, at)
    if at == 1 and all(
        year in _IN_REPUBLIC and len(one[1]) == 3 for one, year in zip(read, years, strict=True)
    ):
        return lambda one: _with_year(one, int(one[1]) + _REPUBLIC, 1)
    if not all(year in _IN_IRANIAN_OR_ISLAMIC for year in years):
        return None
    days = [int(one[5 - at]) for one in read]
    is_iranian = max(years) <= _LAST_IRANIAN and (31 in days or len(read) < _WITHOUT_31ST)
    calendar = _iranian if is_iranian else _islamic
    return lambda one: _iso_of(calendar(int(one[at]), int(one[3]), int(one[5 - at])))


def _with_year(one: re.Match[str], year: int, at: int) -> str:
    parts = (one[1], one[2], one[3], one[2], one[4])
    return "".join((f"{year:04d}", *parts[1:]) if at == 1 else (*parts[:-1], f"{year:04d}"))


def _iranian(year: int, month: int, day: int) -> date | None:
    """Return a day of the Iranian calendar, which has 8 leap years in 33 (exact from 1799 to 2256)."""
    if not (1 <= month <= 12 and 1 <= day <= 30 + (month <= 6)):
        return None
    n_leap = sum((before % 33) in {1, 5, 9, 13, 17, 22, 26, 30} for before in range(1300, year))
    first = date(1921, 3, 21) + timedelta(days=365 * (year - 1300) + n_leap)
    return first + timedelta(days=30 * (month - 1) + min(month - 1, 6) + day - 1)


def _islamic(year: int, month: int, day: int) -> date | None:
    """Return a day of the Islamic calendar by its arithmetic rule, a day off at most."""
    if not (1 <= month <= 12 and 1 <= day <= 30):
        return None
    days = 354 * (year - 1) + (3 + 11 * year) // 30 + 29 * (month - 1) + month // 2 + day
    return date(622, 7, 18) + timedelta(days=days)


def _iso(year: int, month: int, day: str | int | None) -> str:
    """Return a day or a month in ISO 8601, "" where no calendar has it."""
    try:
        return _iso_of(date(year, month, int(day or 1)))[: None if day else 7]
    except ValueError:
        return ""


def _iso_of(day: date | None) -> str:
    return day.isoformat() if day else ""
