"""The registry of exposure checks: what each is called, how bad it is, what it says and what to do.

A check of masked sites is one function of a :class:`core.vcf.checks.case.Case`, in the module of what it
looks at. To add one, write it there and put it into the list at the module's end.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from core.vcf.checks.case import Case
from core.vcf.checks.check import Check, Part, SiteCheck, Test
from core.vcf.checks.columns import COLUMN_CHECKS
from core.vcf.checks.donor import DONOR_CHECKS
from core.vcf.checks.file import FILE_CHECKS
from core.vcf.checks.header import HEADER_CHECKS
from core.vcf.checks.info import INFO_CHECKS, other_keys
from core.vcf.checks.repeats import REPEAT_CHECKS
from core.vcf.checks.samples import SAMPLE_CHECKS
from core.vcf.info import Kind
from core.vcf.marks import FIRST_CHECK
from core.vcf.records import USUAL_FILTERS

SITE_CHECKS: tuple[SiteCheck, ...] = (*COLUMN_CHECKS, *INFO_CHECKS, *SAMPLE_CHECKS, *REPEAT_CHECKS)
CHECKS: Mapping[str, Check] = MappingProxyType(
    {check.name: check for check in (*SITE_CHECKS, *FILE_CHECKS, *HEADER_CHECKS)}
)
#: With those of the donors, which are asked for apart.
ALL_CHECKS: Mapping[str, Check] = MappingProxyType(
    {**CHECKS, **{check.name: check for check in DONOR_CHECKS}}
)
CHECK_BITS: Mapping[str, int] = MappingProxyType(
    {check.name: FIRST_CHECK << number for number, check in enumerate(SITE_CHECKS)}
)

_TELLING = [
    (CHECK_BITS[check.name], check.name.encode(), check.telling)
    for check in SITE_CHECKS
    if check.telling is not None
]


def leaks_of(case: Case) -> int:
    """Return the bits of the checks that find something; those with nothing to look at are left out."""
    return sum(bit for bit, test in _checks_of(_parts(case)) if test(case))


def fields_told(case: Case, found: int) -> tuple[bytes, ...]:
    """Return the fields that checks name, each behind its check's name and a blank, of the bits found."""
    return tuple(
        b"%s %s" % (name, field)
        for bit, name, telling in _TELLING
        if found & bit
        for field in dict.fromkeys(telling(case))
    )


def _parts(case: Case) -> int:
    """Return what of an anonymized record there is to look at: bits of :class:`Part`."""
    original, kept = case.original, case.kept
    parts = Part.ALT * (kept.alt != b".") | Part.REF * (kept.ref != original.ref)
    parts |= Part.REPEAT * case.is_repeat
    if len(kept.ref) > 1:
        parts |= Part.LENGTH
    if kept.qual != original.qual:
        parts |= Part.QUAL
    if kept.id != b".":
        parts |= Part.ID
    if kept.filter not in USUAL_FILTERS:
        parts |= Part.FILTER
    if kept.info != b".":
        parts |= _parts_of_info(case)
    if kept.samples and case.is_hidden and not kept.is_missing:
        parts |= Part.SAMPLES
    return parts | (kept.pos != original.pos) * Part.POSITION | case.has_new_format * Part.FORMAT


def _parts_of_info(case: Case) -> int:
    parts = _parts_of_kinds(case.kinds)
    if not case.info.is_numeric:
        parts |= Part.WORDS
    if case.kept.info != case.original.info:
        parts |= Part.NEW_INFO
    if other_keys(case):
        parts |= Part.OTHER
    if case.kept_maf <= case.maf:
        parts |= Part.FREQUENCY
    return parts


@cache
def _parts_of_kinds(kinds: int) -> int:
    parts = 0
    for part, kind in (
        (Part.IDENTIFIER, Kind.IDENTIFIER),
        (Part.TELLS, Kind.TELLS),
        (Part.DESCRIBES, Kind.DESCRIBES | Kind.COUNTS),
        (Part.FREQUENCY, Kind.FREQUENCY | Kind.COUNTS),
        (Part.LENGTH, Kind.LENGTH),
    ):
        if kinds & kind:
            parts |= part
    return parts


@cache
def _checks_of(parts: int) -> tuple[tuple[int, Test], ...]:
    return tuple((CHECK_BITS[check.name], check.test) for check in SITE_CHECKS if check.parts & parts)
