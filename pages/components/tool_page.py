"""The page of a tool, from its title to its definitions; a page hands over what differs, as functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from core.errors import AuditInputError
from core.reports import Report
from core.result import Figure, Group, Result
from core.tools import Tool
from core.verdict import Verdict
from core.words import say
from pages.components.asking import ask_for_form
from pages.components.drawer import SETTINGS, THRESHOLDS, ask_for_inputs, show_drawer
from pages.components.inputs import Way, above_privacy_line, show_empty_state, show_ways_on
from pages.components.long_work import greyed_out
from pages.components.parts import show_parts
from pages.components.policy import Released
from pages.components.reading import show_problems
from pages.components.results import (
    Download,
    show_definitions,
    show_downloads,
    show_figures,
    show_findings,
    show_verdict,
)
from pages.components.shown import Shown, Texts
from pages.components.text import plain
from pages.components.texts import ask_what_was_read

_AT_ONCE = 2  # findings, the gravest first
_MOST_BADGES = 3  # more verdicts than these are read among the findings


def _none(_: Any) -> tuple[()]:
    return ()


def _nothing(_: Shown) -> None:
    return None


def _ask_for_settings(shown: Shown) -> Any:
    form: Any = shown.tool.settings
    return form(**ask_for_form(shown.tool.key, form))


def show_body(shown: Shown) -> None:
    """Ask for settings, measure, and show what was found."""
    page = shown.page
    with shown.drawer[page.titles[0]]:
        shown.settings = page.settings(shown)
    shown.measured = page.measure(shown)
    if shown.measured is not None:
        show_whole(shown)


def show_whole(shown: Shown) -> None:
    """Show what was measured: in grey, when it is no longer what the settings say."""
    with greyed_out(shown.tool.key, when=shown.is_outdated):
        first, shown.last = st.container(), st.container()
        with first:
            show_judged(shown)
        show_definitions(shown.tool.measures, limits=shown.tool.limits)


@st.fragment
def show_judged(shown: Shown) -> None:
    """Show what depends on the thresholds; a slider moved runs and sends this again, nothing else."""
    shown.top = st.container()
    try:
        _show_judged(shown)
    except AuditInputError as error:
        with shown.top:
            show_problems(error)


def _show_judged(shown: Shown) -> None:
    page, verdict, taken_away = shown.page, st.container(), st.container()
    page.live(shown)
    result: Result = shown.result
    with verdict:
        show_verdict(
            result.verdict,
            result.headline,
            parts=[*result.verdicts.items()] if 1 < len(result.verdicts) <= _MOST_BADGES else (),
            reasons=page.reasons(shown),
            findings=result.findings,
            key="file" if result.name else "overall",
            act=partial(page.act, shown),
        )
    page.showing(shown)
    show_first(result, page.figures)
    page.found(shown)
    for texts in page.texts(shown):
        ask_what_was_read(texts.key, texts.table, texts.columns)
    page.tabs(shown)
    with shown.last:
        page.further(shown)
        show_ways_on(shown.tool.key, page.ways(shown))
    with taken_away:
        show_taken_away(shown)


def judge_by_drawer(shown: Shown) -> None:
    """Ask for the thresholds in the drawer, and judge by them."""
    form: Any = shown.tool.thresholds
    with shown.drawer[THRESHOLDS]:
        thresholds = form(**ask_for_form(shown.tool.key, form))
    shown.judge(thresholds)


def show_first(result: Result, groups: Collection[str]) -> None:
    """Show the figures of some groups, four of them at once: those that failed first."""
    figures = [each for group in result.groups if group.key in groups for each in group.figures]
    show_figures(result.in_order(figures), at_once=4)


def show_found(shown: Shown, *, at_once: int = _AT_ONCE) -> None:
    """Show what was found, `at_once` of it without a fold; what held alone where the card says all else."""
    result: Result = shown.result
    told = [each for each in result.findings if each.verdict is not Verdict.PASS]
    if told and all(each.message == result.headline for each in told):  # what held is all that is left to say
        show_findings(result.findings, key=result.tool, headline=result.headline)
        return
    with st.container(border=True):
        st.markdown(say("**What was found**"))
        show_findings(result.findings, key=result.tool, at_once=at_once, headline=result.headline)
        if result.verdict is Verdict.PASS:
            st.markdown(say("Nothing further was noticed."))


def show_tabs(shown: Shown, *, only: Sequence[str] = ()) -> None:
    """Show each group of the result in a tab, but for those that stand elsewhere; or `only` some tabs."""
    page, result = shown.page, shown.result
    tabs: dict[str, tuple[str, Callable[[Shown], None]]] = {
        each.key: (each.title, partial(_show_group, group=each))
        for each in ([each for each in result.groups if each.key in only] or _with_tab(page, result))
    }
    tabs |= {title: (title, show) for title, show in page.own_tabs.items()}
    shown_tabs = [tabs[key] for key in only or tabs]
    titles = [plain(say(title)) for title, _ in shown_tabs]
    places = st.tabs(titles, key=f"{shown.tool.key}_tabs") if titles[1:] else [st.container() for _ in titles]
    for place, (_, show) in zip(places, shown_tabs, strict=True):
        with place:
            show(shown)


def _with_tab(page: ToolPage, result: Result) -> Iterator[Group]:
    """Yield the groups that have a tab; the figures that come first leave only what else their group has."""
    for group in result.groups:
        if group.where == "report" or group.key in page.elsewhere or not (group.parts or group.empty):
            continue
        if group.key not in page.figures:
            yield group
        elif parts := tuple(each for each in group.parts if not isinstance(each, Figure)):
            yield replace(group, parts=parts)


def _show_group(shown: Shown, *, group: Group) -> None:
    if group.key in shown.page.parts:
        shown.page.parts[group.key](shown)
    else:
        show_parts(group, key=f"{shown.tool.key}_{group.key}")


def show_taken_away(shown: Shown) -> None:
    """Offer the report and the tool's own files."""
    page = shown.page
    show_downloads(
        shown.tool.key,
        partial(page.report, replace(shown)),  # as it is now: a file is made when it is asked for
        identity=shown.identity(),
        released=page.released(shown),
        extra=page.downloads(shown),
    )


@dataclass(frozen=True, kw_only=True)
class ToolPage:
    """A tool's declaration, and the functions that its page hands over.

    Attributes
    ----------
    measure
        Measures what is given by the settings; None while there is nothing to judge yet, of which it tells.
    judge, result, report
        Make the audit of what was measured, all that it says, and the report of it.
    inputs, drawer, settings, live, body
        Ask for what the tool needs; show files and settings; ask for settings; ask for thresholds, judge by
        them and show the picture that they move; show everything of what is given.
    reasons, act, showing
        Sentences of the card; buttons in it that do what it says; what stands below it.
    figures, elsewhere
        Keys of the groups whose figures come first; of further ones that have no tab of their own.
    found
        Shows the findings.
    tabs, parts, own_tabs
        Show the groups of the result, a tab each; the content of one, by the key of its group; tabs of the
        page alone, by their titles.
    further
        Shows what else can be searched for.
    texts, ways, released, downloads
        Texts to be read; ways on; tables that are given away; files beside the report.
    titles
        Headings in the drawer of what the page asks for there: settings first.
    """

    tool: Tool
    measure: Callable[[Shown], Any] = _nothing
    judge: Callable[[Shown], Any] = _nothing
    result: Callable[[Shown], Result]
    report: Callable[[Shown, datetime], Report]
    inputs: Callable[[Shown], bool] = ask_for_inputs
    drawer: Callable[[Shown], None] = show_drawer
    settings: Callable[[Shown], Any] = _ask_for_settings
    body: Callable[[Shown], None] = show_body
    live: Callable[[Shown], None] = judge_by_drawer
    reasons: Callable[[Shown], Sequence[str]] = _none
    act: Callable[[Shown], None] = _nothing
    showing: Callable[[Shown], None] = _nothing
    found: Callable[[Shown], None] = show_found
    figures: Collection[str] = ("persons",)
    elsewhere: Collection[str] = ()
    tabs: Callable[[Shown], None] = show_tabs
    parts: Mapping[str, Callable[[Shown], None]] = field(default_factory=dict)
    own_tabs: Mapping[str, Callable[[Shown], None]] = field(default_factory=dict)
    further: Callable[[Shown], None] = _nothing
    texts: Callable[[Shown], Sequence[Texts]] = _none
    ways: Callable[[Shown], Sequence[Way]] = _none
    released: Callable[[Shown], Sequence[Released]] = _none
    downloads: Callable[[Shown], Sequence[Download]] = _none
    titles: Sequence[str] = (SETTINGS, THRESHOLDS)


def show_page(page: ToolPage) -> None:
    """Show a tool's page: what it asks for, and what it says of what is given."""
    tool, shown = page.tool, Shown(page=page)
    st.title(say(tool.title), anchor=False)
    question = st.container()
    if not page.inputs(shown):
        question.markdown(say(tool.question))
        show_empty_state(tool.key, text=tool.upload, demos=tool.demos, offer=tool.offer)
        return
    page.drawer(shown)
    with above_privacy_line():
        page.body(shown)
