"""What the header of the anonymized file still tells: who, where, how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from core.vcf.exposure import Exposure, found
from core.vcf.header import VcfHeader
from core.verdict import Verdict

_KEY = re.compile(rb"##([^=]*)=?(.*)", re.DOTALL)
_COMMAND_KEY = re.compile(rb"(?i)command|cmd|arguments|invocation|CL$|^args?$|^options$|^param")
_COMMAND_VALUE = re.compile(
    rb"(?i)\bCommandLine(?:Options)?=|\bcmdline=|(?:^|\s)--?[a-z][\w-]*[ =]\S+\s+--?[a-z]"
)
_SOURCE_KEY = re.compile(
    rb"(?i)^(?:source.*|center|centre|institution|organi[sz]ation|lab|program|pipeline|tool|.*version.*)$"
)
_DATE_KEY = re.compile(rb"(?i)date|time")
_DATE_VALUE = re.compile(
    rb"(?<!\d)(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])[-/.]?(?:0[1-9]|[12]\d|3[01])(?!\d)|\bDate="
    rb"|(?<!\d)(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d\d(?!\d)"
    rb"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+(?:\d{1,2},?\s+)?(?:19|20)\d\d\b"
)
_PERSON_KEY = re.compile(
    rb"(?i)^(?:(?:tumou?r_?|normal_?)?sample|pedigree|individual|donor|patient|meta|phasing_?set|pedigreedb|RG$"
    rb"|read_?group|barcode|flow_?cell|library|tumou?r$|normal$)"
)
_PERSON_VALUE = re.compile(
    rb"\bSM[:=]|(?<!\d)\d{6}-[1-4]\d{6}(?!\d)|(?i:\b(?:patient|donor|proband))\s*[:=]?\s*[A-Z][a-z]+"
)
_DATA_FILE = re.compile(
    rb"(?i)[\w+-]\.(?:bam|cram|sam|fastq|fq|g?vcf|bcf|ped|fam|idat|gtc)(?:\.gz|\.bgz)?(?![\w])"
)
_NOT_OF_FILES = re.compile(rb"[^\w.+-]")
_LONG_NAME = 255
_PUBLIC_FILE = re.compile(rb"(?i)dbsnp|gnomad|clinvar|1000g|hapmap|mills|exac|cosmic|topmed")
_ALLELE = re.compile(
    rb"(?<![A-Za-z0-9])(?:chr)?(?:\d{1,2}|X|Y|MT?)[:_\s-]\d+[:_\s-]*[ACGT]+\s*[>/:_\s-]\s*[ACGT]+(?![A-Za-z])"
    rb"|(?<![A-Za-z0-9])rs\d{3,}|[cgmn]\.[0-9+*-]+[ACGT]+>[ACGT]"
)
_WORD = re.compile(rb"[^\s,;:=<>\"'()\[\]/|]+")
_PATH = re.compile(
    rb"(?:^|[\s=\"'(,:<\[;])(?:file:)?(?:~|\.{1,2})?(?:/[\w.+@%~-]+){2,}"
    rb"|(?:^|[\s=\"'(,:<\[;])(?:s3|gs|gcs|hdfs|s?ftp|abfss?|file|azure|drs)://?\S|~/\w|^/\w"
    rb"|[A-Za-z]:[\\/][\w. -]+|\\\\[\w.-]+\\[\w.-]+"
)
_HOST = re.compile(
    rb"(?i)/(?:home|users|user|export/home)/[\w.-]+|\\users\\|\b(?:host(?:name)?|user(?:name)?|login|operator|analyst)\s*[=:]\s*\S"
    rb"|(?<![\d.])(?:10|127|172|192)(?:\.\d{1,3}){3}(?![\d.])|[\w-]@[\w-]+(?![\w.-])"
    rb"|[\w-]\.(?:local|lan|internal|intra|corp|localdomain)\b"
)
_EMAIL = re.compile(rb"[\w.+-]@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_CONTIG_ORIGIN = re.compile(rb"(?i)\b(?:assembly|url|md5|m5|accession)=")

_GENERIC_SAMPLE = re.compile(
    r"(?i)^(?:(?:s|sample|donor|subject|subj|anon\w*|masked|id|p|pt|ind|indiv|individual|patient|case|control|proband"
    r"|tumou?r|normal|child|mother|father|kid|mom|dad|unknown|x|n)[_\-. ]?)?\d{0,5}$"
)
_RANDOM_SAMPLE = re.compile(  # tokens in hexadecimal, digits and letters mixed
    r"^(?=(?:.*\d){3})(?=(?:.*[a-fA-F]){2})(?:[0-9a-f]{10,}|[0-9A-F]{10,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"
)
_PERSONAL_SAMPLE = re.compile(
    r"[\uac00-\ud7a3]{2,}|@|\d{6,}|[A-Za-z]{3,}[ _.\-]?[A-Za-z]{2,}|^[A-Za-z]{3,}$|^(?:HG|NA|GM)\d{5}$"
    r"|[A-Za-z]+[-_]?\d{4,}|\d+[A-Za-z]+\d+"
)


class HeaderFinding(NamedTuple):
    """How many of how many lines or samples a check found, and their places."""

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
    telling = {
        name: {line for line, (key, value) in enumerate(split) if tells(key, value)}
        for name, tells in LINE_CHECKS.items()
    }
    telling["header_person"] |= _lines_with_samples(original, anonymized)
    seen = set().union(*telling.values())
    telling["header_leftover"] = _leftovers(original, anonymized, split) - seen
    findings = []
    for name, lines in telling.items():
        places = tuple(dict.fromkeys(_key_text(split[line][0]) for line in sorted(lines)))
        findings.append(HeaderFinding(name, len(lines), len(split), places))
    return (*findings, *_sample_findings(original, anonymized))


def _lines_with_samples(original: VcfHeader, anonymized: VcfHeader) -> set[int]:
    """Return the lines that hold, as a word, a sample's name that is not a general one."""
    names = {
        name
        for name in (*original.samples, *anonymized.samples)
        if len(name) >= MIN_NAME and not _GENERIC_SAMPLE.match(name.decode("utf-8", "replace"))
    }
    return {
        line for line, text in enumerate(anonymized.lines) if names and not names.isdisjoint(_words(text))
    }


def _words(line: bytes) -> set[bytes]:
    words = set(_WORD.findall(line))
    return words | {part for word in words for part in re.split(rb"[._-]+", word)}


def _leftovers(original: VcfHeader, anonymized: VcfHeader, split: Sequence[tuple[bytes, bytes]]) -> set[int]:
    """Return the lines of the original with a value under a key that is not of the standard."""
    known = set(original.lines)
    return {
        line
        for line, (key, value) in enumerate(split)
        if key not in _STANDARD and value not in (b".", b"") and anonymized.lines[line] in known
    }


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
    if value in (b".", b"") or key in _DEFINITIONS:
        return False
    return _PERSON_KEY.match(key) is not None or _PERSON_VALUE.search(value) is not None


def has_file(_key: bytes, value: bytes) -> bool:
    """Tell whether a line names a file of reads or variants; those of public databases do not count."""
    return any(
        not _PUBLIC_FILE.search(
            _NOT_OF_FILES.split(value[max(0, match.start() - _LONG_NAME) : match.end()])[-1]
        )
        for match in _DATA_FILE.finditer(value)
    )


def has_allele(key: bytes, value: bytes) -> bool:
    """Tell whether a line holds a variant, such as ``1:1005:A:G``, or a dbSNP identifier."""
    return key not in _DEFINITIONS and _ALLELE.search(value) is not None


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
_STANDARD = (*_DEFINITIONS, b"reference", b"assembly", b"phasing", b"cmdline")
MIN_NUMBER = 5  # digits: shorter numbers of samples are counted in many files
MIN_NAME = 4  # letters: shorter sample names are words of other meaning too often
MAX_NAMES = 2_000  # of samples that are searched inside other names
LINE_CHECKS: Mapping[str, Callable[[bytes, bytes], bool]] = {
    "header_command": has_command,
    "header_source": has_source,
    "header_date": has_date,
    "header_person": has_person,
    "header_file": has_file,
    "header_allele": has_allele,
    "header_path": has_path,
    "header_host": has_host,
    "header_email": has_email,
    "header_contig_origin": has_contig_origin,
}


def looks_personal(sample: str) -> bool:
    """Tell whether a sample name looks like a person's name or an identifier, not like ``sample_1``."""
    if _GENERIC_SAMPLE.match(sample) or _RANDOM_SAMPLE.match(sample):
        return False
    return _PERSONAL_SAMPLE.search(sample) is not None


def _sample_findings(original: VcfHeader, anonymized: VcfHeader) -> tuple[HeaderFinding, HeaderFinding]:
    n_samples = len(anonymized.samples)
    holds_name = _name_finder(original.samples)
    kept = [column for column, sample in enumerate(anonymized.samples, 1) if holds_name(sample)]
    personal = [
        column
        for column, sample in enumerate(anonymized.samples, 1)
        if looks_personal(sample.decode("utf-8", "replace"))
    ]
    return (
        HeaderFinding("samples_kept", len(kept), n_samples, _columns(kept)),
        HeaderFinding("samples_identify", len(personal), n_samples, _columns(personal)),
    )


def _name_finder(samples: Sequence[bytes]) -> Callable[[bytes], bool]:
    """Return what tells whether a name is one of the samples' names or, of long ones, holds one."""
    known = {*samples, *(_letters(name) for name in samples)} - {b""}
    known |= {name[::-1] for name in known if len(name) >= MIN_NAME}
    numbers = {_digits(name) for name in samples if len(_digits(name)) >= MIN_NUMBER}
    long = sorted({_letters(name) for name in samples if len(_letters(name)) >= MIN_NAME})
    pattern = re.compile(b"|".join(long)) if 0 < len(long) <= MAX_NAMES else None

    def holds_name(sample: bytes) -> bool:
        letters = _letters(sample)
        alike = sample in known or letters in known or _digits(sample) in numbers
        return alike or bool(pattern and pattern.search(letters))

    return holds_name


def _letters(name: bytes) -> bytes:
    return re.sub(rb"[^a-z0-9]", b"", name.lower())


def _digits(name: bytes) -> bytes:
    return re.sub(rb"[^0-9]", b"", name)


def _columns(columns: list[int]) -> tuple[str, ...]:
    return tuple(f"sample {column}" for column in columns)


def _split(line: bytes) -> tuple[bytes, bytes]:
    match = _KEY.match(line)
    key, value = (match[1], match[2]) if match else (b"", line)
    return key, unquote_to_bytes(value) if b"%" in value else value


def _key_text(key: bytes) -> str:
    return f"##{key.decode('utf-8', 'backslashreplace')[:60]}"
