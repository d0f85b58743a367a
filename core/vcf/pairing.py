"""Which anonymized file belongs to which original, and at which level it was anonymized."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import AuditInputError
from core.files import named_files
from core.vcf.files import VcfFile
from core.words import Text, own, text

Level = Literal["high", "low"]
SEPARATOR = "anony_"
SUFFIXES = (".vcf.gz", ".vcf.bgz", ".vcf", ".bcf")
SAYS_RELEASED = re.compile(
    r"anon|scrambl|shuffl|synth|releas|mask|de-?ident|pseudo|noise|익명|가명|비식별"
)  # in a file's name
# Words of a name that say what was done, to whom it goes or when, and not which file it is.
_SAYS_WHAT = re.compile(
    r"anon\w*|익명\w*|가명\w*|비식별\w*|원본|de-?id\w*|mask\w*|redact\w*|pseudo\w*|protected|released?|shared?|public|clean\w*|final|orig\w*|raw"
    r"|high|low|strong|weak|v\d{1,2}|filtered|norm\w*|sort\w*|new|copy|out(?:put)?|in(?:put)?"
)
_THRESHOLD = re.compile(r"(?<!\d)0\.\d+")
_LEVELS: tuple[tuple[str, Level], ...] = (
    ("high_", "high"),
    ("strong_", "high"),
    ("low_", "low"),
    ("weak_", "low"),
)


@dataclass(frozen=True, kw_only=True)
class VcfPair:
    """An original with one of its anonymized files."""

    original: VcfFile
    anonymized: VcfFile
    level: Level

    @property
    def short(self) -> str:
        """Return the level and the original's name without its ending: a sheet's name has 31 letters."""
        name = self.original.name
        ending = next(filter(name.lower().endswith, SUFFIXES), "")
        return f"{self.level} {name[: len(name) - len(ending)]}"


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """All pairs, low level before high for each original, and the names that found no partner."""

    pairs: tuple[VcfPair, ...]
    unmatched: tuple[str, ...]
    is_exchanged: bool = False  # whether the originals are named as anonymized files of the others are

    def proposals(self) -> dict[str, Text | str]:
        """Return for each name without a partner which other one it seems to belong to, empty for none."""
        return {name: _proposal(*pair) if (pair := self.proposed(name)) else "" for name in self.unmatched}

    def proposed(self, name: str) -> tuple[str, str] | None:
        """Return original and anonymized file where a name without a partner seems to belong to another.

        The anonymized one is that whose name says so, or more.
        """
        stem = identifying_words(name)
        others = [other for other in self.unmatched if other != name and identifying_words(other) == stem]
        if not stem or len(others) != 1:
            return None
        original, anonymized = sorted(
            (name, others[0]), key=lambda one: (SAYS_RELEASED.search(one.lower()) is not None, len(one), one)
        )
        return original, anonymized


def identifying_words(name: str) -> tuple[str, ...]:
    """Return the words of a file's name that say which file it is, without those that say what it is."""
    ending = next(filter(name.lower().endswith, SUFFIXES), "")
    plain = _THRESHOLD.sub("", name[: len(name) - len(ending)].lower())
    words = re.split(r"[._\-\s()]+", plain)
    return tuple(word for word in words if word and not _SAYS_WHAT.fullmatch(word))


def _proposal(original: str, anonymized: str) -> Text:
    """Say that two files seem to belong together."""
    return text(
        "{anonymized} looks like the anonymized file of {original}: pair the two by hand (--pair ORIGINAL "
        "ANONYMIZED high), or name it high_anony_{original}.",
        anonymized=anonymized,
        original=original,
    )


def is_vcf_name(name: str) -> bool:
    """Tell whether a file name ends as a VCF or BCF file's does."""
    return name.lower().endswith(SUFFIXES)


def original_name(anonymized: str) -> str | None:
    """Return the original's name that an anonymized file's name holds, None when it holds none.

    Examples
    --------
    >>> original_name("high_0.01_anony_sample2.vcf.gz")
    'sample2.vcf.gz'
    """
    _, separator, rest = anonymized.partition(SEPARATOR)
    return rest if separator and rest else None


def level_of(anonymized: str) -> Level:
    """Return the level an anonymized file's name begins with; low when it says nothing."""
    return next((level for prefix, level in _LEVELS if anonymized.startswith(prefix)), "low")


def names_level(anonymized: str) -> bool:
    """Tell whether an anonymized file's name begins with a level, written as it must be."""
    return anonymized.startswith(tuple(prefix for prefix, _ in _LEVELS))


def pair_files(originals: Sequence[VcfFile], anonymized: Sequence[VcfFile]) -> Pairing:
    """Pair files by name.

    Every anonymized file of an original makes a pair. Names without a partner, on either side,
    are listed in `unmatched`; so are originals that share a name, for nobody can say which is meant.
    """
    counts = Counter(file.name for file in originals)
    by_name = {file.name: file for file in originals if counts[file.name] == 1}
    pairs, unmatched = [], []
    for file in anonymized:
        original = by_name.get(original_name(file.name) or "")
        if original is None:
            unmatched.append(file.name)
        else:
            pairs.append(VcfPair(original=original, anonymized=file, level=level_of(file.name)))
    names, used = {file.name for file in anonymized}, {pair.original.name for pair in pairs}
    unmatched.extend(name for name in counts if name not in used)
    return Pairing(
        pairs=tuple(_in_order(pairs)),
        unmatched=tuple(unmatched),
        is_exchanged=not pairs and any(original_name(file.name) in names for file in originals),
    )


def split_uploads(files: Iterable[VcfFile]) -> tuple[list[VcfFile], list[VcfFile]]:
    """Split files dropped together into originals and anonymized ones, by ``anony_`` in the name."""
    originals: list[VcfFile] = []
    anonymized: list[VcfFile] = []
    for file in files:
        (anonymized if original_name(file.name) else originals).append(file)
    return originals, anonymized


def pair_folders(originals: Path, anonymized: Path) -> Pairing:
    """Pair the VCF and BCF files of two folders, which may be the same folder.

    Raises
    ------
    AuditInputError
        When a folder cannot be read.
    """
    return pair_files(*files_of_folders(originals, anonymized))


def files_of_folders(originals: Path, anonymized: Path) -> tuple[list[VcfFile], list[VcfFile]]:
    """Return the VCF and BCF files of both folders; of one folder for both, told apart by their names.

    Raises
    ------
    AuditInputError
        When a folder cannot be read.
    """
    first, second = _files_in(originals), _files_in(anonymized)
    return split_uploads(first) if originals.resolve() == anonymized.resolve() else (first, second)


def _files_in(folder: Path) -> list[VcfFile]:
    try:
        found = [path for path in named_files.files_in(folder) if is_vcf_name(path.name)]
    except OSError as error:
        reason = error.strerror or own("unknown reason")
        raise AuditInputError(
            text("The folder {folder} cannot be read ({reason}).", folder=str(folder), reason=reason)
        ) from None
    return [file_at(path) for path in found]


def file_at(path: Path) -> VcfFile:
    """Return the VCF file at a path."""
    name, data, _ = named_files.source_at(path)
    if isinstance(data, Path):
        return VcfFile(name=name, path=data)
    return VcfFile(name=name, content=data if isinstance(data, bytes) else named_files.bytes_at(path))


def _in_order(pairs: Iterable[VcfPair]) -> list[VcfPair]:
    return sorted(pairs, key=lambda pair: (pair.original.name, pair.level != "low", pair.anonymized.name))
