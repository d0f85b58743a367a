"""Settings as a file, and policies: what is opened sets a page's widgets; what a policy makes of a result."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import AuditInputError
from core.filed.as_settings import settings_in_report, settings_of
from core.policies import (
    Outcome,
    Policy,
    PolicyOutcome,
    context_name,
    context_of,
    judge_policy,
    policy_settings,
    read_policy,
    shipped_names,
    shipped_policies,
)
from core.policies.identifiers import kinds_of_columns
from core.policies.judging import Columns
from core.policies.of_report import named_columns, with_outcome
from core.reports import Report
from core.settings.asked import Asked
from core.settings.files import (
    ToolSettings,
    fill,
    is_report,
    known_settings,
    read_settings,
    read_toml,
    settings_toml,
)
from core.settings.form import Setting, given_options
from core.settings.options import CONTEXT, Option
from core.tables import Dataset
from core.web.caching import remembered
from core.words import Text, listed, say, text
from pages.components.reading import show_problems
from pages.components.text import sentence

Released = tuple[Dataset, Collection[str]]  # a table that is given away, and its columns that are not
_UPLOADED = "_settings_file"


@dataclass
class _Opened:
    """What was opened for a page, and which of its widgets have taken their values."""

    settings: ToolSettings
    notes: Sequence[str] = ()
    taken: set[str] = field(default_factory=set)
    absent: list[str] = field(default_factory=list)
    is_new: bool = True


def opened_value(told: Setting, key: str) -> tuple[bool, Any]:
    """Return whether a widget is to take a value that was opened, and which; each takes it once."""
    opened: _Opened | None = st.session_state.get(_slot(key.partition("_")[0]))
    if opened is None or key in opened.taken or told.name not in opened.settings.values:
        return False, None
    opened.taken.add(key)
    value = opened.settings.values[told.name]
    if told.is_grouped:
        number = sum(one.startswith(f"{told.name} ") for one in opened.taken)
        opened.taken.add(f"{told.name} {number}")
        return number < len(value), value[number] if number < len(value) else None
    return True, None if value == "none" and told.may_be_none else value


def opened_form(tool: str, form: type[Any]) -> dict[str, Any]:
    """Return what was opened of a form's settings, once; nothing later."""
    opened: _Opened | None = st.session_state.get(_slot(tool))
    if opened is None or form.__name__ in opened.taken:
        return {}
    opened.taken.add(form.__name__)
    return given_options(form, fill(Asked(), opened.settings, ()))


def say_absent(key: str, values: Sequence[object]) -> None:
    """Remember which columns that were opened the table does not have."""
    opened: _Opened | None = st.session_state.get(_slot(key.partition("_")[0]))
    if opened is not None:
        opened.absent += [str(value) for value in values if str(value) not in opened.absent]


def _slot(tool: str) -> str:
    return f"{tool}_opened_settings"


def _take_file(tool: str, uploader: str) -> None:
    """Read what was uploaded: settings, or a policy of the person's own."""
    file = st.session_state.get(uploader)
    if file is None:
        return
    del st.session_state[uploader]  # Streamlit would keep the bytes until the page is drawn
    name, data = file.name, file.getvalue()
    st.session_state.pop(f"{tool}_settings_problems", None)
    try:
        if not is_report(data) and "limit" in read_toml(data, name=name):
            _use(tool, read_policy(data, name=name))
        else:
            read = settings_in_report if is_report(data) else read_settings
            opened = read(data, name=name, tool=tool)
            stated = (opened.settings.values.get(told.name) for told in CONTEXT)
            named = opened.settings.policy or context_name(*stated)
            st.session_state[f"{tool}_policy_used"] = shipped_policies().get(named)
            notes = (*opened.notes, *_not_opened(opened.settings, name=name))
            st.session_state[_slot(tool)] = _Opened(opened.settings, notes)
    except AuditInputError as error:
        st.session_state[f"{tool}_settings_problems"] = error.problems


def _not_opened(settings: ToolSettings, *, name: str) -> Iterator[Text]:
    """Say what a settings file says that no page takes."""
    if settings.policy and settings.policy not in shipped_policies():
        no_policy = "{file} names the policy {name}, which does not come along. Open the policy's own file."
        yield text(no_policy, file=name, name=settings.policy)
    if settings.by_file:
        single = "{file}: what it sets for single files is not opened here: {names}. The command takes it."
        yield text(single, file=name, names=listed([*settings.by_file]))
    known = known_settings(settings.tool)
    of_command = [key for key, value in settings.values.items() if value and _is_of_command(known[key])]
    if of_command:
        told = "{file} sets what is not opened here, but by the command alone: {names}."
        yield text(told, file=name, names=listed(of_command))


def _is_of_command(told: Setting) -> bool:
    return isinstance(told, Option) and not told.is_field and told not in CONTEXT


def _use(tool: str, policy: Policy | None) -> None:
    st.session_state[f"{tool}_policy_used"] = policy
    values = {} if policy is None else policy_settings(policy, tool)
    st.session_state[_slot(tool)] = _Opened(ToolSettings(tool=tool, values=values))


def _choose(tool: str) -> None:
    _use(tool, shipped_policies().get(st.session_state[f"{tool}_policy"]))


def ask_for_settings_file(tool: str, *, beside: DeltaGenerator | None = None) -> None:
    """Offer to open settings or a policy, and the policies that come along; say what is wrong with a file."""
    opened: _Opened | None = st.session_state.get(_slot(tool))
    with (beside or st).popover(say("Open settings"), icon=":material/folder_open:"):
        uploader = f"{tool}{_UPLOADED}"
        st.file_uploader(
            say("Settings, a report (JSON), or a policy of your own"),
            key=uploader,
            on_change=_take_file,
            args=(tool, uploader),
            help=say(
                "What this page downloads as Settings or as a JSON report, or limits with their clauses."
            ),
        )
        if tool not in POLICY_ABOVE:
            _ask_for_policy(tool)
    if problems := st.session_state.get(f"{tool}_settings_problems"):
        show_problems(AuditInputError(*problems))
    if opened is None:
        return
    for note in opened.notes:
        st.warning(sentence(say(note)))
    if opened.absent:
        absent = "The settings name what is not here, and is left out: {names}."
        st.warning(sentence(say(absent, names=listed(opened.absent))))
    if opened.is_new:  # what stands above was drawn before, or is no part of a fragment
        opened.is_new = False
        st.rerun()


def _ask_for_policy(tool: str) -> None:
    used: Policy | None = st.session_state.get(f"{tool}_policy_used")
    titles = {name: shipped_policies()[name].title for name in shipped_names()}
    key = f"{tool}_policy"
    names = ["", *titles]
    if used is not None and used.name not in titles:
        names.append(used.name)
        titles[used.name] = used.title
    st.session_state[key] = used.name if used is not None else ""
    st.selectbox(
        say("Policy"),
        names,
        format_func=lambda name: say(text(titles.get(name, name) or "none")),
        key=key,
        on_change=_choose,
        args=(tool,),
        help=say("Sets the limits that it names. Nothing is called compliant by it."),
    )


POLICY_ABOVE = ("risk", "dataset", "events")  # pages that ask for it beside the limits
_QUESTIONS = ("Who receives it?", "How bad would being found be?")
_CONTEXT = "context"  # as answered on one page, which is the default on the others


def ask_for_context(tool: str) -> None:
    """Ask who receives the data and how bad being found would be, or for a policy: both set the limits.

    What was answered on another page is the answer here too, unless a policy is in use.
    """
    slots = [f"{tool}_{told.name}" for told in CONTEXT]
    context: tuple[str | None, ...] | None = st.session_state.get(_CONTEXT)
    if context is not None and context != st.session_state.get(f"{tool}_{_CONTEXT}"):
        st.session_state[f"{tool}_{_CONTEXT}"] = context
        if _may_follow(tool):
            st.session_state.update(zip(slots, context, strict=True))
            _use_context(tool, context)
    used: Policy | None = st.session_state.get(f"{tool}_policy_used")
    if used is not None:
        st.session_state.update(zip(slots, context_of(used.name), strict=True))
    *places, beside = st.columns(len(slots) + 1)
    for place, question, told, slot in zip(places, _QUESTIONS, CONTEXT, slots, strict=True):
        place.selectbox(
            say(question),
            list(told.choices),
            index=None,
            format_func=partial(_answer, told),
            placeholder=say("not answered"),
            key=slot,
            on_change=_take_context,
            args=(tool, slots),
            persist_state="session",
        )
    with beside:
        _ask_for_policy(tool)
    for limit in () if used is None else used.for_tool(tool):
        if limit.value is not None:
            st.caption(sentence(say(Outcome(limit=limit, is_met=None).demand)))


def _answer(told: Setting, answer: str) -> str:
    return say(told.choices[answer])


def _take_context(tool: str, slots: Sequence[str]) -> None:
    context = tuple(st.session_state.get(slot) for slot in slots)
    st.session_state[_CONTEXT] = st.session_state[f"{tool}_{_CONTEXT}"] = context
    if all(context) or _may_follow(tool):
        _use_context(tool, context)


def _may_follow(tool: str) -> bool:
    """Whether no policy is in use, or that of a context."""
    used: Policy | None = st.session_state.get(f"{tool}_policy_used")
    return used is None or context_of(used.name) != (None, None)


def _use_context(tool: str, context: tuple[str | None, ...]) -> None:
    """Use the limits of a context once both questions are answered, and those of none before."""
    if all(context):
        _use(tool, shipped_policies()[context_name(*context)])
    elif st.session_state.get(f"{tool}_policy_used") is not None:
        _use(tool, None)


class InUse(NamedTuple):
    """The policy that the page takes limits of, and what the columns of the release look like."""

    policy: Policy
    columns: Columns | None

    def outcome(self, report: Report) -> PolicyOutcome:
        """Return what the policy makes of a report."""
        return judge_policy(self.policy, report, self.columns)

    def judged(self, report: Report) -> Report:
        """Return the report with that."""
        return with_outcome(report, self.outcome(report))


def policy_in_use(tool: str, released: Sequence[Released]) -> InUse | None:
    """Return the policy that was chosen or opened for a page; None for none.

    A download is made outside of the session, so that all it needs has to be at hand before.
    """
    policy: Policy | None = st.session_state.get(f"{tool}_policy_used")
    if policy is None:
        return None
    found = [(each, _kinds_of_columns(each, policy.kinds, tuple(left_out))) for each, left_out in released]
    return InUse(policy, named_columns(found) if released else None)


@remembered()
def _kinds_of_columns(
    dataset: Dataset, wanted: frozenset[str], left_out: tuple[str, ...]
) -> dict[str, frozenset[str]]:
    return kinds_of_columns(dataset.table, wanted, left_out)


def show_policy(outcome: PolicyOutcome) -> None:
    """Show each limit of a policy with its clause beside it, and whether it is met."""
    with st.container(border=True):
        st.subheader(say("Policy"), anchor=False)
        st.markdown(f"{_ICONS[outcome.is_met]} {sentence(say(outcome.sentence))}")
        for note in outcome.differences:
            st.warning(sentence(say(note)), icon=":material/edit:")
        lines = [f"- {_ICONS[each.is_met]} {sentence(say(each.line))}" for each in outcome.outcomes]
        left = [say("Left to judgement: {what}", what=text(what)) for what in outcome.policy.judgement]
        st.markdown("\n".join([*lines, *(f"- {sentence(each)}" for each in left)] if lines else []))


_ICONS = {True: ":material/check_circle:", False: ":material/cancel:", None: ":material/help:"}


def settings_file(report: Report, use: InUse | None) -> bytes:
    """Return the settings of a report as a file."""
    return settings_toml(settings_of(report, policy="" if use is None else use.policy.name))
