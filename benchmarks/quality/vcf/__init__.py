"""Kinds for the VCF verifier: what people leave or hide in a file they took for masked, and what they do properly."""

from benchmarks.quality.vcf import leaks, proper

KINDS = (*leaks.KINDS, *proper.KINDS)
