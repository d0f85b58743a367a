"""A filed report repeated on its files: the same, the same figures, or what differs and by how much."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from core import VERSIONS, __version__
from core.errors import AuditInputError
from core.filed.reading import FiledReport
from core.files.input_bytes import Shared, open_input
from core.files.named_files import Source, alone, bytes_at
from core.files.plain_text import JsonValue
from core.measures import MEASURES
from core.policies import LIMITS_KEY, Policy, read_policy, shipped_policies
from core.reports import Report, report_document
from core.reports.model import InputFacts
from core.settings.files import LARGEST_FILE
from core.words import Text, counted, input_error, own, text

MOST_DIFFERENCES = 200  # that are listed
_NOT_COMPARED = ("created_at", "digests", "content_digest")
_MADE_BY = ("versions", "platform")
_JUDGED = (
    "kind",
    "overall",
    "is_whole",
    "verdict",
    "verdicts",
    "figures",
    "findings",
    "settings",
)  # which another version must come to
_JUDGED_OF_FILE = ("verdict", "verdicts")
_FILES = ("files", "pairs")
_LOOKS_LIKE_A_VERSION = re.compile(r"\d[\w.+!-]*")
_ABSENT = object()  # what a shorter list has
_OF_FIGURE = ("measure", "of", "value", "verdict")
_OF_FINDING = ("check", "verdict", "column", "n_affected")


class Audited(Protocol):
    """What an audit came to."""

    def full_report(self, created_at: datetime) -> Report:
        """Return its report."""


# audits with a tool as the words of each run say, against the limits of a policy where they name none
Auditor = Callable[[str, Sequence[Sequence[str]], Policy | None], Audited]


class Sameness(StrEnum):
    """What repeating a report came to."""

    SAME = "SAME"
    SAME_FIGURES = "SAME FIGURES"
    OTHER_WORDS = "OTHER WORDS"
    DIFFERENT = "DIFFERENT"

    @property
    def word(self) -> Text:
        """Return it as people read it."""
        return _WORDS[self]


_WORDS: Mapping[Sameness, Text] = {
    Sameness.SAME: text("SAME"),
    Sameness.SAME_FIGURES: text("SAME FIGURES"),
    Sameness.OTHER_WORDS: text("OTHER WORDS"),
    Sameness.DIFFERENT: text("DIFFERENT"),
}


class Difference(NamedTuple):
    """A place of the report, what was filed there and what it is now."""

    where: str
    filed: str
    now: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Repeat:
    """A report that was repeated.

    Attributes
    ----------
    differences
        The first of them, in the order of the report.
    n_differences
        All of them.
    used, unused
        Which given file each input is; and those that are no input.
    report
        What the audit comes to now.
    is_policy_kept
        Whether what the report says of a policy was taken as filed: it is not at hand to judge by it.
    """

    filed: FiledReport
    sameness: Sameness
    differences: tuple[Difference, ...]
    n_differences: int
    used: tuple[tuple[InputFacts, str], ...]
    unused: tuple[str, ...]
    report: Report
    is_policy_kept: bool = False

    @property
    def notes(self) -> tuple[Text, ...]:
        """Say what was not repeated."""
        if not self.is_policy_kept:
            return ()
        return (
            text(
                "What the report says of the policy “{title}” was not judged again: give its file too.",
                title=str(self.filed.document["policy"].get("title", "")),
            ),
        )

    @property
    def sentence(self) -> Text:
        """Say what it came to."""
        if self.sameness is Sameness.SAME:
            return text("{file}: the audit comes to the same report.", file=self.filed.name)
        if self.sameness is Sameness.SAME_FIGURES:
            return text(
                "{file}: made with other versions (AnonAudit {version} then), and the figures are the same.",
                file=self.filed.name,
                version=self.filed.version,
            )
        if self.sameness is Sameness.OTHER_WORDS:
            return text(
                "{file}: the verdicts and figures are the same, but its words or tables are not those of "
                "this version. AnonAudit {version} may have worded them otherwise, or somebody changed them: "
                "repeat it with that version before you rely on them.",
                file=self.filed.name,
                version=self.filed.version,
            )
        if self.filed.changed:
            return self.filed.told_changed
        differences = counted(self.n_differences, "difference")
        return text(
            "{file}: the audit comes to another report, with {differences}.",
            file=self.filed.name,
            differences=differences,
        )


def repeat_report(filed: FiledReport, files: Sequence[Source], audit: Auditor) -> Repeat:
    """Repeat the audit of a filed report with its settings, and compare.

    Which file is which input is told by digests; names do not matter. The commands of the report see these
    files alone; `audit` follows them, prints nothing and writes nothing.

    Raises
    ------
    AuditInputError
        The report says not how it is repeated or names no version that made it, an input is missing or
        changed, or the audit does not run.
    """
    _require_known_versions(filed)
    if not filed.arguments:
        raise input_error(
            "{file} does not say how it is repeated; a report in which nothing was verified does not. "
            "Compare it with a new one.",
            file=filed.name,
        )
    if len(filed.arguments) > max(len(filed.inputs), 1):
        raise input_error(
            "{file} asks for {n} runs, more than it has files; it was changed by hand. Take it again from "
            "where it was filed.",
            file=filed.name,
            n=len(filed.arguments),
        )
    held, used, unused = _matched(filed, files)
    policy, policy_file = _policy(filed.policy, [each for each in files if each.name in unused])
    with alone(held):
        report = audit(filed.tool, filed.arguments, policy).full_report(datetime.now(UTC))
    now = json.loads(json.dumps(report_document(report)))
    sameness, found = _compared(filed.document, now)
    if filed.changed:
        sameness = Sameness.DIFFERENT
    return Repeat(
        filed=filed,
        sameness=sameness,
        differences=tuple(found[:MOST_DIFFERENCES]),
        n_differences=len(found),
        used=used,
        unused=tuple(name for name in unused if name != policy_file),
        report=report,
        is_policy_kept=bool(filed.document.get("policy")) and not now["policy"],
    )


def _require_known_versions(filed: FiledReport) -> None:
    """Refuse a report whose versions excuse any difference: those missing, empty, or never made."""
    versions = {"anonaudit": "", **filed.document["versions"]}
    odd = [name for name, each in versions.items() if not _LOOKS_LIKE_A_VERSION.fullmatch(each)]
    if odd:
        raise input_error(
            "{file} does not say which version of {packages} made it, as every report does; it was changed "
            "by hand. Take it again from where it was filed.",
            file=filed.name,
            packages=", ".join(odd),
        )
    if filed.version not in VERSIONS:
        raise input_error(
            "{file} says that AnonAudit {version} made it, which version {ours} does not know. Repeat it "
            "with that version, or take the report again from where it was filed.",
            file=filed.name,
            version=filed.version,
            ours=__version__,
        )


def _matched(
    filed: FiledReport, files: Sequence[Source]
) -> tuple[dict[str, Source], tuple[tuple[InputFacts, str], ...], tuple[str, ...]]:
    """Find which file is which input."""
    wanted = {facts.n_bytes for facts in filed.inputs}
    digests = {place: _digest(each) for place, each in enumerate(files) if _size(each) in wanted}
    places = {digest: place for place, digest in reversed(digests.items())}
    if missing := [facts for facts in filed.inputs if facts.sha256 not in places]:
        raise AuditInputError(*(_missing(facts, files) for facts in missing))
    held = {
        facts.path or facts.name: Source(facts.name, files[places[facts.sha256]].data, facts.options)
        for facts in filed.inputs
    }
    used = tuple((facts, files[places[facts.sha256]].name) for facts in filed.inputs)
    taken = {places[facts.sha256] for facts in filed.inputs}
    return held, used, tuple(each.name for place, each in enumerate(files) if place not in taken)


def _policy(told: Mapping[str, Any], files: Sequence[Source]) -> tuple[Policy | None, str]:
    """Return the policy of a report, one that comes along or among files, and that file's name."""
    if not told:
        return None, ""
    shipped = shipped_policies()
    if known := next((each for each in shipped.values() if each.digest == told.get("digest")), None):
        return known, ""
    for each in files:
        if _size(each) <= LARGEST_FILE and _digest(each) == told.get("digest"):
            with alone({each.name: each}):
                data = bytes_at(Path(each.name))
            return replace(read_policy(data, name=each.name), name=str(told.get("name", ""))), each.name
    return shipped.get(str(told.get("name"))), ""  # as it is now, where it comes along and was changed


def _missing(facts: InputFacts, files: Sequence[Source]) -> Text:
    alike = next((each for each in files if each.name == facts.name), None)
    if alike is None:
        missing = (
            "The {role} {file} ({n_bytes} bytes, SHA-256 {digest}…) is not among the files given; give it, "
            "whatever it is called now."
        )
        return text(
            missing, role=own(facts.role), file=facts.name, n_bytes=facts.n_bytes, digest=facts.sha256[:12]
        )
    changed = (
        "{file} is not what was audited: it had {n_bytes} bytes and SHA-256 {digest}…, and has {now} bytes "
        "and SHA-256 {digest_now}…; give the file as it was."
    )
    return text(
        changed,
        file=facts.name,
        n_bytes=facts.n_bytes,
        digest=facts.sha256[:12],
        now=_size(alike),
        digest_now=_digest(alike)[:12],
    )


def _size(source: Source) -> int:
    if isinstance(source.data, Path):
        return source.data.stat().st_size
    return source.data.size if isinstance(source.data, Shared) else len(source.data)


def _digest(source: Source) -> str:
    if isinstance(source.data, Path):
        with open_input(source.data, name=source.name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    data = source.data.mapped() if isinstance(source.data, Shared) else source.data
    return hashlib.sha256(data).hexdigest()


def _compared(filed: Mapping[str, Any], now: Mapping[str, JsonValue]) -> tuple[Sameness, list[Difference]]:
    """Compare a filed report with one made now.

    With other libraries figures are the same to twelve digits. Of another version of AnonAudit, what both
    have to come to is compared first; whether the rest was worded so then, nobody can tell here.
    """
    made_by = [{key: each[key] for key in _MADE_BY} for each in (filed, now)]
    versions = list(differences_between(made_by[0], made_by[1]))
    left_out = (*_NOT_COMPARED, *_MADE_BY)
    content: list[dict[str, Any]] = [
        {key: part for key, part in each.items() if key not in left_out} for each in (filed, now)
    ]
    if not now["policy"] and content[0]["policy"]:  # a file of the person's, which is not at hand
        content[0].pop(LIMITS_KEY, None)
        tables = [each for each in content[0]["tables"] if each.get("key") != LIMITS_KEY]
        content[0] |= {"policy": {}, "tables": tables}
    found = list(differences_between(content[0], content[1]))
    if not versions:
        return (Sameness.DIFFERENT if found else Sameness.SAME), found
    rest = list(differences_between(*map(_rounded, content)))
    if not rest:
        return Sameness.SAME_FIGURES, [*versions, *found]
    is_same_program = all("anonaudit" not in each.where for each in versions)
    judged = rest if is_same_program else list(differences_between(*_judged(content)))
    if judged:
        return Sameness.DIFFERENT, [*judged, *versions]
    return Sameness.OTHER_WORDS, [*versions, *rest]


def _judged(documents: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what has to be the same in both, whatever their versions call it; settings that both know."""
    found = [_of_version(each) for each in documents]
    known = [key for key in found[0]["settings"] if all(key in each["settings"] for each in found)]
    one, other = ({**each, "settings": {key: each["settings"][key] for key in known}} for each in found)
    return one, other


def _of_version(document: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: document[key] for key in _JUDGED} | _values_in(document)
    for files in _FILES:
        found[files] = [_values_in(each) | {"file": each["file"]} for each in document.get(files, ())]
    found["figures"] = [{key: each[key] for key in _OF_FIGURE} for each in found["figures"]]
    for figure in found["figures"]:
        figure["value"] = _rounded(figure["value"])
    found["findings"] = [{key: each[key] for key in _OF_FINDING} for each in found["findings"]]
    found["policy"] = document.get("policy", {}).get("outcome", "")
    return found


def _values_in(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdicts and figures that stand in a report, or in a file's part of it, by their names."""
    named = (*_JUDGED_OF_FILE, *MEASURES)
    return {key: _rounded(document[key]) for key in named if key in document}


def _rounded(value: Any) -> Any:
    """Return figures to twelve significant digits; another version of a library adds in another order."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def differences_between(filed: Any, now: Any, where: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Yield each place where two values of JSON differ, such as two reports, in the order of the first."""
    if isinstance(filed, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*filed, *now)):
            if key not in filed or key not in now:
                yield Difference(_place((*where, key)), _told(filed.get(key)), _told(now.get(key)))
            else:
                yield from differences_between(filed[key], now[key], (*where, key))
    elif isinstance(filed, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip_longest(filed, now, fillvalue=_ABSENT), start=1):
            place = (*where, _named(other if one is _ABSENT else one, number))
            if one is _ABSENT or other is _ABSENT:
                told = ["" if each is _ABSENT else _told(each) for each in (one, other)]
                yield Difference(_place(place), *told)
            else:
                yield from differences_between(one, other, place)
    elif filed != now or type(filed) is not type(now):
        yield Difference(_place(where), _told(filed), _told(now))


def _named(item: Any, number: int) -> str:
    """Return what an item of a list is called: a figure by its measure, a finding by its check."""
    if not isinstance(item, dict):
        return str(number)
    label = MEASURES[item["measure"]].label if item.get("measure") in MEASURES else item.get("check")
    name = label or item.get("name") or item.get("file")
    of = item.get("of") or item.get("column")
    return str(number) if not name else f"{name} ({of})" if of else str(name)


def _place(where: Sequence[str]) -> str:
    return " › ".join(where)


def _told(value: Any) -> str:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 200 else f"{written[:200]}…"
