"""Kinds for the VCF verifier: what people leave in a masked file, and what they mask properly."""

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.vcf import codes, leaks, proper

KINDS: tuple[Kind, ...] = (*leaks.KINDS, *codes.KINDS, *proper.KINDS)
