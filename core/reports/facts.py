"""What a report says of its inputs and of the software; asked for by pages and commands, never by audits."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from core import __version__
from core.reports.model import InputFacts
from core.tables import Dataset, Reading

_PACKAGES = (
    "pandas",
    "numpy",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "pysam",
    "altair",
    "openpyxl",
    "streamlit",
)
_DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}


def current_versions() -> Mapping[str, str]:
    """Return AnonAudit's, Python's and the main packages' versions; packages not installed are left out."""
    versions = {"anonaudit": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def input_facts(dataset: Dataset, role: str) -> InputFacts:
    """Return what a report says of a data set: part in the audit, name, size, SHA-256, how it was read."""
    return InputFacts(
        role=role,
        name=dataset.name,
        n_bytes=dataset.n_bytes,
        sha256=dataset.sha256,
        reading=reading_text(dataset.reading),
    )


def reading_text(reading: Reading) -> str:
    """Say in words how a file was read, such as ``CSV, UTF-8, delimiter semicolon``."""
    options = reading.options
    delimiter = options.delimiter and _DELIMITER_NAMES.get(options.delimiter, options.delimiter)
    parts = [
        reading.format,
        options.encoding,
        delimiter and f"delimiter {delimiter}",
        options.sheet and f"sheet {options.sheet}",
        "names in the second line" if options.header == "second_line" else None,
    ]
    return ", ".join(part for part in parts if part)
