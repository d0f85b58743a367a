"""Seeded, synthetic demo input of our own for every tool; no person is behind any record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DemoFile:
    """A file as a person would upload it."""

    name: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Demo:
    """One set of demo files."""

    key: str  # stable name, in snake_case, unique within its tool
    label: str  # what the button says
    description: str  # what the set shows, in a sentence
    # return the files by the role they play on the tool's page, such as ``original``
    make: Callable[[], Mapping[str, tuple[DemoFile, ...]]]
