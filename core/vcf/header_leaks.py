"""What the header of the anonymized file still tells: who, where, how."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from core.vcf.checks.spellings import WRITTEN_VARIANT
from core.vcf.computed_names import Computed, computed_names
from core.vcf.exposure import Exposure, SamplePlaces, found
from core.vcf.header import VcfHeader, attributes_of
from core.vcf.sample_names import (
    MIN_NAME,
    are_numbers_of_people,
    decoded,
    folded,
    holds_code,
    holds_full_name,
    holds_person,
    is_generic,
    is_role,
    looks_personal,
    name_finder,
    tells_apart,
)
from core.verdict import Verdict

_ID = re.compile(rb'(##[^=]*)=<(?:[^">]*,)?ID=([^,>]+)')
_SYMBOL = re.compile(rb"<([^<>]+)>")
_KEY = re.compile(rb"##([^=]*)=?(.*)", re.DOTALL)
_COMMAND_KEY = re.compile(rb"(?i)command|cmd|arguments|invocation|CL$|^args?$|^options$|^param")
_PROGRAM = re.compile(rb"[A-Za-z][A-Za-z0-9_.]{0,40}")
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
    rb"(?i)^(?:(?:tumou?r_?|normal_?)?sample|pedigree|individual|donor|patient|phasing_?set|RG$"
    rb"|read_?group|.*barcode|.*bead_?chip|flow_?cell|library|tumou?r$|normal$|.*gender|sex$|.*_sex$"
    rb"|karyotype|birth|dob$|ethnic|ancestry|race$|diagnos|phenotype|family)"
)
_PERSON_VALUE = re.compile(
    rb"\bSM[:=]|(?<!\d)\d{6}-[1-4]\d{6}(?!\d)|(?i:\b(?:patient|donor|proband))\s*[:=]?\s*[A-Z][a-z]+"
    rb"|(?<!\d)\d{10,12}_R\d\dC\d\d(?!\d)|(?<!\d)4[5-7],\s?X[XY]{0,3}\b"
    rb"|(?i:\b(?:gender|sex)\s?[:=]\s?[\"']?(?:m|f|male|female|man|woman|[12])\b)"
)
_RESIDENT = re.compile(rb"(?<!\d)\d{6}-[1-4]\d{6}(?!\d)")
_DATA_FILE = re.compile(
    rb"(?i)[\w+-]\.(?:bam|cram|sam|fastq|fq|g?vcf|bcf|ped|fam|idat|gtc)(?:\.gz|\.bgz)?(?![\w])"
)
_NOT_OF_FILES = re.compile(rb"[^\w.+-]")
_LONG_NAME = 255
_PUBLIC_FILE = re.compile(
    rb"(?i)dbsnp|gnomad|clinvar|1000g|hapmap|mills|exac|cosmic|topmed|hg(?:18|19|38)|grch3\d|b37|hs37d5"
)
_NUMBERED = re.compile(rb"\d\d")
_WORD = re.compile(r"[^\s,;:=<>\"'()\[\]/|]+")
_PART = re.compile(r"[^\s,;:=<>\"'()\[\]/|._-]+")
_PARTS = re.compile(r"[._-]+")
_PATH = re.compile(
    rb"(?:^|[\s=\"'(,:<\[;])(?:file:)?(?:~|\.{1,2})?(?:/[\w.+@%~-]+){2,}"
    rb"|(?:^|[\s=\"'(,:<\[;])(?:(?:s3|gs|gcs|hdfs|sftp|abfss?|file|azure|drs)://?\S|ftp://[\w.:-]+@)"
    rb"|~/\w|^/\w"
    rb"|[A-Za-z]:[\\/][\w. -]+|\\\\[\w.-]+\\[\w.-]+"
)
_HOST = re.compile(
    rb"(?i)/(?:home|users|user|export/home)/[\w.-]+|\\users\\"
    rb"|\b(?:host(?:name)?|user(?:name)?|login|operator|analyst)\s*[=:]\s*\S"
    rb"|(?<![\d.])(?:10|127|172|192)(?:\.\d{1,3}){3}(?![\d.])|[\w-]@[\w-]+(?![\w.-])"
    rb"|[\w-]\.(?:local|lan|internal|intra|corp|localdomain)\b"
)
_OF_HOST = re.compile(rb"(?i)host|user|login|operator|analyst")
_EMAIL = re.compile(rb"[\w.+-]@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_SUPPORT = re.compile(
    rb"(?i)(?:support|help|helpdesk|info|contact|admin|bugs?|issues|no-?reply|webmaster|team|dev|developers?"
    rb"|users|service|office|feedback|questions|mailing|list)[\w.+-]*@"
)
_TIME_OF_DAY = re.compile(rb"\d\d:\d\d|\bDate=")
_MASKING = re.compile(rb"(?i)anonym|mask|redact|de-?identif|pseudonym")
_SHORT_ANSWER = re.compile(rb"(?i)[\"']?(?:yes|no|true|false|none|done|\d{1,3}(?:\.\d{1,6})?)[\"']?")
_QUOTED = re.compile(rb'"([^"]*)"')
_CONTIG_ORIGIN = re.compile(rb"(?i)\b(?:assembly|url|md5|m5|accession)=")


class HeaderFinding(NamedTuple):
    """How many of how many lines or samples a check found: the lines' keys, the samples' columns from 1."""

    check: str
    n_found: int
    of: int
    places: tuple[str, ...] = ()
    samples: tuple[int, ...] = ()
    how: str = ""  # new names are computed from the original ones


def header_exposures(findings: Iterable[HeaderFinding], severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Return what the anonymized file's header and sample names still tell.

    Examples are header keys, never values or sample names.
    """
    return [
        exposure
        for one in findings
        for exposure in found(
            one.check,
            one.n_found,
            one.of,
            one.places or SamplePlaces(one.samples),
            severities,
            **({"how": one.how} if one.check == "samples_computed" else {}),
        )
    ]


class Symbols:
    """The symbolic alleles of both files, such as ``DEL`` of ``<DEL>``, where the header defines any."""

    def __init__(self, header: VcfHeader) -> None:
        self.are_defined = any(line.startswith(b"##ALT=") for line in header.lines)
        self._had: set[bytes] = set()
        self._has: set[bytes] = set()

    def take(self, alts: Sequence[bytes], kept_alts: Sequence[bytes]) -> None:
        """Take up ALT columns of both files."""
        self._had.update(_SYMBOL.findall(b",".join(alts)))
        self._has.update(_SYMBOL.findall(b",".join(kept_alts)))

    @property
    def gone(self) -> frozenset[bytes]:
        """Return the names that the original's records have and the anonymized file's have not."""
        return frozenset(self._had - self._has)


class Line(NamedTuple):
    """One header line: its key and value, and whether it documents a field in words of the original's."""

    key: bytes
    value: bytes
    is_documentation: bool = False

    @property
    def is_blank(self) -> bool:
        """Tell whether there is no value, or a point in its place."""
        return self.value in (b".", b"")


def header_findings(
    original: VcfHeader, anonymized: VcfHeader, gone: AbstractSet[bytes] = frozenset()
) -> tuple[HeaderFinding, ...]:
    """Search the anonymized file's header and sample names, once per scan; `gone` symbols have no record."""
    known = {text for line in original.lines for text in _QUOTED.findall(line)}
    lines = [_split(line, known) for line in anonymized.lines]
    telling = {
        name: {number for number, line in enumerate(lines) if not line.is_blank and tells(line)}
        for name, tells in LINE_CHECKS.items()
    }
    telling["header_person"] |= _lines_with_samples(original, anonymized, lines)
    of_columns = _of_columns_alone(original, anonymized, lines)
    seen = of_columns.union(*telling.values())
    telling["header_leftover"] = {
        number for number, line in enumerate(lines) if number not in seen and is_free_text(line)
    } | _odd_definitions(original, anonymized, lines)
    telling["header_definition"] = {
        number
        for number, line in enumerate(lines)
        if line.key == b"ALT" and attributes_of(anonymized.lines[number])[1].get(b"ID") in gone
    }
    findings: list[HeaderFinding] = []
    for name, every in telling.items():
        numbers = every - of_columns
        places = tuple(dict.fromkeys(_key_text(lines[number].key) for number in sorted(numbers)))
        findings.append(HeaderFinding(name, len(numbers), len(lines), places))
    return (*findings, *_sample_findings(original, anonymized))


def _of_columns_alone(original: VcfHeader, anonymized: VcfHeader, lines: Sequence[Line]) -> set[int]:
    """Return the lines of the original's keys that say no more than the new name of a released column."""
    names = frozenset(
        one for one in {*anonymized.samples} - {*original.samples} if not looks_personal(decoded(one))
    )
    keys = {raw.partition(b"=")[0][2:] for raw in original.lines}
    return {
        number
        for number, line in enumerate(lines)
        if line.key in keys and line.value.removeprefix(b"<ID=").removesuffix(b">") in names
    }


def _lines_with_samples(original: VcfHeader, anonymized: VcfHeader, lines: Sequence[Line]) -> set[int]:
    """Return the lines with a sample's name as a word; one of letters only in fields of people."""
    texts = [decoded(line.value) for line in lines]
    parts = [set(_PART.findall(text)) for text in texts]
    said: set[str] = set().union(*parts)
    begins = {
        name: _PART.findall(name)[:1] for name in map(decoded, {*original.samples, *anonymized.samples})
    }
    names = {name for name, begin in begins.items() if not said.isdisjoint(begin)}  # no other can be found
    names = {name for name in names if len(folded(name)) >= MIN_NAME and not is_generic(name)}
    found = {begin for name in names for begin in begins[name]}
    names |= {"_".join(re.split(r"[\s._-]+", name)) for name in names if not name.isalnum()}
    telling = {name for name in names if not name.isalpha() or holds_person(name)}
    return {
        number
        for number, line in enumerate(lines)
        if not found.isdisjoint(parts[number])
        and not (telling if line.is_documentation else names).isdisjoint(_words(texts[number]))
    }


def _words(text: str) -> set[str]:
    """Return the words of a text, their parts, and two and three parts in a row, written as a name may be."""
    words = _WORD.findall(text)
    parts = [part for word in words for part in _PARTS.split(word)]
    rows = {"_".join(parts[at : at + n]) for n in (2, 3) for at in range(len(parts) - n + 1)}
    return {*words, *parts, *rows}


def is_free_text(line: Line) -> bool:
    """Tell whether a line has a key that is not of the standard, and more than that the file was masked."""
    if line.key in _STANDARD or line.is_blank or _is_emptied_command(line):
        return False
    return not (_MASKING.search(line.key) and _SHORT_ANSWER.fullmatch(line.value))


def _odd_definitions(original: VcfHeader, anonymized: VcfHeader, lines: Sequence[Line]) -> set[int]:
    """Return repeated lines, and those of the standard's keys with something beyond it and the original."""
    before = set(original.lines)
    changed = {line.key for raw, line in zip(anonymized.lines, lines, strict=True) if raw not in before}
    keys = tuple(b"##%s=<" % key for key in changed)
    known: dict[tuple[bytes, bytes], dict[bytes, set[bytes]]] = defaultdict(lambda: defaultdict(set))
    for raw in filter(lambda raw: raw.startswith(keys), original.lines):
        key, attributes = attributes_of(raw)
        for name, value in attributes.items():
            known[key, attributes.get(b"ID", b"")][name].add(value)
    places = b"\n".join(raw for raw in original.lines if raw.startswith((b"##reference=", b"##assembly=")))
    return {
        number
        for number, (raw, line) in enumerate(zip(anonymized.lines, lines, strict=True))
        if line.key in _STANDARD
        and raw not in before
        and not line.is_blank
        and (_is_odd(raw, line, known, places) or (line.key == b"fileformat" and raw < original.lines[0]))
    } | set(_repeated(original.lines, anonymized.lines))


def _repeated(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[int]:
    """Yield the lines that are there more often than in the original; without an ID, by what they say."""
    allowed = Counter(map(_identity, before))
    seen: Counter[tuple[bytes, bytes]] = Counter()
    for number, raw in enumerate(after):
        identity = _identity(raw)
        name = identity if identity[1] else (b"", raw)
        seen[name] += 1
        if seen[name] > max(1, allowed[identity]):
            yield number


def _identity(raw: bytes) -> tuple[bytes, bytes]:
    """Return a line's key and, of a definition, its ID."""
    found = _ID.match(raw)
    return (found[1], found[2]) if found else (raw.partition(b"=")[0], b"")


def some_contigs_removed(original: VcfHeader, anonymized: VcfHeader, used: AbstractSet[bytes]) -> bool:
    """Tell whether some contigs were taken out and others left, but for leaving those that have records."""
    before = set(original.contigs)
    left = before.intersection(anonymized.contigs)
    return bool(left) and left not in (before, before.intersection(used))


def _is_odd(
    raw: bytes, line: Line, known: Mapping[tuple[bytes, bytes], Mapping[bytes, set[bytes]]], places: bytes
) -> bool:
    if line.key in (b"reference", b"assembly"):
        return line.value not in places and not _BUILD.fullmatch(line.value)
    if line.key in _PLAIN_VALUES:
        return not _PLAIN_VALUES[line.key].fullmatch(line.value)
    if line.value.startswith(b"<") and not raw.endswith(b">"):
        return True
    _, attributes = attributes_of(raw)
    own = known.get((line.key, attributes.get(b"ID", b"")), {})
    usual = (b"ID", b"IDX") if own else _USUAL_ATTRIBUTES.get(line.key, _DEFINING)
    if attributes.get(b"Description") == b'""':  # one that is blank is no code
        usual = (*usual, b"Description")
    return any(name in own and name not in attributes for name in (b"Number", b"Type")) or any(
        name not in usual and value not in own.get(name, ()) for name, value in attributes.items()
    )


def has_command(line: Line) -> bool:
    """Tell whether a line holds a command; ``##cmdline=.`` does not, nor ``<ID=x,CommandLine=".">``."""
    if _is_emptied_command(line):
        return False
    return _COMMAND_KEY.search(line.key) is not None or (
        (b"-" in line.value or b"line" in line.value.lower())
        and _COMMAND_VALUE.search(line.value) is not None
    )


def _is_emptied_command(line: Line) -> bool:
    """Tell whether a command's line in pointed brackets says nothing but the program and its version."""
    if _COMMAND_KEY.search(line.key) is None or not line.value.startswith(b"<"):
        return False
    _, attributes = attributes_of(b"##x=" + line.value)
    said = [each for name, each in attributes.items() if name not in (b"ID", b"Version")]
    is_program = _PROGRAM.fullmatch(attributes.get(b"ID", b"")) is not None
    return is_program and bool(said) and not any(each.strip(b'".') for each in said)


def has_source(line: Line) -> bool:
    """Tell whether a line names the program or the place that made the file."""
    return _SOURCE_KEY.match(line.key) is not None


def has_date(line: Line) -> bool:
    """Tell whether a line holds a date; documentation is not searched, a tool's day of building is none."""
    if line.is_documentation or (has_source(line) and not _TIME_OF_DAY.search(line.value)):
        return False
    by_key = line.key not in _DEFINITIONS and _DATE_KEY.search(line.key) is not None
    return (by_key and any(map(str.isdigit, line.value.decode("latin-1")))) or (
        _DATE_VALUE.search(line.value) is not None
    )


def has_person(line: Line) -> bool:
    """Tell whether a line describes a sample, a pedigree or an individual, or names a person.

    In what documents a field in the original's words, only what surely is a full name counts.
    """
    if line.is_documentation:
        return _RESIDENT.search(line.value) is not None or any(
            holds_full_name(decoded(text), surely=True) for text in _QUOTED.findall(line.value)
        )
    if line.key in _DEFINITIONS:
        return _PERSON_VALUE.search(line.value) is not None or any(
            holds_full_name(decoded(text)) for text in _QUOTED.findall(line.value)
        )
    return _PERSON_KEY.match(line.key) is not None or _PERSON_VALUE.search(line.value) is not None


def has_file(line: Line) -> bool:
    """Tell whether a line names a file of reads or variants; those of public databases do not count.

    In what documents a field only names with a number count: others are those of tools and examples.
    """
    names = (
        _NOT_OF_FILES.split(line.value[max(0, match.start() - _LONG_NAME) : match.end()])[-1]
        for match in _DATA_FILE.finditer(line.value)
    )
    return any(
        not _PUBLIC_FILE.search(name) and (not line.is_documentation or _NUMBERED.search(name))
        for name in names
    )


def has_allele(line: Line) -> bool:
    """Tell whether a line holds a variant, such as ``1:1005:A:G``, or a dbSNP identifier."""
    if line.is_documentation:
        return WRITTEN_VARIANT.search(attributes_of(b"##x=" + line.value)[1].get(b"ID", b"")) is not None
    return WRITTEN_VARIANT.search(line.value) is not None


def has_path(line: Line) -> bool:
    """Tell whether a line holds a file path, of Unix or Windows; web addresses do not count."""
    may_be = b"/" in line.value or b"\\" in line.value
    return may_be and _PATH.search(line.value) is not None


def has_host(line: Line) -> bool:
    """Tell whether a line names a user or a computer."""
    value = line.value
    may_be = b"." in value or b"/" in value or b"@" in value or b"\\" in value or _OF_HOST.search(value)
    return bool(may_be) and _HOST.search(value) is not None


def has_email(line: Line) -> bool:
    """Tell whether a line holds an e-mail address; a tool's support in documentation does not count."""
    if b"@" not in line.value:
        return False
    found = (match[0] for match in _EMAIL.finditer(line.value))
    return any(not (line.is_documentation and _is_support(line.value, address)) for address in found)


def _is_support(value: bytes, address: bytes) -> bool:
    at = value.find(address)
    begin = max((value.rfind(sign, 0, at + 1) for sign in (b" ", b"<", b"(", b":", b'"', b",")), default=-1)
    return _SUPPORT.match(value, begin + 1) is not None


def has_contig_origin(line: Line) -> bool:
    """Tell whether a contig line says where its sequence came from."""
    return line.key == b"contig" and _CONTIG_ORIGIN.search(line.value) is not None


_DEFINITIONS = (b"INFO", b"FORMAT", b"FILTER", b"ALT", b"contig", b"fileformat")
_DEFINING = (b"ID", b"Number", b"Type", b"Description", b"Source", b"Version", b"IDX")
_USUAL_ATTRIBUTES: Mapping[bytes, tuple[bytes, ...]] = {b"contig": ()}  # a contig that the original has not
_PLAIN_VALUES: Mapping[bytes, re.Pattern[bytes]] = {
    b"fileformat": re.compile(rb"VCFv4\.[0-9]"),
    b"phasing": re.compile(rb"(?i)none|partial|full|phased|unphased|yes|no"),
}
_BUILD = re.compile(
    rb"(?i)(?:hg|grch|b|ncbi|human_?g1k_?v|hs|mm|grcm|chm|t2t|canfam|ucsc|ensembl)[\w.+-]{0,24}(?:\.fa(?:sta)?(?:\.gz)?)?"
)
_STANDARD = (*_DEFINITIONS, b"reference", b"assembly", b"phasing", b"cmdline")
LINE_CHECKS: Mapping[str, Callable[[Line], bool]] = {
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


def _sample_findings(original: VcfHeader, anonymized: VcfHeader) -> Iterator[HeaderFinding]:
    names = [decoded(sample) for sample in anonymized.samples]
    known = frozenset(original.samples)
    is_new = not known.issuperset(anonymized.samples)
    holds_name = name_finder(_telling(original)) if is_new else lambda _name: False
    kept: list[int] = []
    telling: list[int] = []
    others: list[int] = []
    are_numbers = are_numbers_of_people(names)
    for column, (sample, name) in enumerate(zip(anonymized.samples, names, strict=True), 1):
        is_kept = (sample in known and not is_role(name)) or holds_name(sample)
        (kept if is_kept else others).append(column)
        is_coded = holds_code(name) and sample not in known
        if is_coded or are_numbers or looks_personal(name) or (is_kept and tells_apart(name)):
            telling.append(column)
    computed = computed_names([*map(decoded, original.samples)], names) if others and is_new else Computed()
    for check, columns in (
        ("samples_kept", kept),
        ("samples_identify", telling),
        ("samples_computed", sorted({*computed.columns} - {*kept})),
    ):
        yield HeaderFinding(check, len(columns), len(names), samples=tuple(columns), how=computed.how)


def _telling(header: VcfHeader) -> list[bytes]:
    """Return the names of samples that are more than roles."""
    return [sample for sample in header.samples if not is_role(decoded(sample))]


def _split(line: bytes, known: Container[bytes]) -> Line:
    match = _KEY.match(line)
    key, value = (match[1], match[2]) if match else (b"", line)
    quoted = _QUOTED.findall(value)
    documents = key in _DEFINITIONS and all(text in known for text in quoted)
    return Line(key, unquote_to_bytes(value) if b"%" in value else value, documents)


def _key_text(key: bytes) -> str:
    return f"##{key.decode('utf-8', 'backslashreplace')[:60]}"
