"""Deliveries of several tables: leaks planted across them, and proper deliveries near to these."""

from benchmarks.quality.deliveries import further as further
from benchmarks.quality.deliveries.clean import KINDS as _CLEAN
from benchmarks.quality.deliveries.leaks import KINDS as _LEAKS

KINDS = (*_LEAKS, *_CLEAN)
