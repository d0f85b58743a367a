"""What the header of the anonymized file still tells: who, where, how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from core.vcf.candidates import N_EXAMPLES
from core.vcf.exposure import Exposure, found
from core.vcf.header import VcfHeader
from core.verdict import Verdict

_KEY = re.compile(rb"##([^=]*)=?(.*)", re.DOTALL)
_COMMAND_KEY = re.compile(rb"(?i)command|cmd|arguments|invocation|CL$")
_COMMAND_VALUE = re.compile(rb"(?i)\bCommandLine(?:Options)?=|\bcmdline=|\s--?[a-z][\w-]*[ =]\S+\s+--?[a-z]")
_SOURCE_KEY = re.compile(
    rb"(?i)^(?:source.*|center|centre|institution|organi[sz]ation|lab|program|pipeline|tool|.*version.*)$"
)
_DATE_KEY = re.compile(rb"(?i)date|time")
_DATE_VALUE = re.compile(
    rb"(?<!\d)(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])[-/.]?(?:0[1-9]|[12]\d|3[01])(?!\d)|\bDate="
)
_PERSON_KEY = re.compile(rb"(?i)^(?:sample|pedigree|individual|donor|patient|meta|phasing_?set|pedigreedb)")
_PATH = re.compile(
    rb"(?:^|[\s=\"'(,:<\[;])(?:file:)?(?:~|\.{1,2})?(?:/[\w.+@%~-]+){2,}"
    rb"|[A-Za-z]:[\\/][\w. -]+|\\\\[\w.-]+\\[\w.-]+"
)
_HOST = re.compile(
    rb"(?i)/(?:home|users|user|export/home)/[\w.-]+|\\users\\|\b(?:host(?:name)?|user(?:name)?|login|operator|analyst)\s*[=:]\s*\S"
)
_EMAIL = re.compile(rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_CONTIG_ORIGIN = re.compile(rb"(?i)\b(?:assembly|url|md5|m5|accession)=")

_GENERIC_SAMPLE = re.compile(
    r"(?i)^(?:(?:s|sample|donor|subject|subj|anon\w*|masked|id|p|pt|ind|indiv|individual|patient|case|control|proband"
    r"|tumou?r|normal|child|mother|father|kid|mom|dad|unknown|x|n)[_\-. ]?)?\d{0,5}$"
)
_PERSONAL_SAMPLE = re.compile(
    r"[\uac00-\ud7a3]{2,}|@|\d{6,}|[A-Za-z]{3,}[ _.\-]?[A-Za-z]{2,}|^[A-Za-z]{3,}$|^(?:HG|NA|GM)\d{5}$"
    r"|[A-Za-z]+[-_]?\d{4,}|\d+[A-Za-z]+\d+"
)


class HeaderFinding(NamedTuple):
    """How many of how many lines or samples a check found, and the first few places."""

    check: str
    n_found: int
    of: int
    places: tuple[str, ...]


def header_exposures(findings: Iterable[HeaderFinding], severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Return what the anonymized file's header and sample names still tell.

    Examples are header keys, never values or sample names.
    """
    return [
        exposure
        for name, n_found, of, places in findings
        for exposure in found(name, n_found, of, places, severities)
    ]


def header_findings(original: VcfHeader, anonymized: VcfHeader) -> tuple[HeaderFinding, ...]:
    """Search the anonymized file's header and sample names, once per scan."""
    split = [_split(line) for line in anonymized.lines]
    findings = []
    for name, tells in LINE_CHECKS.items():
        keys = [key for key, value in split if tells(key, value)]
        places = tuple(dict.fromkeys(map(_key_text, keys)))[:N_EXAMPLES]
        findings.append(HeaderFinding(name, len(keys), len(split), places))
    return (*findings, *_sample_findings(original, anonymized))


def has_command(key: bytes, value: bytes) -> bool:
    """Tell whether a line holds a command; ``##cmdline=.`` does not."""
    if value in (b".", b""):
        return False
    return _COMMAND_KEY.search(key) is not None or (
        (b"=" in value or b" -" in value) and _COMMAND_VALUE.search(value) is not None
    )


def has_source(key: bytes, value: bytes) -> bool:
    """Tell whether a line names the program or the place that made the file."""
    return value not in (b".", b"") and _SOURCE_KEY.match(key) is not None


def has_date(key: bytes, value: bytes) -> bool:
    """Tell whether a line holds a date; field descriptions are not searched."""
    if key in _DEFINITIONS or value in (b".", b""):
        return False
    return (_DATE_KEY.search(key) is not None and any(map(str.isdigit, value.decode("latin-1")))) or (
        _DATE_VALUE.search(value) is not None
    )


def has_person(key: bytes, value: bytes) -> bool:
    """Tell whether a line describes a sample, a pedigree or an individual."""
    return value not in (b".", b"") and _PERSON_KEY.match(key) is not None


def has_path(_key: bytes, value: bytes) -> bool:
    """Tell whether a line holds a file path, of Unix or Windows; web addresses do not count."""
    return _PATH.search(value) is not None


def has_host(_key: bytes, value: bytes) -> bool:
    """Tell whether a line names a user or a computer."""
    return _HOST.search(value) is not None


def has_email(_key: bytes, value: bytes) -> bool:
    """Tell whether a line holds an e-mail address."""
    return b"@" in value and _EMAIL.search(value) is not None


def has_contig_origin(key: bytes, value: bytes) -> bool:
    """Tell whether a contig line says where its sequence came from."""
    return key == b"contig" and _CONTIG_ORIGIN.search(value) is not None


_DEFINITIONS = (b"INFO", b"FORMAT", b"FILTER", b"ALT", b"contig", b"fileformat")
LINE_CHECKS: Mapping[str, Callable[[bytes, bytes], bool]] = {
    "header_command": has_command,
    "header_source": has_source,
    "header_date": has_date,
    "header_person": has_person,
    "header_path": has_path,
    "header_host": has_host,
    "header_email": has_email,
    "header_contig_origin": has_contig_origin,
}


def looks_personal(sample: str) -> bool:
    """Tell whether a sample name looks like a person's name or an identifier, not like ``sample_1``."""
    return _GENERIC_SAMPLE.match(sample) is None and _PERSONAL_SAMPLE.search(sample) is not None


def _sample_findings(original: VcfHeader, anonymized: VcfHeader) -> tuple[HeaderFinding, HeaderFinding]:
    n_samples = len(anonymized.samples)
    known = set(original.samples)
    kept = [column for column, sample in enumerate(anonymized.samples, 1) if sample in known]
    personal = [
        column
        for column, sample in enumerate(anonymized.samples, 1)
        if looks_personal(sample.decode("utf-8", "replace"))
    ]
    return (
        HeaderFinding("samples_kept", len(kept), n_samples, _columns(kept)),
        HeaderFinding("samples_identify", len(personal), n_samples, _columns(personal)),
    )


def _columns(columns: list[int]) -> tuple[str, ...]:
    return tuple(f"sample {column}" for column in columns[:N_EXAMPLES])


def _split(line: bytes) -> tuple[bytes, bytes]:
    match = _KEY.match(line)
    return (match[1], match[2]) if match else (b"", line)


def _key_text(key: bytes) -> str:
    return f"##{key.decode('utf-8', 'backslashreplace')[:60]}"
