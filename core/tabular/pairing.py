"""Which files belong together: original, anonymized table and log, by their names."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.settings.reading import TABLE_ENDINGS
from core.words import Text, joined, text

_ANONYMIZED = "_anonymized"
_LOG = "_anonymized_log"
_LOG_EXTENSIONS = ("json", "csv", "tsv", "txt", "xlsx")


@dataclass(frozen=True, kw_only=True)
class FilePair:
    """The names of three files to verify together; by hand, just construct one."""

    original: str
    anonymized: str
    log: str


@dataclass(frozen=True, kw_only=True)
class LeftOutFile:
    """A file that is not verified, and why in a sentence."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """What became of a list of files."""

    pairs: tuple[FilePair, ...] = ()  # complete pairs, in the order in which the originals were given
    skipped: tuple[LeftOutFile, ...] = ()  # originals without a partner; the reason names what is missing
    unused: tuple[LeftOutFile, ...] = ()  # files that belong to no pair and are no originals


@dataclass(frozen=True, kw_only=True)
class _Name:
    """A file name taken apart; letters are compared without case and however they are composed."""

    written: str
    folder: str
    base: str
    stem: str
    extension: str

    @property
    def is_table(self) -> bool:
        return self.extension in TABLE_ENDINGS and not self.is_log

    @property
    def is_log(self) -> bool:
        return self.extension in _LOG_EXTENSIONS and self.stem.endswith(_LOG) and self.stem != _LOG

    @property
    def looks_anonymized(self) -> bool:
        return self.is_table and self.stem.endswith(_ANONYMIZED) and self.stem != _ANONYMIZED

    @property
    def shown_anonymized(self) -> str:
        """Return what the anonymized table of this original is called."""
        stem, extension = _shown_base(self.written).rsplit(".", 1)
        return f"{stem}{_ANONYMIZED}.{extension}"

    @property
    def shown_log(self) -> str:
        """Return what the log of this original is called."""
        return f"{_shown_base(self.written).rsplit('.', 1)[0]}{_LOG}.json"


def pair_files(names: Sequence[str], *, originals: Sequence[str] | None = None) -> Pairing:
    """Pair ``xxx.csv``, ``xxx_anonymized.csv`` and ``xxx_anonymized_log.json`` by their names.

    The two tables have the same extension; the log may be a table too. Upper and lower case do not
    matter, nor how a system composes accents and Hangul. A name may hold folders: a partner is looked for
    in all of them, and of several the one in the original's folder is taken. A table called
    ``x_anonymized.csv`` is an original as well where it has partners of its own.

    Parameters
    ----------
    names
        All files, originals among them.
    originals
        Those of `names` to verify; None for all that are originals by their names.

    Returns
    -------
    Pairing
        Every name appears in a pair, in `skipped` or in `unused`.

    >>> pair_files(["a.csv", "a_anonymized.csv", "a_anonymized_log.json", "b.csv"]).pairs
    (FilePair(original='a.csv', anonymized='a_anonymized.csv', log='a_anonymized_log.json'),)
    """
    parsed, by_base = _parsed_names(names)
    wanted = frozenset(original_names(names) if originals is None else originals)
    pairs: list[FilePair] = []
    skipped: list[LeftOutFile] = []
    for name in parsed:
        if name.written in wanted:
            _pair(name, by_base, pairs, skipped)
    used = {name for pair in pairs for name in (pair.original, pair.anonymized, pair.log)}
    used |= {left_out.name for left_out in skipped}
    unused = tuple(
        LeftOutFile(name=name.written, reason=_why_unused(name, by_base))
        for name in parsed
        if name.written not in used
    )
    return Pairing(pairs=tuple(pairs), skipped=tuple(dict.fromkeys(skipped)), unused=unused)


def original_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return which of the files are originals by their names, in the order given; see `pair_files`."""
    parsed, by_base = _parsed_names(names)
    return tuple(name.written for name in parsed if _is_original(name, by_base))


def _parsed_names(names: Sequence[str]) -> tuple[list[_Name], dict[str, list[_Name]]]:
    parsed = [_parsed(name) for name in names]
    by_base: dict[str, list[_Name]] = defaultdict(list)
    for name in parsed:
        by_base[name.base].append(name)
    return parsed, by_base


def _parsed(written: str) -> _Name:
    folder, _, base = written.replace("\\", "/").rpartition("/")
    base = unicodedata.normalize("NFC", base).casefold()
    stem, _, extension = base.rpartition(".")
    return _Name(written=written, folder=folder, base=base, stem=stem, extension=extension)


def _shown_base(written: str) -> str:
    return written.replace("\\", "/").rpartition("/")[2]


def _is_original(name: _Name, by_base: Mapping[str, Sequence[_Name]]) -> bool:
    if not name.is_table or not name.stem:
        return False
    partner = f"{name.stem}{_ANONYMIZED}.{name.extension}"
    return not name.looks_anonymized or partner in by_base or bool(_logs(name, by_base))


def _logs(name: _Name, by_base: Mapping[str, Sequence[_Name]]) -> list[_Name]:
    """Return the logs of an original."""
    bases = (f"{name.stem}{_LOG}.{extension}" for extension in _LOG_EXTENSIONS)
    return [log for base in bases for log in by_base.get(base, ())]


def _pair(
    name: _Name, by_base: Mapping[str, Sequence[_Name]], pairs: list[FilePair], skipped: list[LeftOutFile]
) -> None:
    if not name.is_table:
        skipped.append(LeftOutFile(name=name.written, reason=_not_a_table(name)))
        return
    if sum(other.written == name.written for other in by_base[name.base]) > 1:
        reason = text(
            "Several files are called {name}; rename them or leave all but one out.", name=name.written
        )
        skipped.append(LeftOutFile(name=name.written, reason=reason))
        return
    anonymized = _partners(name, by_base.get(f"{name.stem}{_ANONYMIZED}.{name.extension}", ()))
    logs = _partners(name, _logs(name, by_base))
    if len(anonymized) == 1 and len(logs) == 1:
        pairs.append(FilePair(original=name.written, anonymized=anonymized[0].written, log=logs[0].written))
        return
    reason = joined(
        (
            *_problem(name.shown_anonymized, anonymized, _other_extension(name, by_base)),
            *_problem(name.shown_log, logs),
        )
    )
    skipped.append(LeftOutFile(name=name.written, reason=reason))


def _partners(name: _Name, candidates: Sequence[_Name]) -> Sequence[_Name]:
    """Return the candidates, those in the same folder alone where there are any."""
    same_folder = [candidate for candidate in candidates if candidate.folder == name.folder]
    return same_folder or candidates


def _other_extension(name: _Name, by_base: Mapping[str, Sequence[_Name]]) -> str:
    """Return an anonymized table that only has another extension, "" where there is none."""
    for extension in TABLE_ENDINGS:
        for other in by_base.get(f"{name.stem}{_ANONYMIZED}.{extension}", ()):
            return other.written
    return ""


def _problem(partner: str, found: Sequence[_Name], other_extension: str = "") -> Iterator[Text]:
    if len(found) > 1:
        yield text("Several files are called {name}; leave all but one out.", name=partner)
        return
    if found:
        return
    if other_extension:
        yield text("{name} is missing; {other} has another extension.", name=partner, other=other_extension)
        return
    yield text("{name} is missing.", name=partner)


def _why_without(original: _Name | None, missing: Text) -> Text:
    """Return why a partner is not used: its original is not there, or could not be paired itself."""
    if original is None:
        return missing
    return text("Its original {name} is not verified; see there why.", name=original.written)


def _why_unused(name: _Name, by_base: Mapping[str, Sequence[_Name]]) -> str:
    if name.is_log:
        stem = name.stem.removesuffix(_LOG)
        given = (original for ending in TABLE_ENDINGS for original in by_base.get(f"{stem}.{ending}", ()))
        missing = text("No original called {name} was given for this log.", name=stem)
        return _why_without(next(given, None), missing)
    if name.looks_anonymized:
        wanted = f"{name.stem.removesuffix(_ANONYMIZED)}.{name.extension}"
        missing = text("No original called {name} was given for this anonymized table.", name=wanted)
        return _why_without(next(iter(by_base.get(wanted, ())), None), missing)
    if name.extension == "json":
        message = "A log is called like its original with {ending} at the end; this name does not end so."
        return text(message, ending=f"{_LOG}.json")
    if name.is_table:
        return "It was not asked for, and is no partner of a file that was."
    return _not_a_table(name)


def _not_a_table(name: _Name) -> Text:
    allowed = ", ".join(f".{extension}" for extension in TABLE_ENDINGS)
    return text(
        "{name} is neither a table ({allowed}) nor a log.", name=_shown_base(name.written), allowed=allowed
    )
