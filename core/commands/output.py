"""What every subcommand prints the same way."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping


def print_json(document: Mapping[str, object]) -> None:
    """Print exactly one JSON document on stdout; NaN and infinity have no place in it."""
    print(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def print_problems(problems: tuple[str, ...]) -> None:
    """Print what the person can fix, a line each, on stderr."""
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
