"""Showing results: verdict, figures with their definitions, findings, charts, tables, downloads."""

import hashlib
import html
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from numbers import Real
from typing import Literal, NamedTuple

import pandas as pd
import streamlit as st

from core.charts import COLORS, described, on_page, one_bar, places
from core.errors import AuditInputError
from core.files.plain_text import unbroken
from core.measures import MEASURES, Measure
from core.reports import NO_BROWSER, PRINTED, RENDERERS, Figure, Report, browser, render
from core.reports.model import figure_text, report_stem, said_frame
from core.result import Col, Drawing, Table
from core.verdict import Finding, Verdict, next_steps, worst_first
from core.web.caching import Vault, vault
from core.words import own, percent, say, speaking, spoken_language, text
from pages.components import trail
from pages.components.policy import (
    InUse,
    Released,
    ask_for_settings_file,
    policy_in_use,
    settings_file,
    show_policy,
)
from pages.components.reading import show_problems
from pages.components.text import plain, sentence, short_digest


class _Look(NamedTuple):
    icon: str
    color: Literal["green", "orange", "gray", "red"]


# One meaning per colour on every page, and never the colour alone.
_LOOKS: Mapping[Verdict, _Look] = {
    Verdict.PASS: _Look(":material/check_circle:", "green"),
    Verdict.WARN: _Look(":material/warning:", "orange"),
    Verdict.NOT_ASSESSED: _Look(":material/help:", "gray"),
    Verdict.FAIL: _Look(":material/cancel:", "red"),
}


_MOST_CELLS_WRITTEN = 5_000  # by our own words for a share, a cell after the other
OF_LETTER, OF_CELL, OF_TABLE = 6.8, 26, 1230  # pixels: of a letter, around them, and of all columns
_NOTHING = "–"  # where a cell of a table holds nothing
_MOST_CARDS = 4  # in a row
_NARROWEST_CARD = 265  # pixels; four fit beside each other in a window of 1280


def show_badge(verdict: Verdict, label: str = "") -> None:
    """Show a verdict as icon, word and colour, with a label before the word."""
    look = _LOOKS[verdict]
    word = say(verdict.word)
    st.badge(f"{plain(say(label))}: {word}" if label else word, icon=look.icon, color=look.color)


# The card's tint repeats what its symbol and word say; no text of anybody's is in it.
_TINTS = "".join(
    f'[class*="st-key-verdict_{each}"]{{background:{COLORS[each]}1f;border-color:{COLORS[each]}}}'
    for each in Verdict
)


def show_verdict(
    verdict: Verdict,
    headline: str,
    *,
    parts: Sequence[tuple[str, Verdict]] = (),
    reasons: Sequence[str] = (),
    findings: Iterable[Finding] = (),
    key: str = "overall",
    act: Callable[[], None] | None = None,
) -> None:
    """Show a verdict as a headline, with those it is made of, the reasons, and what to do next.

    `act` shows buttons that do it.
    """
    trail.saw(verdict)
    st.html(f"<style>{_TINTS}</style>")
    with st.container(border=True, key=f"verdict_{verdict.value}_{key}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            show_badge(verdict)
            st.header(sentence(say(headline)), anchor=False)
            if key in _ANNOUNCED:
                words = html.escape(f"{say(verdict.word)}: {say(headline)}".replace("`", ""))
                st.html(f'<div role="status" aria-live="polite">{words}</div>')
        if parts:
            with st.container(horizontal=True):
                for label, part in parts:
                    show_badge(part, label)
        for reason in reasons:
            st.markdown(f"- {sentence(say(reason))}")
        if steps := next_steps(findings):
            listed = "\n".join(f"{n}. {sentence(say(step))}" for n, step in enumerate(steps, start=1))
            st.markdown(f"**{say('Do next')}**\n\n{listed}")
        if act is not None:
            act()
        if verdict is Verdict.PASS and key in _ANNOUNCED:
            st.markdown(say("A PASS does not mean that the data are anonymous in law."))


_ANNOUNCED = ("overall", "file")  # a page's own verdict, and that of the file looked at


def show_figures(figures: Sequence[Figure], *, at_once: int | None = None) -> None:
    """Show figures as cards; definition, unit, threshold and source are one hover away.

    In a narrow window fewer stand in a row, so that names and thresholds are not cut short. Figures of
    one measure say in their names what each is of; beyond `at_once` they stand behind an expander.
    """
    times = Counter(figure.measure for figure in figures)
    rest = figures[at_once:] if at_once else ()
    _show_cards(figures[:at_once], times)
    if rest:
        with st.expander(
            say("{n} further figure", "{n} further figures", n=len(rest)), icon=":material/more_horiz:"
        ):
            _show_cards(rest, times)


def _show_cards(figures: Sequence[Figure], times: Mapping[str, int]) -> None:
    with st.grid(_MOST_CARDS, min_column_width=_NARROWEST_CARD):
        for figure in figures:
            _show_figure(figure, with_of=times[figure.measure] > 1)


def _show_figure(figure: Figure, *, with_of: bool) -> None:
    measure = MEASURES[figure.measure]
    look = _LOOKS[figure.verdict] if figure.verdict else None
    label = say(measure.label)  # our own words: escaped, a screen reader would read out the backslashes
    st.metric(
        f"{plain(say(own(figure.of)))}: {label}" if with_of and figure.of else label,
        unbroken(figure_text(figure)),
        delta=" · ".join(plain(say(part)) for part in (figure.verdict.word, figure.threshold) if part)
        if figure.verdict
        else None,
        delta_color=look.color if look else "off",
        delta_arrow="off",
        delta_description=plain(say(figure.threshold)) if figure.threshold and not look else None,
        help="\n\n".join(plain(say(part)) for part in _explanation(measure, figure)),
        border=True,
        height="stretch",
    )


def _explanation(measure: Measure, figure: Figure) -> list[str]:
    """Return the sentences one hover away from a figure."""
    about = [text("Here: {of}.", of=own(figure.of))] if figure.of else []
    source = text("Unit: {unit}. Source: {source}.", unit=own(measure.unit), source=own(measure.source))
    return [measure.definition, *about, source]


_DEFINITIONS = (
    Col("label", "Figure", kind="words"),
    Col("unit", "Unit", kind="words"),
    Col("better", "Better", kind="words"),
    Col("definition", "Definition", kind="words"),
    Col("source", "Source", kind="words"),
)


def show_definitions(keys: Sequence[str], *, limits: Sequence[str] = ()) -> None:
    """Show what every figure on the page means, and what the result cannot tell."""
    title = "Definition, unit and source of every figure on this page"
    with st.expander(say("How to read this"), icon=":material/menu_book:"):
        for limit in limits:
            st.markdown(f"- {plain(say(limit))}")
        if keys:
            show_table(Table("definitions", title, _DEFINITIONS, [MEASURES[key] for key in keys]))


def show_findings(
    findings: Sequence[Finding],
    *,
    key: str,
    at_once: int = 6,
    fold_held: bool = True,
    headline: str = "",
) -> None:
    """Show findings, the worst first; beyond `at_once`, and what held, behind expanders, none hidden.

    What the card's `headline` says word for word is not said again; what held stands open where it is all.
    """
    ordered = worst_first(findings)
    told = [finding for finding in ordered if finding.verdict is not Verdict.PASS or not fold_held]
    held = ordered[len(told) :]
    told = [finding for finding in told if not headline or finding.message != headline]
    for finding in told[:at_once]:
        show_finding(finding)
    if rest := told[at_once:]:
        with st.expander(say("{n} more", n=len(rest)), key=f"{key}_more_findings"):
            for finding in rest:
                show_finding(finding)
    if held:
        heading = say(
            "{n} thing worth knowing",
            "{n} things worth knowing",
            n=len(held),
        )
        with st.expander(heading, key=f"{key}_held"):
            st.markdown("\n".join(f"- {sentence(say(finding.message))}" for finding in held))


def show_finding(finding: Finding) -> None:
    """Show one finding with its verdict."""
    with st.container(horizontal=True, vertical_alignment="top", gap="small", wrap=False):
        show_badge(finding.verdict)
        st.markdown(sentence(say(finding.message)), width="stretch")


def show_chart(chart: Drawing, *, key: str) -> None:
    """Show a chart under its title, with the text that says what it shows; of one bar its words alone."""
    st.markdown(f"**{plain(say(chart.title))}**")
    made = chart.chart()
    if words := one_bar(made):
        st.markdown(plain(words))
        return
    drawn = on_page(made)
    st.vega_lite_chart(drawn, alt=alternative(chart.title, chart.alt, drawn), key=key)


def alternative(title: str, words: str, drawn: Mapping[str, object]) -> str:
    """Return the text that stands for a chart: the words given with it, or its title, axes and marks."""
    return (say(words) or f"{say(title)}. {described(drawn)}").replace("`", "")


def show_table(table: Table, *, alt: str = "") -> None:
    """Show a table; cells appear as typed, columns whose unit is a share or risk as percent."""
    shown, alt = said_frame(table), say(alt or table.title)
    for place, column in enumerate(table.columns):
        if column.kind == "words":
            shown.isetitem(place, shown.iloc[:, place].map(_word).array)
    headings = zip(map(str, shown), table.columns, strict=True)
    shares = [heading for heading, column in headings if column.unit in ("share", "risk")]
    if shown.size > _MOST_CELLS_WRITTEN or not shares:
        formats = {name: st.column_config.NumberColumn(format="percent") for name in shares}
        st.dataframe(shown, hide_index=True, alt=alt, column_config=formats, placeholder=_NOTHING)
        return
    written = shown.style.format(dict.fromkeys(shares, _percent_of), na_rep="")  # sorted by its numbers
    st.dataframe(written, hide_index=True, alt=alt, placeholder=_NOTHING)


def _percent_of(share: object) -> str:
    return say(percent(float(share))) if isinstance(share, Real) else str(share)


def show_map(table: Table, *, alt: str, names: str, key: str, opened: Callable[[str], None]) -> None:
    """Show a table with cells tinted by verdicts; a click on a row opens it.

    Parameters
    ----------
    names
        Key of the column that names the rows.
    opened
        Called with the name of the row that was clicked, before the page runs again.
    """
    shown, tints = said_and_tinted(table)
    widths = widths_of(shown)
    place = [column.key for column in table.columns].index(names)
    rows = [str(row[place]) for row in table.cells()]
    digest = short_digest(repr(rows))
    st.dataframe(
        shown.style.apply(lambda _: tints, axis=None),
        hide_index=True,
        column_config={name: st.column_config.Column(width=width) for name, width in widths.items()},
        alt=say(alt),
        key=f"{key}_{digest}",  # another order of the rows has its own selection
        on_select=partial(_open_row, f"{key}_{digest}", rows, opened),
        selection_mode="single-row",
        placeholder=_NOTHING,
    )


def said_and_tinted(table: Table) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cells as they are shown, and a style for each; verdicts tint their own cells."""
    shown, marks = said_frame(table).astype(object), table.marks()
    tints = pd.DataFrame("", index=shown.index, columns=shown.columns)
    for place, column in enumerate(table.columns):
        cells = shown.iloc[:, place]
        given = marks.get(column.key)
        found = given or [_verdict_in(cell) for cell in cells]
        tints.isetitem(place, [f"background-color:{COLORS[each]}33" if each else "" for each in found])
        words = [
            f"{mark.symbol} {cell}" if given and mark else _symbol_and_word(cell)
            for mark, cell in zip(found, cells, strict=True)
        ]
        shown.isetitem(place, pd.Series(words, index=shown.index, dtype=object).array)
    return shown, tints


def widths_of(shown: pd.DataFrame) -> dict[str, int]:
    """Return a width for every column in which its cells are whole; the widest gives way to the others."""
    widths = {str(name): max(map(_width, (name, *shown[name]))) for name in shown}
    widest = max(widths, key=lambda name: widths[name])
    rest = sum(widths.values()) - widths[widest]
    return {**widths, widest: min(widths[widest], max(OF_TABLE - rest, OF_TABLE // 3))}


def _width(cell: object) -> int:
    return round(OF_CELL + OF_LETTER * places(str(cell)))


def ask_to_show_values(key: str) -> bool:
    """Ask whether to show values; shapes stand for them until then."""
    return st.toggle(
        say("Show values"),
        key=key,
        help=say("Shapes stand for values until you switch this on: 9 for a digit, A for a letter."),
        persist_state="session",
    )


def _open_row(key: str, rows: Sequence[str], opened: Callable[[str], None]) -> None:
    for row in st.session_state[key]["selection"]["rows"]:
        opened(rows[row])


def _verdict_in(cell: object) -> Verdict | None:
    return Verdict(cell) if isinstance(cell, str) and cell in Verdict.__members__ else None


def _symbol_and_word(cell: object) -> object:
    verdict = _verdict_in(cell)
    return cell if verdict is None else f"{verdict.symbol} {say(verdict.word)}"


def _word(cell: object) -> object:
    """Return a verdict's word in the language spoken, anything else as it is."""
    verdict = _verdict_in(cell)
    return cell if verdict is None else say(verdict.word)


SETTINGS_ABOVE = ("diversity", "vcf")  # tools whose settings stand there before there is a result


_MIMES = {
    "bed": "text/plain",
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "pdf": "application/pdf",
    "toml": "application/toml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


class Download(NamedTuple):
    """A file to offer: label, file name, what makes it, what it is good for."""

    label: str
    file_name: str
    make: Callable[[], bytes]
    help_text: str | None = None
    is_main: bool = False  # the one that stands out
    is_further: bool = False  # behind "More formats"

    @property
    def mime(self) -> str:
        """Return what browsers call the kind of file."""
        return _MIMES[self.file_name.rpartition(".")[2]]


def show_downloads(
    tool: str,
    make_report: Callable[[datetime], Report],
    *,
    identity: str,
    extra: Sequence[Download] = (),
    released: Sequence[Released] = (),
) -> None:
    """Offer the report, in more formats on demand, and further files; each is made when it is asked for.

    Parameters
    ----------
    make_report
        Called with the UTC time of the download.
    identity
        Fingerprints and settings behind the result. It becomes part of the file names: Streamlit 1.67
        may serve the former bytes of a large file under the same name.
    extra
        Files of the tool's own.
    released
        The tables that are given away, in which a policy may forbid columns.
    """
    use = policy_in_use(tool, released)
    if use is not None:
        make_report = partial(_judged, make_report, use)
        show_policy(use.outcome(make_report(datetime.now(UTC))))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    trail.audited(tool, digest)
    stem = report_stem(tool, datetime.now(UTC), digest)
    reports = {
        name: Download(
            label=text("Report as {format}", format=renderer.label),
            file_name=f"{stem}.{renderer.extension}",
            make=partial(_render_now, make_report, name, spoken_language()),
            help_text=renderer.help,
        )
        for name, renderer in {**RENDERERS, "pdf": PRINTED}.items()
    }
    main = reports.pop("html")._replace(label="Download report", is_main=True)
    row = st.container(horizontal=True)
    with row:
        show_download(main, key=f"{tool}_html")
        for download in (each for each in extra if not each.is_further):
            show_download(download, key=f"{tool}_{download.label}")
        with st.popover(say("More formats"), icon=":material/file_save:"):
            for name, report in reports.items():
                if name == "pdf":
                    _show_pdf(report, key=f"{tool}_pdf")
                else:
                    show_download(report, key=f"{tool}_{name}")
            for download in (each for each in extra if each.is_further):
                show_download(download, key=f"{tool}_{download.label}")
            st.caption(say("CSV files have commas, and begin with a byte order mark (UTF-8)."))
        made = partial(_settings_now, make_report, use)
        about = "Everything set here, for --settings and for Open settings."
        settings = Download("Download settings", f"{stem}_settings.toml", made, about)
        show_download(settings, key=f"{tool}_toml")
    if tool not in SETTINGS_ABOVE:
        ask_for_settings_file(tool, beside=row)


def _show_pdf(report: Download, *, key: str) -> None:
    """Offer the PDF, which is made first: a download that comes to nothing says nothing (Streamlit 1.67)."""
    if browser() is None:
        st.caption(say(NO_BROWSER))
    elif st.button(say("Make the PDF"), key=f"make_{key}", help=say(PRINTED.help), icon=":material/print:"):
        try:
            with st.spinner(say("Making the PDF …")):
                data = report.make()
        except AuditInputError as error:
            show_problems(error)
        else:
            show_download(report._replace(make=lambda: data), key=key)


def _judged(make_report: Callable[[datetime], Report], use: InUse, created_at: datetime) -> Report:
    return use.judged(make_report(created_at))


def _settings_now(make_report: Callable[[datetime], Report], use: InUse | None) -> bytes:
    return settings_file(make_report(datetime.now(UTC)), use)


def _render_now(make_report: Callable[[datetime], Report], name: str, code: str) -> bytes:
    """Write a report in the language of its page, which is not known any more when it is asked for."""
    with speaking(code):
        return render(make_report(datetime.now(UTC)), name)


def _made(held: Vault, download: Download) -> bytes:
    return held.offer(download.make(), mime=download.mime, name=download.file_name)


def show_download(download: Download, *, key: str) -> None:
    """Offer one file; it is made when it is asked for."""
    st.download_button(
        say(download.label),
        data=partial(_made, vault(), download),
        file_name=download.file_name,
        mime=download.mime,
        key=f"download_{key}",
        type="primary" if download.is_main else "secondary",
        help=download.help_text and say(download.help_text),
        icon=":material/download:",
        on_click="ignore",
    )
