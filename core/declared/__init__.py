"""A delivery held against what it was made of: what its makers declare, and what was done."""

from core.declared.lists import read_mapping, read_shifts
from core.declared.measuring import Declared, Originals, measure_declared
from core.declared.rules import read_rules
