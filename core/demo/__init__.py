"""Seeded, synthetic demo input of our own for every tool; no person is behind any record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DemoFile:
    """A file as a person would upload it."""

    name: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Demo:
    """One set of demo files.

    Attributes
    ----------
    key
        Stable name, in snake_case, unique within its tool.
    label
        What the button says.
    description
        What the set shows, in a sentence.
    make
        Return the files by the role they play on the tool's page, such as ``original``.
    """

    key: str
    label: str
    description: str
    make: Callable[[], Mapping[str, tuple[DemoFile, ...]]]
