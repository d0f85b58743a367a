"""Disclosure risk: releases that give people away though their figures look fine, and proper ones."""

from benchmarks.quality.risk.leaks import KINDS as LEAKS
from benchmarks.quality.risk.proper import KINDS as PROPER

KINDS = (*LEAKS, *PROPER)
