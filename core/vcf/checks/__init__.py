"""The registry of exposure checks, which `checks.txt` declares: what each is called, says, and how bad it is.

A check of masked sites is one function of a :class:`core.vcf.checks.case.Case`, in the module of what it
looks at. To add one, declare it, write it there and put it into the list at the module's end.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from core.vcf.candidates import FIRST_CHECK
from core.vcf.checks.case import Case, Check, SiteCheck, Test, checks_below
from core.vcf.checks.columns import COLUMN_CHECKS, REPEAT_CHECKS
from core.vcf.checks.info import INFO_CHECKS, other_keys
from core.vcf.checks.samples import SAMPLE_CHECKS
from core.vcf.readings import Kind
from core.vcf.records import USUAL_FILTERS

SITE_CHECKS: tuple[SiteCheck, ...] = (*COLUMN_CHECKS, *INFO_CHECKS, *SAMPLE_CHECKS, *REPEAT_CHECKS)
CHECKS: Mapping[str, Check] = MappingProxyType(
    {check.name: check for check in (*SITE_CHECKS, *checks_below("files"), *checks_below("header"))}
)
#: With those of the donors, which are asked for apart.
ALL_CHECKS: Mapping[str, Check] = MappingProxyType(
    {**CHECKS, **{check.name: check for check in checks_below("donors")}}
)
CHECK_BITS: Mapping[str, int] = MappingProxyType(
    {check.name: FIRST_CHECK << number for number, check in enumerate(SITE_CHECKS)}
)

_TESTS = [(CHECK_BITS[check.name], check.test) for check in SITE_CHECKS]
_TELLING = [
    (CHECK_BITS[check.name], check.name.encode(), check.telling)
    for check in SITE_CHECKS
    if check.telling is not None
]


def leaks_of(case: Case) -> int:
    """Return the bits of the checks that find something."""
    return sum(bit for bit, test in _TESTS if test(case))


def fields_told(case: Case, found: int) -> tuple[bytes, ...]:
    """Return the fields that checks name, each behind its check's name and a blank, of the bits found."""
    return tuple(
        b"%s %s" % (name, field)
        for bit, name, telling in _TELLING
        if found & bit
        for field in dict.fromkeys(telling(case))
    )
