"""The one reader of numbers as people write them: decimal points or commas, signs between thousands.

What a point or a comma stands for is a matter of the whole column (`plain_numbers`); one cell does not say.

>>> plain_numbers(pa.array(["1.234,5", "12,25", "-3"])).texts.to_pylist()
['1234.5', '12.25', '-3']
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from core.values.letters import narrowed

_SPACE = r"['’ \x{A0}\x{2009}\x{202F}]"  # between thousands, whatever the decimal mark
_SIGN, _EXPONENT = "[+-]?", "(?:[eE][+-]?[0-9]{1,3})?"
_WITH_SPACES = rf"^{_SIGN}[1-9][0-9]{{0,2}}(?:{_SPACE}[0-9]{{3}})+(?:[.,][0-9]+)?$"
_FORM = r"^[+-]?(?:(?:[0-9]+|[1-9][0-9]{0,2}(?:%s[0-9]{3})+)(?:%s[0-9]*)?|%s[0-9]+)" + _EXPONENT + "$"
_POINT, _COMMA = _FORM % (",", r"\.", r"\."), _FORM % (r"\.", ",", ",")
_GROUP = r"^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$"  # thousands, or three decimals
_THOUSAND = r"^[+-]?[0-9]{4,}"
_HEAD = 64  # values that show soon that a column holds no numbers
# Where decimals drop the zeros that end them, so many all have three in 1 of 100 columns (0.9⁴⁴).
_ALL_OF_THREE, _ENDING_IN_ZERO = 44, 3


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainNumbers:
    """Texts of a column as numbers with a decimal point and nothing between thousands."""

    texts: pa.Array  # shape (n_values,), null for a missing one and for what is no number
    # whether thousands could as well be decimals: some values have three digits behind their one mark, others
    # have no mark, and nothing settles it
    is_ambiguous: bool


def plain_numbers(values: pa.Array, *, share: float = 1.0) -> PlainNumbers | None:
    """Read the distinct texts of a column as numbers; None unless at least a share of them is one.

    Parameters
    ----------
    values
        Shape (n_values,), null for a missing one, which is passed over.
    share
        Of the texts there, in (0, 1].

    Returns
    -------
    PlainNumbers or None
        Marks are told by the column: by a value of which only one reading is a number, by thousands in groups
        of three. `1,234` alone is thousands and `1.234` decimals, as it is where nothing settles it; beside
        values without a mark, all below 1,000, both are thousands where decimals would show: chance hardly
        leaves three decimals to all, and decimals that end in 0 (thrice) are not written beside others.
    """
    if share == 1 and len(values) > _HEAD and plain_numbers(values.slice(0, _HEAD)) is None:
        return None
    texts = pc.replace_substring(pc.utf8_trim_whitespace(values.cast(pa.large_string())), "−", "-")
    spaced = pc.match_substring_regex(texts, narrowed(_WITH_SPACES, texts))
    if _any(spaced):
        texts = pc.if_else(spaced, pc.replace_substring_regex(texts, _SPACE, ""), texts)
    n_needed = share * (len(texts) - texts.null_count)
    fits = [pc.fill_null(pc.match_substring_regex(texts, form), False) for form in (_POINT, _COMMA)]
    n_point, n_comma = (pc.sum(each).as_py() or 0 for each in fits)
    if max(n_point, n_comma) < max(n_needed, 1):
        return None
    is_comma, is_ambiguous = n_comma > n_point, False
    if n_comma == n_point:
        is_comma, is_ambiguous = _settled(texts.filter(fits[0]))
    read = pc.if_else(fits[is_comma], texts, None)
    thousands, decimal = (".", ",") if is_comma else (",", ".")
    read = pc.replace_substring(pc.replace_substring(read, thousands, ""), decimal, ".")
    read = pc.replace_substring_regex(read, r"^\+", "")  # Arrow reads no plus sign
    return PlainNumbers(texts=read, is_ambiguous=is_ambiguous)


def may_be_thousands(values: pa.Array) -> bool:
    """Whether texts with a point are all like `1.234`, and others have none: thousands, or decimals."""
    with_point = pc.match_substring(values, ".")
    if not _any(with_point) or pc.all(with_point).as_py():
        return False
    marked = values.filter(with_point)
    return all(
        pc.all(pc.match_substring_regex(some, _GROUP)).as_py() for some in (marked.slice(0, 64), marked)
    )


def _settled(texts: pa.Array) -> tuple[bool, bool]:
    """Return whether the comma is the decimal mark of texts that fit both, and whether that is a guess."""
    has_comma, has_point = (pc.match_substring(texts, mark) for mark in ",.")
    is_comma, is_point = _any(has_comma), _any(has_point)
    if is_comma == is_point:  # whole numbers, or both marks before three digits
        return False, is_comma
    marked = pc.or_(has_comma, has_point)
    without = texts.filter(pc.invert(marked))
    if not len(without):  # the same figures either way: one is a thousand times the other
        return False, False
    n_marked = pc.sum(marked).as_py()
    zeros = pc.extract_regex(texts.filter(marked), "(?P<zeros>0*)$")
    n_zeros = pc.sum(pc.utf8_length(pc.struct_field(zeros, "zeros"))).as_py()
    is_whole = n_marked >= _ALL_OF_THREE or n_zeros >= _ENDING_IN_ZERO
    if is_whole and not _any(pc.match_substring_regex(without, _THOUSAND)):
        return is_point, False
    return False, True


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())
