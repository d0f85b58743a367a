"""Lines of both files that stand at the same sites: equal ones are passed over as text, others judged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.alike import Stretch
from core.vcf.candidates import Found, Marks
from core.vcf.columns import ALT, CHROM, FILTER, FORMAT, INFO, QUAL, REF, Columns, Places
from core.vcf.frequencies import Rarity, rarest_allele
from core.vcf.header import VcfHeader
from core.vcf.lines import Merge, Run, UnsortedError, check_columns
from core.vcf.marks import Mark
from core.vcf.records import DIGITS, N_FIXED, Record, has_sole_carrier
from core.vcf.repeats import is_unnamed_repeat
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.sites import Alt, Format, Judged, Like, Original, SiteJudge
from core.vcf.thinning import ENDING, TRAILING

FIRST_BATCH, MAX_BATCH = (
    16,
    1 << 12,
)  # lines that are judged together: what is learned serves those after them
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")

MAX_NOTED = 4096  # ways of being blank that are remembered
_GENOTYPE = re.compile(rb"[^:\t\n]*")  # of a first sample


class _Run(NamedTuple):
    """A run of lines at the same sites in both files, and what is known of the original's."""

    lines: Run
    columns: Columns
    stretches: list[Stretch]
    positions: Places
    kinds: npt.NDArray[np.int64]  # bits of Alt
    rarity: Rarity
    formats: npt.NDArray[np.int64]  # bits of Format; none in a file without samples


class Scanner(SiteJudge):
    """Collects the candidates and the tallies while runs and sites come in."""

    def __init__(
        self, settings: VcfSettings, headers: tuple[VcfHeader, VcfHeader], merge: Merge, *, keeps_order: bool
    ) -> None:
        super().__init__(settings, headers, merge, keeps_order=keeps_order)
        self._n_together = FIRST_BATCH
        self._noted: set[tuple[object, ...]] = set()

    def take_run(self, run: Run) -> None:
        """Take lines of both files that stand at the same sites."""
        columns = Columns(self.merge.original.name, run.numbers, run.lines, self.n_columns[0])
        stretches = self._enter(run, columns)
        positions = columns.positions(self.merge.original.name, run.numbers)
        for chrom, low, high in stretches:
            if np.any(np.diff(positions[low:high]) < 0):
                raise UnsortedError
            for order in self.merge.orders:
                order.enter(chrom, int(positions[low]), int(positions[high - 1]))
        n_lines = len(columns)
        self.n_records[0] += n_lines
        self.n_records[1] += n_lines
        if self.orders is not None:
            self.orders.append((run.numbers, run.kept_numbers))
        kinds = columns.mapped(ALT, self.alt_kinds)
        rarity = self.readers[0].many(columns, (kinds & Alt.NONE) == 0)
        formats = columns.mapped(FORMAT, self.formats) if self.n_columns[0] > N_FIXED + 1 else kinds[:0]
        found = _Run(run, columns, stretches, positions, kinds, rarity, formats)
        self._count(found)
        which = np.flatnonzero((rarity.mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0))
        judged = self._judge_closely(found, which)
        self._note_equal(found, judged)
        if len(which):
            self._collect(found, which, self._marks_of_equal(found, which, judged), judged)

    def _enter(self, run: Run, columns: Columns) -> list[Stretch]:
        """Return the runs of one contig; refuse comments among the records."""
        stretches = columns.contigs()
        if any(chrom.startswith(b"#") for chrom, _, _ in stretches):
            for number, line in zip(run.numbers, run.lines, strict=True):
                check_columns(self.merge.original.name, number, line, self.n_columns[0])
        return stretches

    def _marks_of_equal(self, run: _Run, which: Places, judged: Mapping[int, Judged]) -> Marks:
        """Mark lines that are equal in both files, alone at their site: they are not masked."""
        kinds = run.kinds[which]
        marks = np.where(kinds & Alt.REPEAT, np.uint64(Mark.REPEAT | Mark.REPEAT_KEPT), np.uint64(0))
        if self.n_columns[0] > N_FIXED + 1:
            marks[self._are_sole(run, which, judged)] |= np.uint64(Mark.SOLE_CARRIER)
        return marks

    def _are_sole(self, run: _Run, which: Places, judged: Mapping[int, Judged]) -> npt.NDArray[np.bool_]:
        """Tell for which unchanged lines exactly one sample carries the rarest allele."""
        sole = np.zeros(len(which), dtype=np.bool_)
        known = np.zeros(len(which), dtype=np.bool_)
        if self.n_columns[0] == N_FIXED + 2:
            rarest = run.rarity.rarest[which]
            cells = run.columns.first_bytes(which)
            ends = (cells == ord(":")) | (cells == ord("\n"))
            is_digit = (cells >= ord("0")) & (cells <= ord("9"))
            parts = (cells[:, 1] == ord("/")) | (cells[:, 1] == ord("|"))
            one = is_digit[:, 0] & ends[:, 1]
            two = is_digit[:, 0] & parts & is_digit[:, 2] & ends[:, 3]
            has_genotypes = (run.formats[which] & Format.GENOTYPES) != 0
            known = (rarest >= 0) & (one | two) & has_genotypes
            digit = rarest + ord("0")
            sole = known & ((cells[:, 0] == digit) | (two & (cells[:, 2] == digit)))
        for number in np.flatnonzero(~known).tolist():
            place = int(which[number])
            if place not in judged:
                sole[number] = self._is_sole(run, place)
        return sole

    def _is_sole(self, run: _Run, place: int) -> bool:
        """Tell whether exactly one sample carries the rarest allele of an unchanged line."""
        columns = run.columns
        format_ = columns.value(FORMAT, place)
        if not run.formats[place] & Format.GENOTYPES:
            return False
        samples = columns.behind(FORMAT, place)
        rarest = int(run.rarity.rarest[place])
        if 0 <= rarest < len(DIGITS) and DIGITS[rarest] not in samples:
            return False
        n_alts = columns.value(ALT, place).count(b",") + 1
        if rarest < 0:
            info = columns.value(INFO, place)
            rarest = rarest_allele(self.readers[0].site(info).frequencies, n_alts)
        return has_sole_carrier(samples, format_, n_alts, rarest)

    def _count(self, run: _Run) -> None:
        has_alt, is_repeat = (run.kinds & Alt.NONE) == 0, (run.kinds & Alt.REPEAT) != 0
        self.n_with_alt += int(has_alt.sum())
        self.n_without_frequency += int((has_alt & ~is_repeat & (run.rarity.mafs == np.inf)).sum())
        for place in run.rarity.hindered:
            if not is_repeat[place]:
                self.tallies.hindered.add(run.columns.value(CHROM, place), int(run.positions[place]))

    def _judge_closely(self, run: _Run, which: Places) -> dict[int, Judged]:
        """Judge the lines that cannot be ruled out: changed, odd, or of a site with several records."""
        begins = np.array([low for _, low, _ in run.stretches])
        again = np.flatnonzero(np.diff(run.positions) == 0) + 1
        again = again[~np.isin(again, begins)]
        columns = run.columns
        odd = set(columns.odd)
        close = odd.union(run.lines.changed)
        spaced = run.lines.lines.with_spaces()
        close.update(place for place in spaced if _ODD_SPACE.search(columns.behind(ALT, place)))
        if self.same_declarations:
            close.update(which[(run.kinds[which] & Alt.BLANK) != 0].tolist())
        else:
            close.update(which.tolist())
        units = [(place, place + 1) for place in close]
        candidates = set(which.tolist()) if len(again) else set()
        for low, high in _groups(again.tolist()) if len(again) else ():
            places = range(low, high)
            if not close.isdisjoint(places) or not candidates.isdisjoint(places):
                close.difference_update(places)
                units.append((low, high))
        return self._judge_units(
            run, sorted(unit for unit in units if unit[1] > unit[0] + 1 or unit[0] in close)
        )

    def _judge_units(self, run: _Run, units: list[tuple[int, int]]) -> dict[int, Judged]:
        """Judge sites, given by their first line and the line after the last."""
        judged: dict[int, Judged] = {}
        while units:
            batch, units = units[: self._n_together], units[self._n_together :]
            self._judge_batch(run, batch, judged)
            self._n_together = min(2 * self._n_together, MAX_BATCH)
        if self.thinning.open:
            self._see_unchanged(run)
        return judged

    def _judge_batch(self, run: _Run, units: Sequence[tuple[int, int]], judged: dict[int, Judged]) -> None:
        """Judge sites by records that theirs are like, the others literally."""
        places = [place for low, high in units for place in range(low, high)]
        likes, outcomes = self._likes(run, np.array(places, dtype=np.int64))
        accepted: list[int] = []
        left: list[tuple[int, int]] = []
        for low, high in units:
            if low in outcomes and (high == low + 1 or _are_alike(likes, outcomes, range(low, high))):
                accepted += range(low, high)
            else:
                left.append((low, high))
        for place in accepted:
            judged[place] = outcomes[place]
        self._note_alike(run, accepted, likes, outcomes)
        odd = set(run.columns.odd)
        alone = [low for low, high in left if high == low + 1 and low not in odd]
        originals = dict(zip(alone, self._originals(run, alone), strict=True))
        for low, high in left:
            self.thinning.at = high - 1
            if low not in originals:
                self._judge_places(run, range(low, high), judged)
                continue
            line, number = run.lines.kept[low], run.lines.kept_numbers[low]
            judged[low] = self._judge_line(originals[low], line, number, likes.get(low))

    def _likes(self, run: _Run, places: Places) -> tuple[dict[int, Like], dict[int, Judged]]:
        """Return what lines may be like, and what was found in those that they are like."""
        mine, theirs = run.lines.lines.text, run.lines.kept.text
        if run.columns.odd:
            places = np.setdiff1d(places, run.columns.odd)
        where = self.alike.standing(run.columns, run.lines.kept, run.stretches, places)
        mafs, kinds = run.rarity.mafs[where.places], run.kinds[where.places]
        has_maf, is_target = mafs < np.inf, (mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0)
        known, find = self.outcomes, self.alike.rest
        likes: dict[int, Like] = {}
        outcomes: dict[int, Judged] = {}
        facts = (*where, is_target, has_maf, kinds)
        for place, ref, alt_end, head_end, end, kept_ref, at, kept_end, *what, kind in zip(
            *(one.tolist() for one in facts), strict=True
        ):
            rest = find(mine, alt_end, head_end, end, theirs, at, kept_end)
            if rest is not None:
                likes[place] = like = (mine[ref:alt_end], theirs[kept_ref:at], rest, *what)
                outcome = known.get(like) or self._judge_first(like, kind)
                if outcome is not None:
                    outcomes[place] = outcome
        return likes, outcomes

    def _note_alike(
        self, run: _Run, places: Sequence[int], likes: Mapping[int, Like], judged: Mapping[int, Judged]
    ) -> None:
        """Note in which ways records that were judged by others are blank; refuse what htslib refuses."""
        mafs, kinds = run.rarity.mafs, run.kinds
        blank = [place for place in places if likes[place][2][0] >= 0]
        if not blank and not any(self.forms.has_room("QUAL", is_repeat=one) for one in (False, True)):
            return
        noted = [
            place
            for place in (blank if len(blank) == len(places) else places)
            if likes[place][3]
            and self._counts_as_masked(float(mafs[place]), int(kinds[place]), judged[place])
        ]
        if blank:
            self._check_blank(run, np.array(blank))
            own = [place for place in noted if likes[place][2][0] >= 0]
            self._note_blank(run, np.array(own, dtype=np.int64), likes)
        for place in noted if len(blank) < len(places) else ():
            is_repeat = bool(kinds[place] & Alt.REPEAT)
            if likes[place][2][0] < 0 and self.forms.has_room("QUAL", is_repeat=is_repeat):
                self.forms.note_left("QUAL", run.columns.value(QUAL, place), is_repeat=is_repeat)

    def _note_blank(self, run: _Run, places: Places, likes: Mapping[int, Like]) -> None:
        """Note blank records, unless one was noted of which masking took the same, beside REF and ALT."""
        columns, text = run.columns, run.lines.lines.text
        is_repeat = ((run.kinds[places] & Alt.REPEAT) != 0).tolist()
        keys = [
            [(like[1][-1:], b"," in like[0], like[2][0]) for like in map(likes.__getitem__, places.tolist())],
            *(is_repeat, columns.values(FILTER, places)),
            *(columns.is_missing(column, places).tolist() for column in (QUAL, INFO)),
        ]
        if self.n_columns[0] > N_FIXED + 1:
            starts = columns.ends_in_lines(FORMAT, places) + 1
            keys += [
                columns.values(FORMAT, places),
                [_GENOTYPE.findall(text, at, at + 16)[0] for at in starts.tolist()],
            ]
        lost = [self.forms.never_lost(is_repeat=one) for one in (False, True)]
        for place, key in zip(places.tolist(), zip(*keys, strict=True), strict=True):
            if key in self._noted:
                left = lost[key[1]]
                if not left or not any(one in b";" + columns.value(INFO, place) for one in left):
                    continue
            elif len(self._noted) < MAX_NOTED:
                self._noted.add(key)
            (original,) = self._originals(run, [place])
            self._note_masked(original, Record(run.lines.kept[place], self.n_columns[1]))

    def _see_unchanged(self, run: _Run) -> None:
        """Look in unchanged lines for what earlier records lost, where its name stands."""
        passed = {*run.lines.changed, *run.columns.odd}
        for name in sorted(self.thinning.open):
            first = self.thinning.begun.get(name, -1)
            for place in self._naming(run, name):
                if place > first and place not in passed:
                    self.thinning.see(Record(run.lines.kept[place], self.n_columns[1]), name)
                    if name not in self.thinning.open:
                        break
        self.thinning.begun.clear()

    def _naming(self, run: _Run, name: str) -> Iterator[int]:
        """Yield the lines of the anonymized file in which a column is filled, or a field's name stands."""
        if name in self.filled:
            column, is_filled = self.filled[name]
            yield from np.flatnonzero(run.columns.mapped(column, is_filled)).tolist()
            return
        key = name.partition("/")[2].encode("utf-8", "surrogateescape")
        starts = run.lines.kept.starts
        pattern = ENDING if name == TRAILING else re.compile(rb"(?i)[\t;:]%s(?=[=;:\t\n])" % re.escape(key))
        for match in pattern.finditer(run.lines.kept.own_text):
            yield int(np.searchsorted(starts, starts[0] + match.start(), side="right")) - 1

    def _originals(self, run: _Run, places: Sequence[int]) -> list[Original]:
        """Split lines of the original, refusing what htslib refuses."""
        lines = run.lines
        records = [Record(lines.lines[place], self.n_columns[0]) for place in places]
        self.values[0].check(self._name(0), [lines.numbers[place] for place in places], records)
        mafs, kinds = run.rarity.mafs, run.kinds
        return [
            Original(record, float(mafs[place]), int(kinds[place]))
            for record, place in zip(records, places, strict=True)
        ]

    def _check_blank(self, run: _Run, places: Places) -> None:
        """Refuse what htslib refuses among originals of which masking left nothing."""
        columns, values = run.columns, self.values[0]
        odd_name = values.odd_name(
            b";".join(set(columns.values(FILTER, places))), b";".join(columns.values(INFO, places))
        )
        samples: dict[bytes, list[bytes]] = defaultdict(list)
        if self.n_columns[0] > N_FIXED + 1:
            unsure = np.array(
                [place for place in places.tolist() if place not in columns.plain], dtype=np.int64
            )
            behind = columns.all_behind(FORMAT, unsure)
            for format_, text in zip(columns.values(FORMAT, unsure), behind, strict=True):
                samples[format_].append(text)
        if odd_name or not all(values.takes(format_, texts) for format_, texts in samples.items()):
            self._originals(run, places.tolist())

    def _judge_places(self, run: _Run, places: range, judged: dict[int, Judged]) -> None:
        lines, mafs, kinds = run.lines, run.rarity.mafs, run.kinds
        originals, kept = [], []
        for place in places:
            if place in run.columns.plain:
                record = Record(lines.lines[place], self.n_columns[0])
                self.values[0].check_names(self._name(0), lines.numbers[place], record)
            else:
                record = self._record(0, lines.numbers[place], lines.lines[place])
            originals.append(Original(record, float(mafs[place]), int(kinds[place])))
            kept.append(self._kept_record(lines.kept_numbers[place], lines.kept[place], record))
        for place, outcome in zip(places, self._judge(originals, kept)[0], strict=True):
            judged[place] = outcome

    def _note_equal(self, run: _Run, judged: Mapping[int, Judged]) -> None:
        """Note what equal lines tell of other sites, and repeats in them that the rule does not name."""
        columns, kinds, pattern = run.columns, run.kinds, self.pattern

        def site(place: int) -> tuple[bytes, int]:
            return columns.value(CHROM, place), int(run.positions[place])

        for place in np.flatnonzero(kinds & Alt.POINTS).tolist():
            if place not in judged:
                self.neighbours.read_alt(*site(place), columns.value(ALT, place))
        is_long = (columns.widths(REF) >= pattern.min_length) & ((kinds & Alt.NONE) == 0)
        for place in np.flatnonzero(is_long | ((kinds & Alt.UNNAMED) != 0)).tolist():
            if place not in judged and is_unnamed_repeat(
                columns.value(REF, place), columns.value(ALT, place), pattern
            ):
                self.tallies.repeats_unnamed.add(*site(place))
        if self.n_columns[0] <= N_FIXED + 1:
            return
        for place in np.flatnonzero(run.formats & Format.PHASED).tolist():
            if place not in judged:
                self.neighbours.read_phasing(
                    *site(place), columns.value(FORMAT, place), columns.behind(FORMAT, place)
                )

    def _collect(self, run: _Run, which: Places, marks: Marks, judged: Mapping[int, Judged]) -> None:
        columns, kinds = run.columns, run.kinds[which]
        masked_up_to = run.rarity.mafs[which]
        keys = np.zeros(len(which), dtype=np.uint16)
        if judged:
            places = np.fromiter(judged, dtype=np.int64, count=len(judged))
            numbers = np.minimum(np.searchsorted(which, places), len(which) - 1)
            is_target = which[numbers] == places
            numbers = numbers[is_target]
            outcomes = [np.array(values)[is_target] for values in zip(*judged.values(), strict=True)]
            marks[numbers], keys[numbers] = outcomes[0], outcomes[2]
            moved = ~np.isnan(outcomes[1])
            masked_up_to[numbers[moved]] = outcomes[1][moved]
        repeats = np.flatnonzero(kinds & Alt.REPEAT)
        bounds = np.searchsorted(which, [low for _, low, _ in run.stretches] + [len(columns)])
        self.collector.add(
            Found(
                contigs=[
                    (chrom, int(n_found))
                    for (chrom, _, _), n_found in zip(run.stretches, np.diff(bounds), strict=True)
                    if n_found
                ],
                positions=run.positions[which],
                mafs=run.rarity.mafs[which],
                marks=marks,
                masked_up_to=masked_up_to,
                motifs=dict(
                    zip(
                        repeats.tolist(),
                        map(self.pattern.motif, columns.values(ALT, which[repeats])),
                        strict=True,
                    )
                ),
                lengths=columns.widths(REF)[which],
                keys=keys,
                numbers=[run.lines.numbers[place] for place in which.tolist()]
                if self.orders is not None
                else [],
            )
        )


def _are_alike(likes: Mapping[int, Like], outcomes: Mapping[int, Judged], places: range) -> bool:
    """Tell whether records of one site, each beside its own, were masked alike: none tells another."""
    forms = {(likes[place][2][0], likes[place][1][-2:]) if place in outcomes else None for place in places}
    return len(forms) == 1 and None not in forms and forms != {(-1, b"\tN")}


def _groups(again: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first line, and the line after the last, of sites whose further lines are given."""
    low = high = again[0] - 1
    for place in again:
        if place != high + 1:
            yield low, high + 1
            low = place - 1
        high = place
    yield low, high + 1
