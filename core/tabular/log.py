"""The anonymization log: what somebody claims to have done to every column."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from core.comparing.names import columns_alike
from core.errors import AuditInputError
from core.files.named_files import bytes_at, source_at
from core.files.plain_text import parsed_json, valid_json
from core.tabular.actions import meaning_of
from core.tabular.other_logs import entries_of, records_in_json, records_in_table
from core.verdict import Finding, Verdict
from core.words import Text, Value, input_error, own, text

Mode = Literal["low", "high"]
# a log in our form; one in another form, read by its fields; one made here by comparing both tables
Origin = Literal["log", "by_fields", "made_here"]
MADE_HERE = "anonaudit:propose-log"

DATE_FLOOR_ACTIONS = frozenset({"date_floor_year", "date_floor_decade"})
_KNOWN_ACTIONS = DATE_FLOOR_ACTIONS | {
    "drop",
    "drop_zip_detail",
    "keep",
    "keep_if_permitted_else_drop",
    "mask_zip_leading",
    "normalize_marital_prefix",
    "pseudonymize",
    "region_generalize",
}
QUASI_IDENTIFYING_SEMANTICS = frozenset(
    {"age", "gender", "race", "ethnicity", "marital_status", "address", "zipcode", "visit_date"}
)
_LARGEST_LOG = 20_000_000  # bytes
_CLAIMS = frozenset({"semantic", "action", "mode", "created_at", "source_file", "output_file", "made_by"})
_MOST_TEXTS, _LONGEST_TEXT = 20, 80  # of a log, beside what it claims
_REMEDY = "Choose the log written with the anonymized file."
_BEFORE_JSON = b"\xef\xbb\xbf\xff\xfe\0 \r\n\t"
_SHOWN = 40  # characters of a name out of the log that a message repeats
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\W_]+")


def folded(written: str) -> str:
    """Return a word as people mean it: no matter its case, width, composition, spaces and hyphens.

    >>> folded(" DROP "), folded("Date-Floor  Year"), folded("ｄｒｏｐ"), folded("Rojstni DAN")
    ('drop', 'date_floor_year', 'drop', 'rojstni_dan')
    """
    visible = "".join(c for c in unicodedata.normalize("NFKC", written) if unicodedata.category(c) != "Cf")
    word = unicodedata.normalize("NFKC", visible.casefold())
    return _SEPARATORS.sub("_", word).strip("_") or word.strip()


def _known_word(written: str, known: Iterable[str]) -> str:
    """Return the known word of the same letters and digits, else the folded text."""
    word = folded(_CAMEL_CASE.sub("_", unicodedata.normalize("NFKC", written)))
    return {one.replace("_", ""): one for one in known}.get(word.replace("_", ""), word)


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """What the log says of one column."""

    column: str  # the column's name, exactly as logged
    semantic: str  # what the column means, such as ``birthdate``, folded; empty where the log does not say
    action: str  # what was done to it, such as ``drop``, folded; empty where the log does not say
    source: str | None = None  # the original column it was made from, where the log says so

    @property
    def is_quasi_identifying(self) -> bool:
        """Whether the column is age, gender, race, … and was not dropped."""
        return self.semantic in QUASI_IDENTIFYING_SEMANTICS and self.action != "drop"

    @property
    def takes_out(self) -> bool:
        """Whether the action leaves no original value, in the rule's own words."""
        return self.action in {"drop", "pseudonymize", "keep_if_permitted_else_drop"}


@dataclass(frozen=True, kw_only=True)
class AnonymizationLog:
    """An anonymization log, read and checked for form."""

    name: str  # file name without folders
    mode: Mode = "low"  # ``low`` or ``high`` anonymization; ``low`` where the log does not say
    allow_dx: bool = False  # whether keeping diagnoses is permitted; False where the log does not say
    created_at: str | None = None  # what the log says of itself; None where it does not
    source_file: str | None = None
    output_file: str | None = None
    # column name to entry, in the order of the log
    entries: Mapping[str, LogEntry] = field(default_factory=dict)
    sha256: str = ""  # of the file
    n_bytes: int = 0
    origin: Origin = "log"
    texts: tuple[str, ...] = ()  # that stand in it anywhere, such as a salt that somebody noted down

    def entry(self, column: str) -> LogEntry:
        """Return what the log says of a column, in an entry without words where it says nothing."""
        return self.entries.get(column) or LogEntry(column=column, semantic="", action="")

    # findings about the log itself; messages name the log, the column and the remedy
    notes: tuple[Finding, ...] = ()

    def for_columns(self, original: Sequence[str], anonymized: Sequence[str]) -> "AnonymizationLog":
        """Return the log with each entry under the name that its column has in the tables.

        A name as logged wins; else the only column whose name folds alike, unless another entry folds
        alike too. Of a column whose name the tables spell differently, the original's spelling counts.
        """
        respelled = set(columns_alike(original, anonymized).values())
        names = dict.fromkeys([*original, *(name for name in anonymized if name not in respelled)])
        alike = _by_folded(name for name in names if name not in self.entries)
        n_entries = Counter(folded(name) for name in self.entries if name not in names)

        def named(logged: str) -> str:
            found = alike.get(folded(logged), [])
            is_meant = logged not in names and n_entries[folded(logged)] == 1 and len(found) == 1
            return found[0] if is_meant else logged

        sources = _by_folded(original)
        entries = {named(name): _with_source(entry, sources) for name, entry in self.entries.items()}
        return replace(self, entries=MappingProxyType(entries))

    def notes_about(self, *, original_name: str, anonymized_name: str) -> tuple[Finding, ...]:
        """Return the findings about this log when it is used for these two files."""
        claims = (
            (
                self.source_file,
                "{log}: `_meta.source_file` names another file than the original file {file}. {remedy}",
                original_name,
            ),
            (
                self.output_file,
                "{log}: `_meta.output_file` names another file than the anonymized file {file}. {remedy}",
                anonymized_name,
            ),
        )
        return self.notes + tuple(
            _note("log_for_another_file", message, log=self.name, file=name, remedy=own(_REMEDY))
            for claimed, message, name in claims
            if claimed is not None and _file_name(claimed) != _file_name(name)
        )


def _by_folded(names: Iterable[str]) -> dict[str, list[str]]:
    """Return folded name to the names that fold so."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(folded(name), []).append(name)
    return found


def _with_source(entry: LogEntry, sources: Mapping[str, list[str]]) -> LogEntry:
    """Return the entry with its source spelled as the original spells it, where one column is meant."""
    found = sources.get(folded(entry.source), []) if entry.source else []
    if entry.source in found or len(found) != 1:
        return entry
    return replace(entry, source=found[0])


def read_log(source: bytes | Path, *, name: str | None = None) -> AnonymizationLog:
    """Read an anonymization log, in our form or in another: see :mod:`core.tabular.other_logs`.

    An absent ``_meta`` means low mode, diagnoses not permitted. What is odd but leaves the log
    usable becomes a note; a column whose entry cannot be used keeps an entry with empty texts, so
    that it is still checked for sensitive patterns.

    Parameters
    ----------
    source
        The file's bytes (JSON in UTF-8, UTF-16 or CP949, or a table), or its path.
    name
        File name to show; needed with bytes.

    Returns
    -------
    AnonymizationLog
        With the notes about its form.

    Raises
    ------
    AuditInputError
        Without an entry for each column that can be read, or a mode other than low and high.
    """
    data = bytes_at(source) if isinstance(source, Path) else source
    name = name or (source_at(source).name if isinstance(source, Path) else "log")
    repeated: list[str] = []
    document, log_info = _document(data, name=name, repeated=repeated)
    notes = [_repeated_note(name, key) for key in dict.fromkeys(repeated)]
    meta = _meta(document, name=name, notes=notes)
    entries = {column: _entry(column, value, name=name, notes=notes) for column, value in log_info.items()}
    return AnonymizationLog(
        name=name,
        mode=_mode(meta, name=name),
        allow_dx=_allow_dx(meta, name=name, notes=notes),
        created_at=_meta_text(meta, "created_at", name=name, notes=notes),
        source_file=_meta_text(meta, "source_file", name=name, notes=notes),
        output_file=_meta_text(meta, "output_file", name=name, notes=notes),
        entries=MappingProxyType(entries),
        origin=_origin(document, meta),
        sha256=hashlib.sha256(data).hexdigest(),
        n_bytes=len(data),
        texts=tuple(islice(dict.fromkeys(_texts_in(document)), _MOST_TEXTS)),
        notes=tuple(notes),
    )


def _origin(document: Mapping[str, object], meta: Mapping[str, object]) -> Origin:
    if not isinstance(_value(document, "log_info"), dict):
        return "by_fields"
    return "made_here" if meta.get("made_by") == MADE_HERE else "log"


def _texts_in(part: object) -> Iterator[str]:
    """Yield the short texts and whole numbers that are values of a log, at any depth, but what it claims."""
    if isinstance(part, dict):
        for key, each in part.items():
            if key not in _CLAIMS:
                yield from _texts_in(each)
    elif isinstance(part, list):
        for each in part:
            yield from _texts_in(each)
    elif isinstance(part, str | int) and not isinstance(part, bool) and 0 < len(str(part)) <= _LONGEST_TEXT:
        yield str(part)


def _document(data: bytes, *, name: str, repeated: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the log and its object with an entry per column; keys there twice are appended to `repeated`."""
    if len(data) > _LARGEST_LOG:
        raise input_error(
            "{log}: the log has {megabytes} MB; at most {most} are read. It needs one short entry per "
            "column.",
            log=name,
            megabytes=round(len(data) / 1e6),
            most=round(_LARGEST_LOG / 1e6),
        )
    if not name.lower().endswith(".json") and not data.lstrip(_BEFORE_JSON).startswith((b"{", b"[")):
        records = records_in_table(data, name=name)
        return {"records": records}, entries_of(records, name=name)
    document = _parse(data, name=name, repeated=repeated)
    log_info = _value(document, "log_info") if isinstance(document, dict) else None
    if isinstance(document, dict) and isinstance(log_info, dict):
        return document, log_info
    if records := records_in_json(document):
        return document if isinstance(document, dict) else {"records": records}, entries_of(
            records, name=name
        )
    if not isinstance(document, dict):
        raise AuditInputError(_unusable("{log}: the log is not a JSON object. {remedy}", name))
    raise AuditInputError(
        _unusable("{log}: the log has no object `log_info` with an entry per column. {remedy}", name)
    )


def _parse(data: bytes, *, name: str, repeated: list[str]) -> object:
    """Return the JSON document; keys that an object holds twice are appended to `repeated`."""

    def keep_last(pairs: list[tuple[str, object]]) -> dict[str, object]:
        document = dict(pairs)
        if len(document) < len(pairs):
            n_of_key = Counter(key for key, _ in pairs)
            repeated.extend(key for key, n in n_of_key.items() if n > 1)
        return document

    try:
        return valid_json(parsed_json(_decode(data), object_pairs_hook=keep_last))
    except json.JSONDecodeError as error:
        raise input_error(
            "{log}: the log is not valid JSON (line {line}, character {character}). {remedy}",
            log=name,
            line=error.lineno,
            character=error.colno,
            remedy=own(_REMEDY),
        ) from None
    except ValueError:
        raise AuditInputError(
            _unusable("{log}: the log is not readable as JSON text. {remedy}", name)
        ) from None


def _unusable(message: str, name: str) -> Text:
    return text(message, log=name, remedy=own(_REMEDY))


def _decode(data: bytes) -> str:
    """Return the text; Korean tools also write CP949."""
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        return data.decode("cp949")


def _value(document: Mapping[str, object], key: str) -> object:
    """Return the value of a key, as written or else as the first key that folds alike; None of none."""
    if key in document:
        return document[key]
    return next((value for name, value in document.items() if folded(name) == folded(key)), None)


def _meta(document: dict[str, object], *, name: str, notes: list[Finding]) -> dict[str, object]:
    meta = _value(document, "_meta")
    if meta is None:
        return {}
    if isinstance(meta, dict):
        return meta
    notes.append(
        _note(
            "log_meta_unusable",
            "{log}: `_meta` is not an object, so low mode without permission to keep diagnoses was "
            "assumed. Correct the log if that is wrong.",
            log=name,
        )
    )
    return {}


def _mode(meta: dict[str, object], *, name: str) -> Mode:
    mode = _value(meta, "mode")
    if mode is None:
        return "low"
    if isinstance(mode, str) and folded(mode) in {"low", "high"}:
        return cast("Mode", folded(mode))
    raise input_error(
        "{log}: `_meta.mode` is neither `low` nor `high`. Correct the mode in the log.", log=name
    )


def _allow_dx(meta: dict[str, object], *, name: str, notes: list[Finding]) -> bool:
    allowed = _value(meta, "allow_dx")
    if allowed is None or isinstance(allowed, bool):
        return bool(allowed)
    notes.append(
        _note(
            "log_value_not_text",
            "{log}: `_meta.allow_dx` is neither `true` nor `false`, so keeping diagnoses counts as not "
            "permitted. Correct the log if that is wrong.",
            log=name,
        )
    )
    return False


def _meta_text(meta: dict[str, object], key: str, *, name: str, notes: list[Finding]) -> str | None:
    value = _value(meta, key)
    if value is None or isinstance(value, str):
        return value
    notes.append(
        _note(
            "log_value_not_text",
            "{log}: `_meta.{key}` is not a text and was ignored. Correct the log.",
            log=name,
            key=key,
        )
    )
    return None


def _entry(column: str, value: object, *, name: str, notes: list[Finding]) -> LogEntry:
    """Return the entry of a column; what is odd about it is appended to `notes`."""
    shown = _shortened(column)
    if not isinstance(value, dict):
        notes.append(
            _note(
                "log_entry_unusable",
                "{log}: the entry of column `{column}` is not an object, so the column was only checked for "
                "sensitive patterns. Correct the entry.",
                log=name,
                column=shown,
                of=column,
            )
        )
        return LogEntry(column=column, semantic="", action="")
    texts = {
        key: _entry_text(column, value, key, name=name, notes=notes)
        for key in ("semantic", "action", "source")
    }
    action = _known_word(texts["action"], _KNOWN_ACTIONS)
    if action and action not in _KNOWN_ACTIONS and meaning_of(action) is None:
        notes.append(
            _note(
                "log_action_unknown",
                "{log}: column `{column}` has the unknown action `{action}`, so it was only checked for "
                "sensitive patterns. Correct the action or check the column by eye.",
                log=name,
                column=shown,
                action=_shortened(texts["action"]),
                of=column,
            )
        )
    semantic = _known_word(texts["semantic"], QUASI_IDENTIFYING_SEMANTICS)
    return LogEntry(column=column, semantic=semantic, action=action, source=texts["source"] or None)


_MISSING = {
    "semantic": "{log}: column `{column}` has no `semantic`, so the column counts neither as high-risk nor "
    "as a quasi-identifier. Complete the entry.",
    "action": "{log}: column `{column}` has no `action`, so the column was only checked for sensitive "
    "patterns. Complete the entry.",
    "source": "{log}: column `{column}` has no `source`, so it was ignored. Complete the entry.",
}
_NO_TEXT = {
    "semantic": "{log}: column `{column}` has a value that is no text as `semantic`, so the column counts "
    "neither as high-risk nor as a quasi-identifier. Complete the entry.",
    "action": "{log}: column `{column}` has a value that is no text as `action`, so the column was only "
    "checked for sensitive patterns. Complete the entry.",
    "source": "{log}: column `{column}` has a value that is no text as `source`, so it was ignored. Complete "
    "the entry.",
}


def _entry_text(column: str, entry: dict[str, object], key: str, *, name: str, notes: list[Finding]) -> str:
    """Return the trimmed text; "" where it is missing or no text, which is noted."""
    value = _value(entry, key)
    if isinstance(value, str) and value.strip():
        return value.strip()
    if key == "source" and value is None:
        return ""
    missing = value is None or isinstance(value, str)
    notes.append(
        _note(
            f"log_{key}_missing" if missing else "log_value_not_text",
            (_MISSING if missing else _NO_TEXT)[key],
            log=name,
            column=_shortened(column),
            of=column,
        )
    )
    return ""


def _repeated_note(name: str, key: str) -> Finding:
    return _note(
        "log_key_repeated",
        "{log}: the key `{key}` appears more than once in the same object and the last one was used. Keep "
        "the right one.",
        log=name,
        key=_shortened(key),
    )


def _note(check: str, message: str, *, of: str | None = None, **values: Value) -> Finding:
    """Return a warning, of a column if one is concerned."""
    return Finding(check=check, verdict=Verdict.WARN, message=text(message, **values), column=of)


def _shortened(written: str) -> str:
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"


def _file_name(path: str) -> str:
    """Return the last part of a path written on any system, for comparing without case."""
    return path.replace("\\", "/").rsplit("/", 1)[-1].casefold()
