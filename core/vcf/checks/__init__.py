"""The registry of exposure checks: what each is called, how bad it is, what it says and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.vcf.checks.check import Check
from core.vcf.checks.donor import DONOR_CHECKS
from core.vcf.checks.file import FILE_CHECKS
from core.vcf.checks.header import HEADER_CHECKS
from core.vcf.checks.site import SITE_CHECKS

__all__ = ["ALL_CHECKS", "CHECKS", "SITE_CHECKS", "Check"]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {check.name: check for check in (*SITE_CHECKS, *FILE_CHECKS, *HEADER_CHECKS)}
)
#: With those of the donors, which are asked for apart.
ALL_CHECKS: Mapping[str, Check] = MappingProxyType(
    {**CHECKS, **{check.name: check for check in DONOR_CHECKS}}
)
