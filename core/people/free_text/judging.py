"""What follows from text columns: named people fail, text that nobody read is not assessed."""

from collections.abc import Iterator, Mapping, Sequence

from core.coding import LONGEST_READ
from core.errors import refuse
from core.people.free_text.finding import KINDS, MOST_STRAY, TextColumn
from core.people.free_text.reading import LARGEST_SHARE, Reading, cells_to_read, upper_bound
from core.people.names import vary_like_names
from core.verdict import Finding, Verdict
from core.words import Text, counted, joined, own, percent, share_of, text

_FEWEST_IN_CODES = 3  # different surnames beside codes; fewer may be what a disease is called by


def check_reading(texts: Sequence[TextColumn], read: Mapping[str, Reading]) -> None:
    """Refuse counts of cells read that cannot be: of a column without text, or more than it has."""
    cells = {each.column: each.n_cells for each in texts}
    problems = [
        text("--read: no column {column} holds free text.", column=f"`{column}`")
        for column in read
        if column not in cells
    ]
    problems += [
        text(
            "--read: {column} has {cells}, so {read} of them cannot have been read, {found} with a name.",
            column=f"`{column}`",
            cells=counted(cells[column], "cell"),
            read=each.n_read,
            found=each.n_found,
        )
        for column, each in read.items()
        if column in cells and not each.n_found <= each.n_read <= cells[column]
    ]
    refuse(problems)


def text_findings(
    texts: Sequence[TextColumn], read: Mapping[str, Reading] | None = None
) -> Iterator[Finding]:
    """Yield what the texts of a table give away, and which of them a person has to read.

    Parameters
    ----------
    texts
        What was measured.
    read
        Cells that a person has read, by column.
    """
    for each in texts:
        reading = (read or {}).get(each.column, Reading(0))
        if each.n_found:
            yield _named(each)
        elif reading.n_found:
            yield _named_by_reader(each, reading)
        elif each.is_text:
            yield _read(each, reading)
        if each.is_text and each.of(who=False):
            yield _dated(each)
        if each.n_cut and (each.n_found or not each.is_text):  # else `_read` says so
            yield _cut_only(each)


def _kinds(counts: Mapping[str, int]) -> Text:
    return joined([text("{kind} ({n})", kind=own(KINDS[kind]), n=n) for kind, n in counts.items()], ", ")


def _named(each: TextColumn) -> Finding:
    strayed = not {"email", "number"}.isdisjoint(each.counts) and each.n_found <= MOST_STRAY * each.n_cells
    many = each.n_distinct_found >= _FEWEST_IN_CODES or not each.is_codes
    sure = each.is_text or strayed or (many and vary_like_names(each.n_distinct_found, each.n_found))
    found = Finding.of(
        "people_in_text", Verdict.FAIL if sure else Verdict.WARN, column=each.column, n_affected=each.n_found
    )(
        "{found} cells of `{column}` say in their words who somebody is: {kinds}.",
        found=share_of(each.n_found, each.n_cells),
        kinds=_kinds(each.of(who=True)),
    )
    step = text(
        "Leave `{column}` out, or replace what names people in {n} cell.",
        "Leave `{column}` out, or replace what names people in {n} cells.",
        n=each.n_found,
        column=each.column,
    )
    short = text(
        "{found} cells of `{column}` say in their words who somebody is.",
        found=share_of(each.n_found, each.n_cells),
        column=each.column,
    )
    return found.told(short=short, step=step)


def _named_by_reader(each: TextColumn, reading: Reading) -> Finding:
    return Finding.of("people_in_text", Verdict.FAIL, column=each.column, n_affected=reading.n_found)(
        "A person read {read} of `{column}`, drawn at random, and found somebody named in {found}: with 95 % "
        "confidence in at most {bound} of all, and nobody knows in which.",
        read=counted(reading.n_read, "cell"),
        found=reading.n_found,
        bound=percent(upper_bound(each.n_cells, reading.n_read, reading.n_found)),
    )


def _read(each: TextColumn, reading: Reading) -> Finding:
    bound, needed = upper_bound(each.n_cells, reading.n_read), cells_to_read(each.n_cells)
    if reading.n_read >= needed:
        return Finding.of("text_read", Verdict.PASS, column=each.column, n_affected=reading.n_read)(
            "A person read {read} of `{column}`, drawn at random, and found nobody named: with 95 % "
            "confidence at most {bound} of its {cells} name somebody.",
            read=counted(reading.n_read, "cell"),
            bound=percent(bound),
            cells=counted(each.n_cells, "cell"),
        )
    return Finding.of("text_not_read", Verdict.NOT_ASSESSED, column=each.column, n_affected=each.n_cells)(
        joined([*_why_not(each), _how_many(reading, bound, needed)])
    )


def _why_not(each: TextColumn) -> Iterator[Text]:
    yield text(
        "`{column}` is free text ({cells}). Lists and patterns found nobody named in it; they miss what a "
        "reader sees.",
        column=each.column,
        cells=counted(each.n_cells, "cell"),
    )
    if each.n_perhaps:
        yield text(
            "{n} cell holds a word that may be a name.",
            "{n} cells hold a word that may be a name.",
            n=each.n_perhaps,
        )
    if each.n_cut:
        yield _cut(each)


def _how_many(reading: Reading, bound: float, needed: int) -> Text:
    if not reading.n_read:
        return text(
            "Read {n} cell drawn at random: if it names nobody, at most {limit} of all do (95 % confidence).",
            "Read {n} cells drawn at random: if none names anybody, at most {limit} of all do (95 % "
            "confidence).",
            n=needed,
            limit=percent(LARGEST_SHARE),
        )
    return text(
        "A person read {read} and found nobody named, which leaves up to {bound} of all (95 % confidence); "
        "read {n} more for at most {limit}.",
        n=needed - reading.n_read,
        read=counted(reading.n_read, "cell"),
        bound=percent(bound),
        limit=percent(LARGEST_SHARE),
    )


def _cut_only(each: TextColumn) -> Finding:
    found = Finding.of("text_not_read", Verdict.NOT_ASSESSED, column=each.column, n_affected=each.n_cut)
    return found(_cut(each))


def _cut(each: TextColumn) -> Text:
    return text(
        "{n} cell of `{column}` has more than {most} letters: only the first {most} were searched for names "
        "and numbers of people, and nobody knows what the rest says.",
        "{n} cells of `{column}` have more than {most} letters each: only the first {most} were searched for "
        "names and numbers of people, and nobody knows what the rest says.",
        n=each.n_cut,
        column=each.column,
        most=LONGEST_READ,
    )


def _dated(each: TextColumn) -> Finding:
    counts = each.of(who=False)
    return Finding.of("dates_in_text", Verdict.WARN, column=each.column, n_affected=max(counts.values()))(
        "Cells of the text `{column}` hold {kinds}, which others may know of a person whatever the other "
        "columns say.",
        kinds=_kinds(counts),
    )
