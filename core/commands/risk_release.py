"""The generalized table of ``python -m core risk --what-if --release FILE``, counted again once written."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.commands.output import check_new_files, print_problems, write_new_files
from core.errors import AuditInputError
from core.files.plain_text import plain_fields
from core.risk import PersonReleased, Release, RiskAudit, WhatIf, release_reaching
from core.tables import Dataset
from core.words import Text, input_error, joined, listed, number, own, text


@dataclass(frozen=True, kw_only=True)
class Written:
    """What became of the table asked for."""

    document: Mapping[str, object] | None = None  # for JSON; None where no table was written
    lines: tuple[str, ...] = field(default=())  # for a terminal
    is_missing: bool = False  # whether a table was asked for and not written


def check_release(path: Path | None, *, what_if: bool) -> None:
    """Refuse a file that cannot or must not be written, before any work is done."""
    if path is None:
        return
    if not what_if:
        raise AuditInputError("--release writes what --what-if finds; add --what-if.")
    if path.suffix.lower() == ".json":
        raise input_error(
            "--release: {file} would be a CSV; choose a name that ends in .csv.", file=str(path)
        )
    check_new_files("--release", path, _settings_path(path))


def check_hierarchies(folder: Path | None, *, what_if: bool) -> None:
    """Refuse a folder for hierarchies that cannot be written to, before any work is done."""
    if folder is None:
        return
    if not what_if:
        raise AuditInputError("--write-hierarchies writes what --what-if searches; add --what-if.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise input_error(
            "--write-hierarchies: {folder} is there and not an empty folder; choose another name.",
            folder=str(folder),
        )


def write_hierarchies(folder: Path, what_if: WhatIf | None) -> None:
    """Write the hierarchies that were searched, a file for each quasi-identifier."""
    if what_if is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refused = "--write-hierarchies: {folder} cannot be made: {reason}."
        raise input_error(refused, folder=str(folder), reason=str(error.strerror)) from None
    files = {folder / name: data for name, data in what_if.hierarchy_files().items()}
    write_new_files("--write-hierarchies", files)


def _settings_path(path: Path) -> Path:
    return path.with_suffix(".json")


def write_release(
    path: Path | None,
    what_if: WhatIf | None,
    audit: RiskAudit,
    dataset: Dataset,
    *,
    person: PersonReleased = "pseudonym",
) -> Written:
    """Write the cheapest generalized table that meets the thresholds of `audit`, and how it was made.

    A table that none meets is no error of the arguments: the sentence goes to stderr, and nothing is written.
    """
    if path is None:
        return Written()
    try:
        if what_if is None:
            nothing = "{file} was not written: no record is assessed, so nothing can be generalized."
            raise input_error(nothing, file=str(path))
        made, again = release_reaching(
            what_if, audit.measurement, dataset, thresholds=audit.thresholds, person=person
        )
    except AuditInputError as error:
        print_problems(error.problems)
        return Written(is_missing=True)
    files = {path: made.data, _settings_path(path): _how_it_was_made(made, dataset)}
    write_new_files("--release", files)
    document = {
        "file": str(path),
        "settings_file": str(_settings_path(path)),
        "sha256": hashlib.sha256(made.data).hexdigest(),
        **_document(made, again),
    }
    told = text(
        "Written: {file}, {settings_file}. Read back and counted again: {figures}; {suppressed} of {records} "
        "records suppressed.",
        file=str(path),
        settings_file=str(_settings_path(path)),
        figures=_figures(again, made.k_map),
        suppressed=made.n_suppressed,
        records=dataset.n_records,
    )
    findings = (
        text("  {verdict}: {message}", verdict=each.verdict.word, message=own(each.message))
        for each in again.findings
    )
    return Written(document=document, lines=(told, *_columns_told(made, audit, person), *findings))


def _document(made: Release, again: RiskAudit) -> dict[str, object]:
    """Return the generalized table's figures, measured in its bytes read back, as JSON-able values."""
    return {
        "k_asked": made.k,
        "k": again.figures["k"],
        **plain_fields(made, "k_map", "n_suppressed", "columns", "columns_left_out"),
        "sensitive": {
            each.column: {key: each.figures[key] for key in ("distinct_l", "entropy_l", "t")}
            for each in again.measurement.sensitive
        },
        "verdict": again.verdict.value,
        "findings": [
            {"check": each.check, "verdict": each.verdict.value, "message": each.message}
            for each in again.findings
        ],
    }


_PSEUDONYMS = "{column} holds fresh random pseudonyms."


def _columns_told(made: Release, audit: RiskAudit, person: PersonReleased) -> list[Text]:
    """Say what became of the person column and of the columns that nobody chose."""
    lines = []
    if (column := audit.measurement.settings.person) is not None:
        what = "{column} is left out." if person == "left_out" else _PSEUDONYMS
        lines.append(text(what, column=f"`{column}`"))
    if (household := audit.measurement.settings.household) is not None:
        lines.append(text(_PSEUDONYMS, column=f"`{household}`"))
    if left_out := made.columns_left_out:
        lines.append(
            text(
                "Left out, because nobody said what it is: {columns}. Name a column with --harmless to "
                "keep it.",
                "Left out, because nobody said what they are: {columns}. Name a column with --harmless to "
                "keep it.",
                n=len(left_out),
                columns=listed(left_out),
            )
        )
    return [text("  {told}", told=line) for line in lines]


def _how_it_was_made(made: Release, dataset: Dataset) -> bytes:
    document = {"source": dataset.name, "source_sha256": dataset.sha256, **json.loads(made.settings)}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


_OF_COLUMN = {
    "distinct_l": "ℓ of {column} = {value}",
    "entropy_l": "entropy ℓ of {column} = {value}",
    "t": "t of {column} = {value}",
}


def _figures(audit: RiskAudit, k_map: int | None) -> Text:
    """Return k, l and t of each sensitive attribute, and k-map, as measured in what was written."""
    found = []
    if audit.figures["k"] is not None:
        found.append(text("k = {k}", k=int(audit.figures["k"])))
        for each in audit.measurement.sensitive:
            known = ((message, each.figures[key]) for key, message in _OF_COLUMN.items())
            found += [text(m, column=each.column, value=number(v)) for m, v in known if v is not None]
    else:
        found.append(text("no record shows a quasi-identifier, so nothing is assessed"))
    if k_map is not None:
        found.append(text("k-map = {k}", k=k_map))
    return joined(found, ", ")
