"""Kinds of row leakage: how a person stays in a scrambled table, and tables in which nobody is."""

from benchmarks.quality.leakage.kinds import KINDS

__all__ = ["KINDS"]
