"""What if: search for generalizations beside the page, choose one, take the table away."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple

import streamlit as st

from core import risk
from core.errors import AuditInputError
from core.processes.jobs import Job, Progress
from core.reports import zip_of
from core.risk.result import option_cards, option_group, released_note, what_if_group
from core.risk.tool import TOOL
from core.settings.form import described
from core.tables import Dataset
from core.web.caching import remembered, vault
from core.words import Text, say, text
from pages.components.asking import ask_for
from pages.components.inputs import Way, show_ways_on, stored_files
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_beside, show_part, show_parts
from pages.components.reading import show_problems
from pages.components.results import Download, show_badge, show_download, show_findings
from pages.components.shown import Shown
from pages.components.text import plain, sentence, short_digest

_release = remembered(kept=2)(risk.release)
_MOST_WEIGHTS = 12  # columns that are asked for a weight
_MOST_CELLS_AT_ONCE, _MOST_COLUMNS_AT_ONCE = 50_000, 5  # of quasi-identifiers: about a tenth of a second
_NARROWEST_CARD, _CARDS_AT_ONCE = 220, 2  # pixels; around the one that reaches what is asked for


class Searched(NamedTuple):
    """What a search found, and the audit that it was of."""

    what_if: risk.WhatIf
    audit: risk.RiskAudit


def show_what_if(shown: Shown) -> risk.WhatIf | None:
    """Show what suppression alone would cost, search for cheaper generalizations, return what was found."""
    audit: risk.RiskAudit = shown.audit
    dataset, population, groups = (shown.given[role] for role in ("table", "population", "hierarchies"))
    st.header(say("What if"), anchor=False)
    if not audit.measurement.classes.n_classes:
        st.markdown(say("No record is assessed, so nothing can be generalized."))
        return None
    settings = _ask_for_settings(audit, with_population=population is not None)
    group = shown.result.group("suppression")
    with st.expander(say(group.title), icon=":material/content_cut:", key="risk_suppression_alone"):
        show_parts(group, key="risk_suppression")
    is_quick = _is_quick(audit, settings, with_others=population is not None or bool(groups))
    job = None if is_quick else _search_beside(audit, settings, shown)
    if is_quick:
        quick = Searched(_search_at_once(audit.measurement, dataset, settings), audit)
        return _show_options(quick, f"{dataset.fingerprint}{settings!r}", dataset)
    if job is None or job.result is None:
        return None
    found: Searched = job.result
    is_former = found.what_if.settings != settings or found.audit.measurement is not audit.measurement
    with greyed_out("what_if", when=is_former):
        made = _show_options(found, job.key, dataset)
    return None if is_former else made


def _search_beside(
    audit: risk.RiskAudit, settings: risk.WhatIfSettings, shown: Shown
) -> Job[Searched] | None:
    """Search beside the page once asked to; return what was found."""
    dataset, population, groups = (shown.given[role] for role in ("table", "population", "hierarchies"))
    files = [each and each.fingerprint for each in (population, *groups)]
    known = hashlib.sha256(repr(audit.measurement.hierarchies).encode()).hexdigest()
    key = f"{dataset.fingerprint}{(audit.measurement.settings, known, settings, files)!r}"
    work = partial(_search, audit, dataset, settings, population=population, groups=groups)
    label = "Search the cheapest generalizations"
    return ask_for_work(TOOL.key, key, work, label=label, inputs=dataset.fingerprint)


def _is_quick(audit: risk.RiskAudit, settings: risk.WhatIfSettings, *, with_others: bool) -> bool:
    """Whether a search takes so little that it is made without being asked for."""
    classes = audit.measurement.classes
    n_columns = len(classes.quasi_identifiers)
    return (
        not with_others
        and audit.measurement.persons is None
        and settings.limits == type(settings.limits)()
        and n_columns <= _MOST_COLUMNS_AT_ONCE
        and n_columns * classes.n_records <= _MOST_CELLS_AT_ONCE
    )


@remembered(kept=8)
def _search_at_once(
    measured: risk.RiskMeasurement, dataset: Dataset, settings: risk.WhatIfSettings
) -> risk.WhatIf:
    return risk.search_what_if(measured, dataset, settings=settings)


def _search(
    audit: risk.RiskAudit,
    dataset: Dataset,
    settings: risk.WhatIfSettings,
    progress: Progress,
    *,
    population: Dataset | None,
    groups: Sequence[Dataset],
) -> Searched:
    """Search beside the page; makes no Streamlit call."""
    n_compared = count(1)

    def stop() -> bool:
        n = next(n_compared)
        told = text("Searching: {n} candidate looked at", "Searching: {n} candidates looked at", n=n)
        progress.report(0, 0, told)
        return progress.stop_asked

    named = dict(risk.hierarchy_for(each, dataset) for each in groups)
    chosen = audit.measurement.settings.quasi_identifiers
    found = risk.search_what_if(
        audit.measurement,
        dataset,
        settings=settings,
        hierarchies={name: each for name, each in named.items() if name in chosen},
        population=population,
        stop=stop,
    )
    return Searched(found, audit)


def _ask_for_settings(audit: risk.RiskAudit, *, with_population: bool) -> risk.WhatIfSettings:
    ask = partial(ask_for, TOOL.key, risk.WhatIfSettings)
    with st.expander(say("Settings"), icon=":material/tune:", key="risk_what_if_settings"):
        suppression = ask("suppression_limit")
        diverse = bool(audit.measurement.sensitive) and _ask_whether_diverse()
        locally, objective = ask("locally"), ask("objective")
        k_map = ask("k_map", disabled=not with_population)
        st.markdown(f"{say(described(risk.WhatIfSettings)['weights'].label)}:")
        weights = tuple(
            (name, weight)
            for number, name in enumerate(audit.measurement.classes.quasi_identifiers[:_MOST_WEIGHTS])
            if (weight := _ask_for_weight(number, name)) != 1.0
        )
        choices = risk.WhatIfSettings(objective=objective, weights=weights, k_map=k_map)
    return risk.what_if_settings(
        audit.measurement,
        audit.thresholds,
        diverse=diverse,
        choices=replace(choices, suppression_limit=suppression, locally=locally),
    )


def _ask_whether_diverse() -> bool:
    return st.toggle(
        say("Also reach what is asked of sensitive attributes above"),
        key="risk_what_if_diverse",
        help=say(
            "Distinct ℓ, entropy ℓ, t, α, β and δ, as they are judged; otherwise only the size of groups "
            "and the average risk count."
        ),
        persist_state="session",
    )


def _ask_for_weight(number: int, name: str) -> float:
    return st.number_input(
        plain(name), 0.1, 100.0, 1.0, step=0.5, key=f"risk_weight_{number}", persist_state="session"
    )


def _show_options(found: Searched, key: str, dataset: Dataset) -> risk.WhatIf | None:
    """Show a card for each option, and the table of the one that was chosen; return what it is of."""
    what_if = found.what_if
    if not what_if.options:
        st.markdown(sentence(say(risk.what_if_note(what_if))))
        return None
    cards = option_cards(what_if)
    ks = [each.best.k for each in what_if.options if each.best is not None]
    slot = f"risk_option_of_{dataset.fingerprint}"
    wanted = risk.option_for(what_if, found.audit.thresholds.k)
    numbers = sorted(range(len(cards)), key=lambda number: (abs(number - (wanted or 0)), number))
    at_once, rest = sorted(numbers[:_CARDS_AT_ONCE]), sorted(numbers[_CARDS_AT_ONCE:])

    def show_cards(some: Sequence[int]) -> None:
        with st.grid(len(some), min_column_width=_NARROWEST_CARD):
            for number in some:
                file_name = f"{_stem(dataset, key, number, 'card')}.csv"
                make = partial(_made_of_card, found, number, dataset)
                download = Download("Download", file_name, make, is_main=number == wanted)
                _show_card(*cards[number], download, number=number, slot=slot, k=ks[number])

    show_cards(at_once)
    if rest:
        with st.expander(say("{n} more", n=len(rest)), key="risk_more_options"):
            show_cards(rest)
    with st.expander(say("For statisticians"), icon=":material/functions:", key="risk_what_if_figures"):
        show_beside(what_if_group(what_if).parts, key="risk_frontier", widths=(2, 3))
    if (chosen := st.session_state.get(slot)) not in ks:
        return None
    _show_option(found, ks.index(chosen), key, dataset)
    return what_if


def _made_of_card(found: Searched, option: int, dataset: Dataset) -> bytes:
    return risk.release(found.what_if, option, found.audit.measurement, dataset).data


def _stem(dataset: Dataset, *parts: object) -> str:
    """Return a short name for what was made: Streamlit 1.67 may serve former bytes under the same name."""
    return f"{dataset.name.rsplit('.', 1)[0]}_{short_digest(' '.join(map(str, parts)))}"


def _show_card(reached: Text, changes: Text, download: Download, *, number: int, slot: str, k: int) -> None:
    """Show what an option reaches, with its table to take away and a way to what it is counted again."""
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{sentence(say(reached))}**")
        st.caption(sentence(say(changes)))
        with st.container(horizontal=True):
            show_download(download, key=f"risk_card_{number}")
            name = f"risk_option_{number}"
            st.button(say("Details"), key=name, type="tertiary", on_click=_choose, args=(slot, k))


def _choose(slot: str, k: int) -> None:
    st.session_state[slot] = k


def _show_option(found: Searched, option: int, key: str, dataset: Dataset) -> None:
    *drawn, table = option_group(found.what_if, option).parts
    with st.expander(say("For statisticians"), icon=":material/functions:", key="risk_around"):
        show_beside(drawn, key="risk_lattice")
    columns, counted = st.columns([2, 3])
    with columns:
        show_part(table, key="risk_levels")
        person = _ask_for_person(found.audit)
    with counted:
        try:
            with st.spinner(say("Making the table and counting it again"), show_time=True):
                made = _release(found.what_if, option, found.audit.measurement, dataset, person=person)
        except AuditInputError as error:
            show_problems(error)
            return
        again = risk.judge_risk(made.measured, replace(found.audit.thresholds, k=made.k))
        with st.container(horizontal=True, vertical_alignment="center"):
            show_badge(again.overall, "The table, read back and counted again")
        show_findings(again.all_findings, key="risk_release", fold_held=False)
        st.caption(sentence(say(released_note(made))))
    stem = _stem(dataset, key, option, person)
    _offer(made, found.what_if, stem)
    ways = (("leakage", "scrambled"), ("risk", "table"))
    show_ways_on(
        TOOL.key, [Way(tool, partial(_places, made, stem, part)) for tool, part in ways], key="_release"
    )


def _places(made: risk.Release, stem: str, part: str) -> dict[str, list[str]]:
    """Put the release beside the table it was made from; return what each is elsewhere."""
    stored = vault().put(f"{stem}.csv", made.data)
    return {"original": [stored_files(TOOL.key, "table")[-1].key], part: [stored.key]}


def _ask_for_person(audit: risk.RiskAudit) -> risk.PersonReleased:
    """Ask what stands in the person column of the release, where there is one."""
    if audit.measurement.settings.person is None:
        return "pseudonym"
    words = {"pseudonym": "fresh random pseudonyms", "left_out": "nothing: it is left out"}
    chosen: risk.PersonReleased = st.radio(
        say("In the person column of the release"),
        risk.PERSON_RELEASED,
        format_func=lambda option: say(words[option]),
        key="risk_person_released",
        help=say(
            "Pseudonyms tell which records are of one person; nobody can compute them, and another release "
            "has others."
        ),
        horizontal=True,
        persist_state="session",
    )
    return chosen


def _offer(made: risk.Release, what_if: risk.WhatIf, stem: str) -> None:
    about = "A file for each quasi-identifier, value;level 1;level 2;…; they hold the table's values."
    offered = (
        Download("Generalized table", f"{stem}.csv", lambda: made.data),
        Download("How it was made", f"{stem}.json", lambda: made.settings),
        Download(
            "Hierarchies searched (ZIP)",
            f"{stem}_hierarchies.zip",
            lambda: zip_of(what_if.hierarchy_files()),
            about,
        ),
    )
    with st.container(horizontal=True):
        for name, download in zip(("", "_settings", "_hierarchies"), offered, strict=True):
            show_download(download, key=f"risk_generalized{name}")
