"""Asking for files: upload or demo, listing, removal."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain, count
from typing import NamedTuple

import streamlit as st

from core.demo import Demo
from core.errors import AuditInputError
from core.tables import Dataset
from core.tools import Input
from core.vcf.pairing import is_vcf_name
from core.web.caching import StoredFile, delete_my_data, vault
from core.web.streamlit_internals import UploadedFile
from core.words import own, say
from pages.components.navigation import FILED, TOOLS
from pages.components.reading import ask_for_reading, read_alike, read_table, show_problems, summary_of
from pages.components.text import plain, size

_MISSING = {  # what stands in a place instead of a file
    "lost": "The connection was interrupted, so your files are no longer in memory. Please upload them "
    "again; your settings are kept.",
    "refused": "The server did not take a file: with it, this tab would hold more than it may. Remove files "
    "that you need no more, or use the command line.",
}
_SLOT_ENDING = "_slot_files"


def _slot(tool: str, role: str) -> str:
    return f"{tool}_{role}{_SLOT_ENDING}"


def _stored_keys(tool: str, role: str) -> list[str]:
    keys: list[str] = st.session_state.setdefault(_slot(tool, role), [])
    return keys


def _keep(tool: str, role: str, files: Sequence[tuple[str, bytes]], *, several: bool) -> None:
    """Put files into the vault and remember their keys; a name uploaded again replaces the former.

    Different files of one name in one upload, such as of two folders, are numbered and all kept.
    """
    known = _stored_keys(tool, role) if several else []
    names: list[str] = []
    for given, data in dict.fromkeys(files):
        stem, dot, ending = given.rpartition(".") if "." in given else (given, "", "")
        numbered = (f"{stem} ({number}){dot}{ending}" for number in count(2))
        name = next(each for each in chain([given], numbered) if each not in names)
        names.append(name)
        stored = vault().put(name, data)
        known = [key for key in known if key != stored.key and _name(key) != name] + [stored.key]
    st.session_state[_slot(tool, role)] = known


def keep_file(tool: str, role: str, name: str, data: bytes) -> None:
    """Put a file that was made on a page beside those that were given."""
    _keep(tool, role, [(name, data)], several=True)


def _name(key: str) -> str | None:
    stored = vault().file(key)
    return stored.name if stored else None


def _take_upload(tool: str, role: str, uploader: str, several: bool) -> None:
    if uploader in st.session_state:  # not where another upload cut its run short: taken when it is drawn
        uploaded = st.session_state[uploader]
        del st.session_state[uploader]  # Streamlit would keep the bytes until the page is drawn
        _take(tool, role, uploaded, several)


def _take(tool: str, role: str, uploaded: object, several: bool) -> None:
    files = uploaded if isinstance(uploaded, list) else [uploaded] if uploaded else []
    # After an interruption the browser may name a file whose bytes are gone.
    received = [file for file in files if isinstance(file, UploadedFile)]
    was_refused = len(received) < len(files) and vault().was_refused()
    if files and not received and not was_refused and _stored_keys(tool, role):
        return  # the same upload named once more: a run that another upload cut short has taken its bytes
    _keep(tool, role, [(file.name, file.getvalue()) for file in received], several=several)
    if len(received) < len(files):
        why = "refused" if was_refused else "lost"
        st.session_state[_slot(tool, role)] = [*_stored_keys(tool, role), why]
    st.session_state[f"{tool}_{role}_uploads"] = st.session_state.get(f"{tool}_{role}_uploads", 0) + 1


def load_demo(tool: str, demo: Demo) -> None:
    """Put a demo's files where uploads go; they replace what the tool held."""
    _empty(tool)
    for role, files in demo.make().items():
        _keep(tool, role, [(file.name, file.data) for file in files], several=True)


def take_along(source: str, tool: str, places: Mapping[str, Sequence[str]]) -> None:
    """Open a tool's page with files that the session holds, read as on the page of `source`.

    They replace what the tool held.

    Parameters
    ----------
    places
        Part in the tool to the files' keys.
    """
    held = {key for keys in places.values() for key in keys}
    _empty(tool, but_keep=held)
    for role, keys in places.items():
        st.session_state[_slot(tool, role)] = list(keys)
    for key in held:
        read_alike(source, tool, key)
    if tool == source:
        st.rerun()
    st.switch_page(_TOOLS[tool].script if tool in _TOOLS else FILED)


class Way(NamedTuple):
    """A way on from a page: the tool, and which part in it the files play, by their keys."""

    tool: str
    places: Callable[[], Mapping[str, Sequence[str]]]


_TOOLS = {tool.key: tool for tool in TOOLS}
WAYS = {"leakage": "Compare them in Row leakage", "risk": "Check this table in Disclosure risk"}


def show_ways_on(source: str, ways: Iterable[Way], *, key: str = "") -> None:
    """Offer what else can be found out of the files at hand, which go along."""
    with st.container(horizontal=True):
        for way in ways:
            if st.button(say(WAYS[way.tool]), key=f"{source}{key}_to_{way.tool}", icon=_TOOLS[way.tool].icon):
                take_along(source, way.tool, way.places())


def _empty(tool: str, *, but_keep: Container[str] = ()) -> None:
    """Forget the files of a tool, but for what stands in other places too."""
    for slot in _slots():
        if slot.startswith(f"{tool}_"):
            keys, st.session_state[slot] = st.session_state[slot], []
            _forget(key for key in keys if key not in but_keep)


def _slots() -> list[str]:
    return [str(slot) for slot in st.session_state if str(slot).endswith(_SLOT_ENDING)]


def _forget(keys: Iterable[str]) -> None:
    for key in keys:
        if not any(key in st.session_state[slot] for slot in _slots()):
            vault().remove(key)


def remove_file(tool: str, role: str, key: str) -> None:
    """Forget one file; its bytes stay while it stands in another place too."""
    st.session_state[_slot(tool, role)] = [known for known in _stored_keys(tool, role) if known != key]
    _forget((key,))


def stored_files(tool: str, role: str) -> tuple[StoredFile, ...]:
    """Return the files of a role; says so, once, where a lost connection took them."""
    keys = _stored_keys(tool, role)
    files = tuple(stored for key in keys if (stored := vault().file(key)) is not None)
    if len(files) < len(keys):
        st.session_state[_slot(tool, role)] = [stored.key for stored in files]
        st.warning(say(_MISSING["refused" if "refused" in keys else "lost"]), icon=":material/link_off:")
    return files


def ask_for_files(tool: str, wanted: Input, *, several: bool = True) -> tuple[StoredFile, ...]:
    """Show an uploader, behind a button once there are files, and return those that the session holds.

    Uploaded bytes move to the vault at once and the uploader empties, so that they are in memory
    once and a rerun copies nothing. Any file is taken: one of which nothing can be made is told its cause,
    where a filter of types would have it vanish beside others.
    """
    files = stored_files(tool, wanted.role)
    button = say("Add files") if several else say("Change the file")
    behind = st.popover(button, icon=":material/upload_file:", type="tertiary") if files else nullcontext()
    with behind:
        _show_uploader(tool, wanted, several=several)
    return files


def _show_uploader(tool: str, wanted: Input, *, several: bool) -> None:
    role = wanted.role
    uploader = f"{tool}_{role}_upload_{st.session_state.get(f'{tool}_{role}_uploads', 0)}"
    missed = st.file_uploader(
        say(wanted.label),
        accept_multiple_files=several,
        key=uploader,
        help=say(wanted.help) or None,
        on_change=_take_upload,
        args=(tool, role, uploader, several),
    )
    if missed:
        _take(tool, role, missed, several)
        st.rerun()
    st.caption(say("Reloading the page (F5) loses the files."))


def ask_for_table(tool: str, wanted: Input) -> Dataset | None:
    """Show an uploader for one table, or the table on one line; None while there is none that can be read."""
    files = stored_files(tool, wanted.role)
    uploader = partial(_show_uploader, tool, wanted, several=False)
    table = list_table(tool, wanted.role, files[-1], label=wanted.label, change=uploader) if files else None
    if table is None:
        uploader()
    return table


def list_table(
    tool: str, role: str, stored: StoredFile, *, label: str = "", change: Callable[[], None] | None = None
) -> Dataset | None:
    """List one file as a table: what was read and how, to correct, change or remove; return it if readable.

    Parameters
    ----------
    label
        What the file is for, before its name.
    change
        Shows an uploader for another file in the place of one that can be read.
    """
    dataset, error = _list_table(tool, role, stored, label=label, change=change)
    if error is not None:
        show_problems(error)
    return dataset


def _list_table(
    tool: str, role: str, stored: StoredFile, *, label: str = "", change: Callable[[], None] | None = None
) -> tuple[Dataset | None, AuditInputError | None]:
    dataset, error = read_table(tool, stored)
    with _file_row(tool, role, stored, summary_of(dataset), label=label):
        ask_for_reading(tool, role, stored, dataset, further=change if dataset is not None else None)
        _show_remove(tool, role, stored)
    return dataset, error


def list_given(
    tool: str, role: str, files: Sequence[StoredFile], *, is_table: Callable[[str], bool] = lambda _: True
) -> tuple[list[Dataset | None], list[str]]:
    """List files on a line each; return what was read, None for no table, and what is wrong.

    Files that by their names are something else, of which the page makes something, are not read.
    """
    tables: list[Dataset | None] = []
    problems: list[str] = []
    for stored in files:
        dataset, error = None, None
        if is_table(stored.name):
            dataset, error = _list_table(tool, role, stored)
        else:
            list_file(tool, role, stored)
        tables.append(dataset)
        problems += error.problems if error else ()
    return tables, problems


def list_file(tool: str, role: str, stored: StoredFile) -> None:
    """List one file that is not a table, with a button to remove it."""
    with _file_row(tool, role, stored, size(stored.n_bytes)):
        _show_remove(tool, role, stored)


@contextmanager
def _file_row(tool: str, role: str, stored: StoredFile, summary: str, *, label: str = "") -> Iterator[None]:
    """Show a file on a line."""
    name = f"{plain(say(label))}: " if label else ""
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        gap="small",
        wrap=False,
        key=f"file_row_{tool}_{role}_{stored.key}",
    ):
        told = f"{plain(stored.name)} · {plain(say(summary))}"
        st.markdown(f":material/draft: {name}{told}", width="stretch")
        yield


def _show_remove(tool: str, role: str, stored: StoredFile) -> None:
    st.button(
        say("Remove"),
        key=f"{tool}_{role}_remove_{stored.key}",
        help=say("Forget {name}", name=plain(stored.name)),
        type="tertiary",
        icon=":material/close:",
        on_click=remove_file,
        args=(tool, role, stored.key),
    )


def show_empty_state(
    tool: str, *, text: str, demos: Sequence[Demo], offer: str = "Try synthetic data of ours:"
) -> None:
    """Say what to upload, and offer the demos, a button each; they work without any network."""
    _show_held(tool)
    with st.container(border=True):
        st.markdown(say(text))
        st.markdown(say("No file at hand? {offer}", offer=own(offer)))
        with st.container(horizontal=True):
            for demo in demos:
                st.button(
                    say(demo.label),
                    key=f"{tool}_demo_{demo.key}",
                    help=say(demo.description),
                    icon=":material/science:",
                    on_click=load_demo,
                    args=(tool, demo),
                )
    show_privacy_line()


def is_table_name(name: str) -> bool:
    """Tell whether a file may be a table by its name."""
    return not is_vcf_name(name) and not name.lower().endswith((".json", ".html"))


def _show_held(tool: str) -> None:
    """Offer files that the session holds for other pages, those together that fit this one."""
    pages = ("home", "filed", *_TOOLS)
    held = {
        stored.name: (stored, next(page for page in pages if slot.startswith(f"{page}_")))
        for slot in _slots()
        for key in st.session_state[slot]
        if not slot.startswith(f"{tool}_") and (stored := vault().file(key)) is not None
    }
    if not held or tool not in _TOOLS:
        return
    from core.triage import GivenFile, offers  # noqa: PLC0415 - takes long to import

    given = [
        GivenFile(
            name=name,
            table=read_table(source, stored)[0] if is_table_name(name) else None,
            data=b"" if is_table_name(name) else stored.data,
        )
        for name, (stored, source) in held.items()
    ]
    for number, offer in enumerate(each for each in offers(given) if each.tool == tool):
        names = list(dict.fromkeys(name for each in offer.places.values() for name in each))
        if st.button(
            say("Use what you gave before: {files}", files=plain(", ".join(names))),
            key=f"{tool}_held_{number}",
            icon=":material/folder_open:",
            type="primary" if number == 0 else "secondary",
        ):
            places = {role: [held[name][0].key for name in each] for role, each in offer.places.items()}
            take_along(held[names[0]][1], tool, places)


@contextmanager
def above_privacy_line() -> Iterator[None]:
    """Show what follows above the line of privacy, which is there first: data can be deleted meanwhile.

    What is wrong with an input is shown first.
    """
    wrong, results = st.container(), st.container()
    show_privacy_line()
    with results:
        try:
            yield
        except AuditInputError as error:
            with wrong:
                show_problems(error)


def show_privacy_line() -> None:
    """Say what is held in memory and offer to delete it."""
    held = vault()
    with st.container(horizontal=True, vertical_alignment="center"):
        if held.is_empty:
            stay = say("Files stay on this machine, in memory, and go when you close the tab.")
            st.caption(f":material/lock: {stay}")
            return
        held_now = say(
            "{size} of your files are held in memory, for this tab alone.",
            size=size(held.n_bytes),
        )
        st.caption(f":material/lock: {held_now}", width="stretch")
        with st.popover(say("Delete my data"), icon=":material/delete:"):
            st.markdown(say("Your files, results and settings of this tab will be gone."))
            st.button(say("Delete all"), key="delete_my_data", type="primary", on_click=delete_my_data)
