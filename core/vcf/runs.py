"""Lines of both files that stand at the same sites: equal ones are passed over as text, others judged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.alike import Like, Standing
from core.vcf.candidates import Found, Marks
from core.vcf.columns import ALT, CHROM, FILTER, FORMAT, INFO, QUAL, REF, Columns, Places
from core.vcf.frequencies import Rarity, rarest_allele
from core.vcf.lines import Run, UnsortedError, check_columns
from core.vcf.marks import Mark
from core.vcf.records import DIGITS, N_FIXED, Record, has_sole_carrier
from core.vcf.repeats import is_unnamed_repeat
from core.vcf.settings import MAF_LIMIT
from core.vcf.sites import Alt, Format, Judged, Original, SiteJudge
from core.vcf.thinning import ENDING, TRAILING

AT_ONCE = 1 << 18  # bytes of lines that are judged one by one and checked together
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")

Close = tuple[
    Original, bytes, int, Like | None
]  # a line that is judged by itself: see :meth:`SiteJudge._judge_line`


class _Run(NamedTuple):
    """A run of lines at the same sites in both files, and what is known of the original's."""

    lines: Run
    columns: Columns
    stretches: list[tuple[bytes, int, int]]  # contig, first line, line after the last
    positions: Places
    kinds: npt.NDArray[np.int64]  # bits of Alt
    rarity: Rarity
    formats: npt.NDArray[np.int64]  # bits of Format; none in a file without samples


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
        formats = columns.mapped(FORMAT, self.formats) if self.n_columns[0] > N_FIXED + 1 else kinds[:0]
        found = _Run(run, columns, stretches, positions, kinds, rarity, formats)
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
        columns, chosen = run.columns, which.tolist()
        odd = set(columns.odd)
        close = odd.union(run.lines.changed)
        spaced = run.lines.lines.with_spaces()
        close.update(place for place in spaced if _ODD_SPACE.search(columns.behind(ALT, place)))
        if self.same_declarations:
            close.update(which[(run.kinds[which] & Alt.BLANK) != 0].tolist())
        else:
            close.update(chosen)
        together: dict[int, int] = {}
        candidates = set(chosen) if len(again) else set()
        for low, high in _groups(again.tolist()) if len(again) else ():
            places = range(low, high)
            if not close.isdisjoint(places) or not candidates.isdisjoint(places):
                close.difference_update(places)
                together[low] = high
        together.update((place, place + 1) for place in odd & close)
        judged: dict[int, Judged] = {}
        alone = sorted(close - odd)
        found = self._lines_alone(run, np.array(alone, dtype=np.int64))
        for low in sorted([*alone, *together]) if together else alone:
            if low in together:
                self.thinning.at = together[low] - 1
                self._judge_places(run, range(low, together[low]), judged)
                continue
            one = next(found)
            self.thinning.at = low
            judged[low] = one if type(one) is Judged else self._judge_line(*one)
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
        pattern = ENDING if name == TRAILING else re.compile(rb"(?i)[\t;:]%s(?=[=;:\t\n])" % re.escape(key))
        for match in pattern.finditer(run.lines.kept.own_text):
            yield int(np.searchsorted(starts, starts[0] + match.start(), side="right")) - 1

    def _lines_alone(self, run: _Run, places: Places) -> Iterator[Judged | Close]:
        """Yield what comes of lines that are alone at their site, or what is needed to judge them."""
        lines = run.lines
        n_together = 1 + AT_ONCE * len(lines.lines) // len(lines.lines.text)
        facts = (
            *(places, run.rarity.mafs[places], run.kinds[places], run.columns.ends[places]),
            *(lines.lines.starts[places], lines.lines.starts[places + 1] - 1),
            *(lines.kept.starts[places], lines.kept.starts[places + 1] - 1),
        )
        every = list(zip(*(one.tolist() for one in facts), strict=True))
        for first in range(0, len(every), n_together):
            outcomes, left = self._judge_alike(run, every[first : first + n_together])
            places = np.array([place for place, _ in left], dtype=np.int64)
            close = zip(self._originals(run, places) if left else (), left, strict=True)
            for outcome in outcomes:
                if outcome is not None:
                    yield outcome
                else:
                    original, (place, like) = next(close)
                    yield original, lines.kept[place], lines.kept_numbers[place], like

    def _originals(self, run: _Run, places: Places) -> list[Original]:
        """Split lines of the original, refusing what htslib refuses."""
        lines = run.lines
        records = [Record(line, self.n_columns[0]) for line in lines.lines.at(places)]
        self.values[0].check(self._name(0), [lines.numbers[place] for place in places.tolist()], records)
        mafs, kinds = run.rarity.mafs[places].tolist(), run.kinds[places].tolist()
        return list(map(Original, records, mafs, kinds))

    def _judge_alike(
        self, run: _Run, lines: Sequence[Any]
    ) -> tuple[list[Judged | None], list[tuple[int, Like | None]]]:
        """Judge lines by others that they are like; say of those that are left what they may be like."""
        mine, theirs = run.lines.lines.text, run.lines.kept.text
        find, judge = self.alike.find, self._judge_like
        outcomes: list[Judged | None] = []
        left: list[tuple[int, Like | None]] = []
        blank: list[tuple[int, Standing]] = []
        for place, maf, kind, ends, low, high, at, end in lines:
            standing = mine, low, high, ends
            like = find(standing, (theirs, at, end))
            outcome = judge(like, maf, kind) if like else None
            outcomes.append(outcome)
            if like is None or outcome is None:
                left.append((place, like))
                continue
            if like.blank >= 0:
                blank.append((place, standing))
            if not self._counts_as_masked(maf, kind, outcome):
                continue
            has_room = like.blank < 0 and self.forms.has_room("QUAL", is_repeat=bool(kind & Alt.REPEAT))
            is_new = self.alike.is_new(like, standing, kind & Alt.REPEAT, with_qual=has_room)
            if not is_new and like.blank >= 0 and self.forms.harmless:
                info = b";" + mine[low + ends[FILTER] + 1 : low + ends[INFO]]
                is_new = self.forms.misses(info, is_repeat=bool(kind & Alt.REPEAT))
            if is_new:
                (original,) = self._originals(run, np.array([place]))
                self._note_masked(original, Record(theirs[at:end], self.n_columns[1]))
        self._check_blank(run, blank)
        return outcomes, left

    def _check_blank(self, run: _Run, records: Sequence[tuple[int, Standing]]) -> None:
        """Refuse what htslib refuses among originals of which masking left nothing."""
        filters: set[bytes] = set()
        infos: list[bytes] = []
        samples: dict[bytes, list[bytes]] = defaultdict(list)
        for place, (text, low, high, ends) in records:
            info_at = low + ends[FILTER] + 1
            info_end = low + ends[INFO]
            filters.add(text[low + ends[QUAL] + 1 : info_at - 1])
            infos.append(text[info_at:info_end])
            if info_end < high and place not in run.columns.plain:
                samples[text[info_end + 1 : low + ends[FORMAT]]].append(text[low + ends[FORMAT] : high])
        values = self.values[0]
        if values.odd_name(b";".join(filters), b";".join(infos)) or not all(
            values.takes(format_, texts) for format_, texts in samples.items()
        ):
            self._originals(run, np.array([place for place, _ in records]))

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
