"""Lines of both files that stand at the same sites: equal ones are passed over as text, others judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.candidates import Found, Marks
from core.vcf.columns import ALT, CHROM, FORMAT, INFO, REF, Columns, Places
from core.vcf.frequencies import Rarity, rarest_allele
from core.vcf.lines import Run, UnsortedError, check_columns
from core.vcf.marks import Mark
from core.vcf.records import DIGITS, N_FIXED, Record, has_sole_carrier
from core.vcf.repeats import is_unnamed_repeat
from core.vcf.settings import MAF_LIMIT
from core.vcf.sites import Alt, Judged, Original, SiteJudge

AT_ONCE = 1 << 17  # bytes of lines that are judged one by one and checked together
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")


class _Run(NamedTuple):
    """A run of lines at the same sites in both files, and what is known of the original's."""

    lines: Run
    columns: Columns
    stretches: list[tuple[bytes, int, int]]  # contig, first line, line after the last
    positions: Places
    kinds: npt.NDArray[np.int64]  # bits of Alt
    rarity: Rarity


class Scanner(SiteJudge):
    """Collects the candidates and the tallies while runs and sites come in."""

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
        found = _Run(run, columns, stretches, positions, kinds, rarity)
        self._count(found)
        which = np.flatnonzero((rarity.mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0))
        judged = self._judge_closely(found, which)
        self._note_equal(found, judged)
        if len(which):
            self._collect(found, which, self._marks_of_equal(found, which, judged), judged)

    def _enter(self, run: Run, columns: Columns) -> list[tuple[bytes, int, int]]:
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
        """Tell for which unchanged lines exactly one sample carries the rarest allele.

        The genotype of a single sample, of one or two alleles below ten, is read among all lines together.
        """
        sole = np.zeros(len(which), dtype=np.bool_)
        known = np.zeros(len(which), dtype=np.bool_)
        if self.n_columns[0] == N_FIXED + 2:
            rarest = run.rarity.rarest[which]
            cells = run.columns.first_bytes(4)[which]
            ends = (cells == ord(":")) | (cells == ord("\n"))
            is_digit = (cells >= ord("0")) & (cells <= ord("9"))
            parts = (cells[:, 1] == ord("/")) | (cells[:, 1] == ord("|"))
            one = is_digit[:, 0] & ends[:, 1]
            two = is_digit[:, 0] & parts & is_digit[:, 2] & ends[:, 3]
            has_genotypes = run.columns.mapped(FORMAT, self.genotypes)[which] != 0
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
        if not self.genotypes[format_]:
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
        columns, chosen = run.columns, which.tolist()
        odd = set(columns.odd)
        close = odd.union(run.lines.changed)
        if run.lines.spaced:
            close.update(
                place
                for place in run.lines.lines.with_spaces()
                if _ODD_SPACE.search(columns.behind(ALT, place))
            )
        if self.same_declarations:
            close.update(which[(run.kinds[which] & Alt.BLANK) != 0].tolist())
        else:
            close.update(chosen)
        sites = {place: place + 1 for place in close}
        if len(again):
            candidates = set(chosen)
            for low, high in _groups(again.tolist()):
                places = range(low, high)
                if not close.isdisjoint(places) or not candidates.isdisjoint(places):
                    for place in places:
                        sites.pop(place, None)
                    sites[low] = high
        judged: dict[int, Judged] = {}
        alone = [low for low, high in sorted(sites.items()) if high - low == 1 and low not in odd]
        found = self._lines_alone(run, np.array(alone, dtype=np.int64))
        for low, high in sorted(sites.items()):
            self.thinning.at = high - 1
            if high - low > 1 or low in odd:
                self._judge_places(run, range(low, high), judged)
            else:
                judged[low] = self._judge_line(*next(found), run.lines.kept_numbers[low])
        if self.thinning.open:
            self._see_unchanged(run)
        return judged

    def _see_unchanged(self, run: _Run) -> None:
        """Look in unchanged lines for what earlier records lost, where its name stands."""
        passed = {*run.lines.changed, *run.columns.odd}
        for name in sorted(self.thinning.open):
            first = self.thinning.begun.get(name, -1)
            for place in self._naming(run, name):
                if place > first and place not in passed:
                    self.thinning.see(Record(run.lines.kept[place], self.n_columns[1]))
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
        for match in re.finditer(rb"(?i)[\t;:]%s(?=[=;:\t\n])" % re.escape(key), run.lines.kept.own_text):
            yield int(np.searchsorted(starts, starts[0] + match.start(), side="right")) - 1

    def _lines_alone(self, run: _Run, places: Places) -> Iterator[tuple[Original, bytes]]:
        """Yield lines that are alone at their site, with the anonymized line."""
        lines = run.lines
        n_together = 1 + AT_ONCE * len(lines.lines) // len(lines.lines.text)
        for first in range(0, len(places), n_together):
            some = places[first : first + n_together]
            records = [Record(line, self.n_columns[0]) for line in lines.lines.at(some)]
            numbers = [lines.numbers[place] for place in some.tolist()]
            self.values[0].check(self._name(0), numbers, records)
            mafs, kinds = run.rarity.mafs[some].tolist(), run.kinds[some].tolist()
            yield from zip(map(Original, records, mafs, kinds), lines.kept.at(some), strict=True)

    def _judge_places(self, run: _Run, places: range, judged: dict[int, Judged]) -> None:
        lines, mafs, kinds = run.lines, run.rarity.mafs, run.kinds
        originals, kept = [], []
        for place in places:
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
        for place in np.flatnonzero(columns.mapped(FORMAT, self.phased)).tolist():
            if place not in judged:
                self.neighbours.read_phasing(
                    *site(place), columns.value(FORMAT, place), columns.behind(FORMAT, place)
                )

    def _collect(self, run: _Run, which: Places, marks: Marks, judged: Mapping[int, Judged]) -> None:
        columns, kinds = run.columns, run.kinds[which]
        masked_up_to = run.rarity.mafs[which].copy()
        keys: dict[int, tuple[bytes, ...]] = {}
        if judged:
            places = np.array(sorted(judged), dtype=np.int64)
            numbers = np.searchsorted(which, places)
            for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
                if number < len(which) and which[number] == place:
                    outcome = judged[place]
                    marks[number], masked_up_to[number] = outcome.marks, outcome.masked_up_to
                    if outcome.keys:
                        keys[number] = outcome.keys
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
                motifs={
                    number: self.pattern.motif(columns.value(ALT, int(which[number])))
                    for number in np.flatnonzero(kinds & Alt.REPEAT).tolist()
                },
                lengths=columns.widths(REF)[which],
                keys=keys,
                numbers=[run.lines.numbers[place] for place in which.tolist()]
                if self.orders is not None
                else [],
            )
        )


def _groups(again: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first line, and the line after the last, of sites whose further lines are given."""
    low = high = again[0] - 1
    for place in again:
        if place != high + 1:
            yield low, high + 1
            low = place - 1
        high = place
    yield low, high + 1
