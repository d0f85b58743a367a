"""Two filed reports of one tool beside each other: what got better, what got worse, what came and went."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, TypeVar

from core.filed.reading import FiledFigure, FiledReport
from core.measures import MEASURES
from core.verdict import Finding, Verdict
from core.words import Text, counted, input_error, own, text

Direction = Literal["better", "worse", "same", "changed"]
_Item = TypeVar("_Item")
_OUTCOMES = ("met", "cannot tell", "not met")  # of a policy, from best to worst


@dataclass(frozen=True, kw_only=True)
class Change:
    """A verdict, figure, setting or input of two reports.

    Attributes
    ----------
    name
        What it is.
    before, after
        As the reports tell it; empty in the report that has it not.
    direction
        Better or worse where that can be said of it; "changed" where it cannot.
    """

    name: str
    before: str
    after: str
    direction: Direction


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two reports of one tool.

    Attributes
    ----------
    verdicts
        The overall one first, those it is made of after it.
    figures
        All of both, in the order of the first.
    findings_gone, findings_come
        Of the first alone, and of the second alone.
    findings_judged
        Of both, whose verdict is another.
    settings, inputs, made_by
        Those that differ.
    """

    before: FiledReport
    after: FiledReport
    verdicts: tuple[Change, ...]
    figures: tuple[Change, ...]
    findings_gone: tuple[Finding, ...]
    findings_come: tuple[Finding, ...]
    findings_judged: tuple[Change, ...]
    settings: tuple[Change, ...]
    inputs: tuple[Change, ...]
    made_by: tuple[Change, ...]

    def changes(self) -> dict[str, tuple[Change, ...]]:
        """Return all that is in both or differs, under headings."""
        return {
            "Verdicts": self.verdicts,
            "Figures": self.figures,
            "Findings with another verdict": self.findings_judged,
            "Settings that differ": self.settings,
            "Files that differ": self.inputs,
            "Versions that differ": self.made_by,
        }

    def findings(self) -> dict[str, tuple[Finding, ...]]:
        """Return the findings of one report alone, under headings."""
        return {"Findings that came": self.findings_come, "Findings that went": self.findings_gone}

    @property
    def is_worse(self) -> bool:
        """Return whether the verdict, or one that it is made of, got worse."""
        return any(each.direction == "worse" for each in self.verdicts)

    @property
    def is_changed(self) -> bool:
        """Return whether a report was changed since it was made, so that nothing it says can be relied on."""
        return bool(self.before.changed or self.after.changed)

    @property
    def notes(self) -> tuple[Text, ...]:
        """Say what a reader of the result has to know besides."""
        is_better = any(each.direction == "better" for each in self.verdicts)
        asked = text("The settings differ: a verdict that is better may be so because less was asked.")
        return (
            *((asked,) if is_better and self.settings else ()),
            *(each.told_changed for each in (self.before, self.after) if each.changed),
        )

    @property
    def sentence(self) -> Text:
        """Say what came of it."""
        message = "{before} → {after}: {better} better, {worse} worse; {come} more, {gone} gone."
        n = {way: sum(each.direction == way for each in self.figures) for way in ("better", "worse")}
        return text(
            message,
            before=self.before.verdict.word,
            after=self.after.verdict.word,
            better=counted(n["better"], "figure"),
            worse=n["worse"],
            come=counted(len(self.findings_come), "finding"),
            gone=len(self.findings_gone),
        )


def compare_reports(before: FiledReport, after: FiledReport) -> Comparison:
    """Compare two reports of one tool, whatever their versions.

    Raises
    ------
    AuditInputError
        The reports are of two tools.
    """
    if before.tool != after.tool:
        raise input_error(
            "{one} is a report of {tool}, {two} of {other_tool}; compare two of one tool.",
            one=before.name,
            tool=before.tool,
            two=after.name,
            other_tool=after.tool,
        )
    gone, come, judged = _findings(before.findings, after.findings)
    return Comparison(
        before=before,
        after=after,
        verdicts=tuple(_verdicts(before, after)),
        figures=tuple(_figures(before, after)),
        findings_gone=tuple(gone),
        findings_come=tuple(come),
        findings_judged=tuple(judged),
        settings=tuple(_values(before.settings, after.settings)),
        inputs=tuple(_inputs(before, after)),
        made_by=tuple(_values(before.versions, after.versions)),
    )


def comparison_document(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as plain values for JSON."""
    lists = ("verdicts", "figures", "findings_judged", "settings", "inputs", "made_by")
    return {
        "tool": comparison.before.tool,
        "before": comparison.before.name,
        "after": comparison.after.name,
        "is_worse": comparison.is_worse,
        "is_changed": comparison.is_changed,
        "notes": list(comparison.notes),
        **{name: [vars(each) for each in getattr(comparison, name)] for name in lists},
        **{
            name: [each.document() for each in getattr(comparison, name)]
            for name in ("findings_gone", "findings_come")
        },
    }


def _verdicts(before: FiledReport, after: FiledReport) -> Iterator[Change]:
    yield _judged("Overall", before.verdict, after.verdict)
    for name in dict.fromkeys((*before.verdicts, *after.verdicts)):
        yield _judged(name, before.verdicts.get(name), after.verdicts.get(name))
    yield from _policies(before.policy, after.policy)


def _policies(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what policies make of the two; better or worse where it is one and the same."""
    told = [str(each.get("outcome", "")) for each in (before, after)]
    if not any(told):
        return
    direction: Direction = "same" if before == after else "changed"
    if before.get("digest") == after.get("digest") and {*told} <= {*_OUTCOMES} and told[0] != told[1]:
        direction = "better" if _OUTCOMES.index(told[1]) < _OUTCOMES.index(told[0]) else "worse"
    name = text("Policy {title}", title=str((after or before).get("title", "")))
    yield Change(name=name, before=told[0], after=told[1], direction=direction)


def _judged(name: str, before: Verdict | None, after: Verdict | None) -> Change:
    direction: Direction = "same" if before == after else "changed"
    if before is not None and after is not None and before != after:
        direction = "better" if after.severity < before.severity else "worse"
        if (before, after) == (Verdict.FAIL, Verdict.NOT_ASSESSED):
            direction = "changed"  # nobody looked, which mends nothing
    return Change(name=name, before=before or "", after=after or "", direction=direction)


def _figures(before: FiledReport, after: FiledReport) -> Iterator[Change]:
    for one, other in _paired(before.figures, after.figures, key=lambda each: (each.measure, each.of)):
        known = one or other
        if known is not None:
            label = (before if one else after).label_of(known)
            name = f"{label} ({known.of})" if known.of else label
            told = [each.text if each else "" for each in (one, other)]
            yield Change(name=name, before=told[0], after=told[1], direction=_direction(one, other))


def _direction(before: FiledFigure | None, after: FiledFigure | None) -> Direction:
    """Tell by the measure what another value means; one that is not assessed is neither."""
    if before is None or after is None:
        return "changed"
    if before.value == after.value:
        return "same"
    better = MEASURES[before.measure].better if before.measure in MEASURES else "neither"
    if before.value is None or after.value is None or better == "neither":
        return "changed"
    return "better" if (after.value > before.value) == (better == "higher") else "worse"


def _findings(
    before: Sequence[Finding], after: Sequence[Finding]
) -> tuple[list[Finding], list[Finding], list[Change]]:
    gone, come, judged = [], [], []
    for one, other in _paired(before, after, key=lambda each: (each.check, each.column)):
        if other is None and one is not None:
            gone.append(one)
        elif one is None and other is not None:
            come.append(other)
        elif one is not None and other is not None and one.verdict != other.verdict:
            judged.append(_judged(other.message, one.verdict, other.verdict))
    return gone, come, judged


def _paired(
    before: Iterable[_Item], after: Iterable[_Item], *, key: Any
) -> Iterator[tuple[_Item | None, _Item | None]]:
    """Yield the items of each key in both, in their order; None where one side has fewer."""
    sides: dict[Hashable, tuple[list[_Item], list[_Item]]] = defaultdict(lambda: ([], []))
    for place, items in enumerate((before, after)):
        for each in items:
            sides[key(each)][place].append(each)
    for one, other in sides.values():
        for each in [each for each in one if each in other]:
            if each in other:
                one.remove(each)
                other.remove(each)
                yield each, each
        yield from zip_longest(one, other)


def _values(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the settings that differ; those of files one by one."""
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            for each in _values(one, other):
                yield Change(
                    name=f"{name}: {each.name}", before=each.before, after=each.after, direction="changed"
                )
        elif one != other:
            yield Change(name=name, before=_told(one), after=_told(other), direction="changed")


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return "" if value is None else str(value)


def _inputs(before: FiledReport, after: FiledReport) -> Iterator[Change]:
    for one, other in _paired(before.inputs, after.inputs, key=lambda each: each.role):
        known = one or other
        if known is not None and (one is None or other is None or one.sha256 != other.sha256):
            told = [f"{each.name} ({each.sha256[:12]}…)" if each else "" for each in (one, other)]
            yield Change(name=own(known.role), before=told[0], after=told[1], direction="changed")
