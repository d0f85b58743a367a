"""What AnonAudit writes, known again by what it holds: a report among the inputs is no data."""

import html
import io
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from core.errors import AuditInputError
from core.files.input_bytes import open_input
from core.languages import LANGUAGES
from core.words import say, speaking

Headers = Literal["ko", "en"]

# of the CSV files that other programs read
TABULAR_COLUMNS: Mapping[Headers, tuple[str, ...]] = MappingProxyType(
    {
        "ko": (
            "파일명",
            "익명화 결과",
            "정책 일관성 준수율(%)",
            "패턴 잔존율(%)",
            "고위험 필드 처리율(%)",
            "PASS 비율(%)",
            "WARN 비율(%)",
            "FAIL 비율(%)",
            "추가 검토 여부",
            "필수 검토 여부",
            "k < 2 비율(%)",
            "k < 5 비율(%)",
            "처리 시간(초)",
        ),
        "en": (
            "File name",
            "Anonymization result",
            "Policy consistency (%)",
            "Pattern residual (%)",
            "High-risk field handling (%)",
            "PASS share (%)",
            "WARN share (%)",
            "FAIL share (%)",
            "Review recommended",
            "Review mandatory",
            "k < 2 share (%)",
            "k < 5 share (%)",
            "Processing time (s)",
        ),
    }
)
VCF_COLUMNS = (
    *("filename", "anonymization_level", "anonymization_rate", "verification_result", "total_targets"),
    *("metadata_targets", "variant_targets", "metadata_masked", "variant_masked", "unmasked_positions"),
)
VCF_FINDING_COLUMNS = (
    *("filename", "origin", "check", "verdict", "n_affected", "message", "remedy", "places"),
)
VCF_SUMMARY_COLUMNS = (
    *("filename", "origin", "state", "overall", "published_rule", "exposure", "donors", "anonymize_again"),
    "problem",
)
PARTS_OF_CSV = ("about", "figures", "findings")  # the first of a report as a zip of CSV
SHEETS = ("Summary", "Findings", "Limits")  # the first of a report as a workbook
CREATOR = "AnonAudit"

_CSV = frozenset(
    ",".join(columns).encode()
    for columns in (*TABULAR_COLUMNS.values(), VCF_COLUMNS, VCF_FINDING_COLUMNS, VCF_SUMMARY_COLUMNS)
)
_HTML = re.compile(
    rb'<!doctype html>\n<html lang="[a-z]+">\n<head>\n<meta charset="utf-8">\n'
    rb'<meta name="(?:generator" content="AnonAudit|anonaudit-rows")'
)
_JSON = b'{\n  "report_format": '
_CREATED = re.compile(rb"<dc:creator[^<>]*>%s</dc:creator>" % CREATOR.encode())
_SHEET = re.compile(rb'<sheet [^<>]*name="([^"]*)"')
_DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, KeyError, NotImplementedError, RuntimeError, EOFError)
_HEAD = 4096  # bytes
_LARGEST = 64 << 20  # bytes of a report as an archive
_LARGEST_PART = 1 << 20


def is_own_report(path: Path) -> bool:
    """Return whether a file is a report that AnonAudit wrote: HTML, JSON, a workbook, CSV or a zip of CSV.

    What it was asked to release is none. False where the file cannot be read, of which its reader tells.
    """
    try:
        with open_input(path) as file:
            head = file.read(_HEAD)
            if head.startswith(b"PK") and os.fstat(file.fileno()).st_size <= _LARGEST:
                return _is_archive_of_ours(io.BytesIO(head + file.read(_LARGEST)))
    except (AuditInputError, OSError, *_DAMAGED):
        return False
    first = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].rstrip(b"\r")
    return head.startswith(_JSON) or first in _CSV or bool(_HTML.match(head))


def _is_archive_of_ours(file: io.BytesIO) -> bool:
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        if names[: len(PARTS_OF_CSV)] == [f"{part}.csv" for part in PARTS_OF_CSV]:
            return True
        parts = [archive.open(name).read(_LARGEST_PART) for name in ("docProps/core.xml", "xl/workbook.xml")]
    sheets = [html.unescape(name.decode()) for name in _SHEET.findall(parts[1])[: len(SHEETS)]]
    return bool(_CREATED.search(parts[0])) and sheets in map(_sheets_said, LANGUAGES)


def _sheets_said(code: str) -> list[str]:
    with speaking(code):
        return [say(name) for name in SHEETS]
