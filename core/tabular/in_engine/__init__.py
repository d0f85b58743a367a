"""The published rule on two tables in one engine: only aggregates come back."""

from core.tabular.in_engine.measuring import InEngine, measure_in_engine
