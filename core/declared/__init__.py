"""A delivery held against what it was made of: what its makers declare, and what was done."""

from core.declared.lines import Line
from core.declared.measuring import FEWEST_NEAR, Declared, Originals, measure_declared, read_originals
