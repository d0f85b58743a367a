"""Lines of both files that stand at the same sites: equal ones are passed over as text, others judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.alike import Stretch
from core.vcf.candidates import Found
from core.vcf.columns import ALT, CHROM, FILTER, FORMAT, ID, INFO, QUAL, REF, Columns, Numbers, Places
from core.vcf.frequencies import Rarity, rarest_allele
from core.vcf.header import VcfHeader
from core.vcf.lines import Merge, Run, UnsortedError, check_columns
from core.vcf.marks import Mark
from core.vcf.records import N_FIXED, Record, has_sole_carrier
from core.vcf.repeats import is_unnamed_repeat
from core.vcf.same_alleles import LONGEST_REF, Row
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.sites import Alt, Format, Judged, Like, Original, SiteJudge
from core.vcf.thinning import ENDING, TRAILING

# Lines that are judged together: what is learned serves those after them.
FIRST_BATCH, MAX_BATCH = 16, 1 << 12
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")

SHORT_ID = 10  # bytes: two identifiers have more
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


class _Outcomes:
    """What was found in the lines of a run that were judged; arrays of one length, see :class:`Judged`."""

    def __init__(self, n_lines: int) -> None:
        self.is_judged = np.zeros(n_lines, dtype=np.bool_)
        self.marks = np.zeros(n_lines, dtype=np.uint64)
        self.masked_up_to = np.full(n_lines, np.nan)
        self.keys = np.zeros(n_lines, dtype=np.uint16)

    def take(self, places: Sequence[int] | Places, judged: Sequence[Judged]) -> None:
        """Take up what was found in some lines."""
        self.is_judged[places] = True
        self.marks[places] = [one.marks for one in judged]
        self.masked_up_to[places] = [one.masked_up_to for one in judged]
        self.keys[places] = [one.keys for one in judged]


class Scanner(SiteJudge):
    """Collects the candidates and the tallies while runs and sites come in."""

    def __init__(
        self, settings: VcfSettings, headers: tuple[VcfHeader, VcfHeader], merge: Merge, *, keeps_order: bool
    ) -> None:
        super().__init__(settings, headers, merge, keeps_order=keeps_order)
        self._n_together = FIRST_BATCH
        self._noted: set[bytes] = set()
        self._own: dict[int, int] = {}  # of lines of the run at sites of several, where their own one stands
        self.texts = Numbers()  # of FILTER, FORMAT and genotypes of blank records

    def take_run(self, run: Run) -> None:
        """Take lines of both files that stand at the same sites."""
        columns = Columns(self.merge.original.name, run.numbers, run.lines, self.n_columns[0])
        stretches = columns.contigs()
        if any(chrom.startswith(b"#") for chrom, _, _ in stretches):
            for number, line in zip(run.numbers, run.lines, strict=True):
                check_columns(self.merge.original.name, number, line, self.n_columns[0])
        positions = columns.positions(self.merge.original.name, run.numbers)
        for chrom, low, high in stretches:
            if np.any(np.diff(positions[low:high]) < 0):
                raise UnsortedError
            for order in self.merge.orders:
                order.enter(chrom, int(positions[low]), int(positions[high - 1]))
        self.is_changed |= bool(run.changed)
        n_lines = len(columns)
        self.n_records[0] += n_lines
        self.n_records[1] += n_lines
        kinds = columns.mapped(ALT, self.alt_kinds)
        rarity = self.readers[0].many(columns, (kinds & Alt.NONE) == 0)
        formats = columns.mapped(FORMAT, self.formats) if self.n_columns[0] > N_FIXED + 1 else kinds[:0]
        found = _Run(run, columns, stretches, positions, kinds, rarity, formats)
        self._count(found)
        which = np.flatnonzero((rarity.mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0))
        unnamed = self.tallies.repeats_unnamed
        n_unnamed = unnamed.n
        judged = self._judge_closely(found, which)
        self._note_equal(found, judged)
        self.words.read(run.kept)
        self._tell_of_others(found, which)
        if self.orders is not None:
            own = [self._own.get(place, place) for place in range(n_lines)]
            paired = [place for place in range(n_lines) if own[place] >= 0]
            self.orders.append(
                ([run.numbers[place] for place in paired], [run.kept_numbers[own[place]] for place in paired])
            )
        self._own.clear()
        unnamed.in_file_order(n_unnamed, [contig for contig, _, _ in stretches])
        if len(which):
            self._collect(found, which, judged)

    def _are_sole(self, run: _Run, which: Places, judged: _Outcomes) -> npt.NDArray[np.bool_]:
        """Tell for which unchanged lines exactly one sample carries the rarest allele."""
        sole = np.zeros(len(which), dtype=np.bool_)
        known = np.zeros(len(which), dtype=np.bool_)
        if self.n_columns[0] == N_FIXED + 2:
            rarest = run.rarity.rarest[which]
            cells = run.columns.first_bytes(which)
            is_end = [(cell == ord(":")) | (cell == ord("\n")) for cell in (cells[:, 1], cells[:, 3])]
            digits = [cell - np.uint8(ord("0")) for cell in (cells[:, 0], cells[:, 2])]
            parts = (cells[:, 1] == ord("/")) | (cells[:, 1] == ord("|"))
            two = parts & (digits[1] <= 9) & is_end[1]
            known = (rarest >= 0) & (digits[0] <= 9) & (is_end[0] | two)
            has_genotypes = (run.formats[which] & Format.GENOTYPES) != 0
            known &= has_genotypes
            sole = known & ((digits[0] == rarest) | (two & (digits[1] == rarest)))
        left = np.flatnonzero(
            ~known & ~judged.is_judged[which] & ((run.formats[which] & Format.GENOTYPES) != 0)
        )
        sole[left] = self._have_sole(run, which[left])
        return sole

    def _have_sole(self, run: _Run, places: Places) -> list[bool]:
        """Tell of lines with genotypes whether exactly one sample carries the rarest allele."""
        columns, text = run.columns, run.lines.lines.text
        found = []
        for alt, format_, rarest, place, low, high in zip(
            columns.values(ALT, places),
            columns.values(FORMAT, places),
            run.rarity.rarest[places].tolist(),
            places.tolist(),
            columns.ends_in_lines(FORMAT, places).tolist(),
            (run.lines.lines.starts[places + 1] - 1).tolist(),
            strict=True,
        ):
            n_alts, allele = alt.count(b",") + 1, rarest
            if allele < 0:
                info = columns.value(INFO, place)
                allele = rarest_allele(self.readers[0].site(info).frequencies, n_alts)
            found.append(has_sole_carrier(text, format_, n_alts, allele, low=low, high=high))
        return found

    def _count(self, run: _Run) -> None:
        has_alt, is_repeat = (run.kinds & (Alt.NONE | Alt.EMPTY)) == 0, (run.kinds & Alt.REPEAT) != 0
        self.n_with_alt += int(has_alt.sum())
        is_known = run.rarity.mafs != np.inf
        self.n_without_frequency += int((has_alt & ~is_repeat & ~is_known).sum())
        known = np.flatnonzero(has_alt & ~is_repeat & is_known)
        for place in known[np.fromiter(self.own.chosen(len(known)), dtype=np.int64)].tolist():
            infos, alts = (run.columns.value(column, place) for column in (INFO, ALT))
            self.own.look(infos, alts, run.columns.behind(INFO, place))
        for place in run.rarity.hindered:
            if not is_repeat[place]:
                self.tallies.hindered.add(run.columns.value(CHROM, place), int(run.positions[place]))

    def _judge_closely(self, run: _Run, which: Places) -> _Outcomes:
        """Judge the lines that cannot be ruled out: changed, odd, or of a site with several records."""
        columns = run.columns
        is_close = np.zeros(len(columns), dtype=np.bool_)
        is_close[run.lines.changed] = is_close[columns.odd] = True
        spaced = run.lines.lines.with_spaces()
        is_close[[place for place in spaced if _ODD_SPACE.search(columns.behind(ALT, place))]] = True
        is_close[which[(run.kinds[which] & Alt.BLANK) != 0] if self.same_declarations else which] = True
        is_again = np.diff(run.positions, prepend=-1) == 0
        is_again[[low for _, low, _ in run.stretches]] = False
        groups: list[tuple[int, int]] = []
        if is_again.any():
            is_either = is_close.copy()
            is_either[which] = True
            for low, high in _groups(np.flatnonzero(is_again).tolist()):
                if is_either[low:high].any():
                    is_close[low:high] = False
                    groups.append((low, high))
        alone = np.flatnonzero(is_close)
        units = list(zip(alone.tolist(), (alone + 1).tolist(), strict=True))
        return self._judge_units(run, sorted(units + groups) if groups else units)

    def _judge_units(self, run: _Run, units: Sequence[tuple[int, int]]) -> _Outcomes:
        """Judge sites, given by their first line and the line after the last."""
        judged = _Outcomes(len(run.columns))
        while units:
            batch, units = units[: self._n_together], units[self._n_together :]
            self._judge_batch(run, batch, judged)
            self._n_together = min(2 * self._n_together, MAX_BATCH)
        if self.thinning.open:
            self._see_unchanged(run)
        return judged

    def _judge_batch(self, run: _Run, units: Sequence[tuple[int, int]], judged: _Outcomes) -> None:
        """Judge sites by records that theirs are like, the others literally."""
        is_single = all(high == low + 1 for low, high in units)
        places = [low for low, _ in units] if is_single else [at for unit in units for at in range(*unit)]
        likes, outcomes = self._likes(run, np.array(places))
        if is_single:
            accepted = list(outcomes)
            left = [unit for unit in units if unit[0] not in outcomes] if len(outcomes) < len(units) else []
        else:
            alike = [unit for unit in units if _are_alike(likes, outcomes, range(*unit))]
            accepted, left = [at for unit in alike for at in range(*unit)], sorted({*units} - {*alike})
        if accepted:
            judged.take(accepted, [outcomes[place] for place in accepted])
            self._note_alike(run, np.array(accepted), [likes[place] for place in accepted], judged)
        odd = set(run.columns.odd)
        alone = [low for low, high in left if high == low + 1 and low not in odd]
        originals = dict(zip(alone, self._originals(run, alone), strict=True))
        for low, high in left:
            self.thinning.at = high - 1
            if low not in originals:
                self._judge_places(run, range(low, high), judged)
                continue
            line, number = run.lines.kept[low], run.lines.kept_numbers[low]
            judged.take([low], [self._judge_line(originals[low], line, number, likes.get(low))])

    def _likes(self, run: _Run, places: Places) -> tuple[dict[int, Like], dict[int, Judged]]:
        """Return what lines may be like, and what was found in those that they are like."""
        mine, theirs = run.lines.lines.text, run.lines.kept.text
        if run.columns.odd:
            places = np.setdiff1d(places, run.columns.odd)
        where = self.alike.standing(run.columns, run.lines.kept, run.stretches, places)
        mafs, kinds = run.rarity.mafs[where.places], run.kinds[where.places]
        has_maf, is_target = mafs < np.inf, (mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0)
        known = self.outcomes
        likes: dict[int, Like] = {}
        outcomes: dict[int, Judged] = {}
        facts = (
            where.places,
            where.refs,
            where.alts_end,
            where.kept_refs,
            where.rests,
            is_target,
            has_maf,
            kinds,
        )
        found = self.alike.rests(mine, theirs, where)
        for rest, place, ref, alt_end, kept_ref, at, target, has, kind in zip(
            found, *(one.tolist() for one in facts), strict=True
        ):
            if rest is not None:
                likes[place] = like = (mine[ref:alt_end], theirs[kept_ref:at], rest, target, has)
                outcome = known.get(like) or self._judge_first(like, kind)
                if outcome is not None:
                    outcomes[place] = outcome
        return likes, outcomes

    def _note_alike(self, run: _Run, places: Places, likes: Sequence[Like], judged: _Outcomes) -> None:
        """Note in which ways records that were judged by others are blank; refuse what htslib refuses."""
        blanks = np.array([rest[0] for _, _, rest, _, _ in likes])
        is_blank, is_repeat = blanks >= 0, (run.kinds[places] & Alt.REPEAT) != 0
        mafs = run.rarity.mafs[places]
        is_masked = np.where(
            is_repeat,
            (judged.marks[places] & np.uint64(Mark.REPEAT_MASKED)) != 0,
            (judged.masked_up_to[places] > mafs) & (mafs < MAF_LIMIT),
        )
        if is_blank.any():
            self._check_blank(run, places[is_blank])
            alts = np.array([kept[-1] for _, kept, _, _, _ in likes])
            which = is_blank & is_masked
            self._note_blank(run, places[which], [alts[which], blanks[which], is_repeat[which]])
        if is_blank.all() or not any(self.forms.has_room("QUAL", is_repeat=one) for one in (False, True)):
            return
        for number in np.flatnonzero(is_masked & ~is_blank).tolist():
            if self.forms.has_room("QUAL", is_repeat=bool(is_repeat[number])):
                qual = run.columns.value(QUAL, int(places[number]))
                self.forms.note_left("QUAL", qual, is_repeat=bool(is_repeat[number]))

    def _note_blank(self, run: _Run, places: Places, keys: list[npt.NDArray[np.int64]]) -> None:
        """Note blank records, unless one was noted of which masking took the same, beside REF and ALT."""
        if not len(places):
            return
        if len(self.texts) > MAX_NOTED:
            self.texts.clear()
            self._noted.clear()
        columns, is_repeat = run.columns, keys[-1]
        texts = [columns.mapped(FILTER, self.texts, places), (run.kinds[places] & Alt.SEVERAL) != 0]
        texts += [columns.is_missing(column, places) for column in (QUAL, INFO)]
        if self.n_columns[0] > N_FIXED + 1:
            texts += [columns.mapped(FORMAT, self.texts, places), self._genotypes(columns, places)]
        rows = np.stack([*keys, *texts], axis=1).astype(np.int64)
        row_keys = rows.view(f"V{rows.itemsize * rows.shape[1]}")[:, 0].tolist()
        for place, key in zip(places.tolist(), row_keys, strict=True):
            if key not in self._noted:
                if len(self._noted) < MAX_NOTED:
                    self._noted.add(key)
                self._note_place(run, place)
        lost = [self.forms.never_lost(is_repeat=one) for one in (False, True)]
        if not any(lost):
            return
        infos = columns.values(INFO, places)
        every = b";" + b";".join(infos)
        lost = [[key for key in left if key in every] for left in lost]
        for place, repeat, info in zip(
            places.tolist(), is_repeat.tolist(), infos if any(lost) else (), strict=False
        ):
            if any(key in b";" + info for key in lost[repeat]):
                self._note_place(run, place)

    def _note_place(self, run: _Run, place: int) -> None:
        """Note in which way one record is blank."""
        (original,) = self._originals(run, [place])
        self._note_masked(original, Record(run.lines.kept[place], self.n_columns[1]))

    def _genotypes(self, columns: Columns, places: Places) -> Places:
        """Return the first sample's genotype of some lines, as a number."""
        words = columns.first_bytes(places)
        is_end = (words == ord(":")) | (words == ord("\n")) | (words == ord("\t"))
        found = words.view("<u8")[:, 0].astype(np.int64) & 0xFF_FFFF
        others = np.flatnonzero(~is_end[:, 3] | is_end[:, :3].any(axis=1))
        starts = columns.ends_in_lines(FORMAT, places[others]) + 1
        genotypes = [_GENOTYPE.findall(columns.lines.text, at, at + 16)[0] for at in starts.tolist()]
        found[others] = [-1 - self.texts[one] for one in genotypes]
        return found

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
        filters, formats = Numbers(), Numbers()
        columns.mapped(FILTER, filters, places)
        is_taken = not values.odd_name(b";".join(filters), b";".join(columns.values(INFO, places)))
        if self.n_columns[0] > N_FIXED + 1:
            unsure = places[~columns.plain[places]]
            numbers = columns.mapped(FORMAT, formats, unsure)
            for format_, number in formats.items():
                samples = columns.all_behind(FORMAT, unsure[numbers == number])
                is_taken = is_taken and values.takes(format_, samples)
        if not is_taken:
            self._originals(run, places.tolist())

    def _judge_places(self, run: _Run, places: range, judged: _Outcomes) -> None:
        lines, mafs, kinds = run.lines, run.rarity.mafs, run.kinds
        originals, kept = [], []
        for place in places:
            if run.columns.plain[place]:
                record = Record(lines.lines[place], self.n_columns[0])
                self.values[0].check_names(self._name(0), lines.numbers[place], record)
            else:
                record = self._record(0, lines.numbers[place], lines.lines[place])
            originals.append(Original(record, float(mafs[place]), int(kinds[place])))
            kept.append(self._kept_record(lines.kept_numbers[place], lines.kept[place], record))
        outcomes, own = self._judge(originals, kept)
        judged.take(places, outcomes)
        self._own |= {
            place: places[at] if at >= 0 else -1
            for place, at in zip(places, own, strict=True)
            if len(places) > 1
        }

    def _note_equal(self, run: _Run, judged: _Outcomes) -> None:
        """Note what equal lines tell of other sites, and repeats in them that the rule does not name."""
        columns, kinds, pattern = run.columns, run.kinds, self.pattern

        def site(place: int) -> tuple[bytes, int]:
            return columns.value(CHROM, place), int(run.positions[place])

        is_equal = ~judged.is_judged
        for place in np.flatnonzero(is_equal & ((kinds & Alt.POINTS) != 0)).tolist():
            self.neighbours.read_alt(*site(place), columns.value(ALT, place))
        is_long = (columns.widths(REF) >= pattern.min_length) & ((kinds & Alt.NONE) == 0)
        for place in np.flatnonzero(is_equal & (is_long | ((kinds & Alt.UNNAMED) != 0))).tolist():
            if is_unnamed_repeat(columns.value(REF, place), columns.value(ALT, place), pattern):
                self.tallies.repeats_unnamed.add(*site(place))
        if self.n_columns[0] <= N_FIXED + 1:
            return
        for place in np.flatnonzero(is_equal & ((run.formats & Format.PHASED) != 0)).tolist():
            self.neighbours.read_phasing(
                *site(place), columns.value(FORMAT, place), columns.behind(FORMAT, place)
            )

    def _tell_of_others(self, run: _Run, which: Places) -> None:
        """Take up the records that overlap others of which some were changed, and what targets are called."""
        columns, lines = run.columns, run.lines
        self._take_symbols(run)
        is_changed = np.zeros(len(columns), dtype=np.bool_)
        is_changed[lines.changed] = True
        is_target = np.zeros(len(columns), dtype=np.bool_)
        is_target[which] = True
        refs = columns.widths(REF)
        is_indel = refs != columns.widths(ALT)  # it may stand one base further on
        ends = run.positions + np.minimum(refs, LONGEST_REF) - 1 + is_indel
        for chrom, low, high in run.stretches:
            at = slice(low, high)
            before = np.maximum.accumulate(ends[at])[:-1]
            begins = np.append(True, run.positions[at][1:] - is_indel[at][1:] > before)
            chain = np.cumsum(begins) - 1
            wanted = (np.bincount(chain) > 1) & (np.bincount(chain, weights=is_changed[at]) > 0)
            wanted[[0, -1]] = True  # these may go on in lines before and behind
            wanted |= self.same.has_two_names(chrom)
            long = np.flatnonzero(columns.widths(ID)[at] > SHORT_ID) + low
            self.words.note_identifiers(
                run.positions[long[~is_changed[long]]], columns.values(ID, long[~is_changed[long]])
            )
            self.others.read(lines.kept.part(low, high), chrom, run.positions[at], run.rarity.mafs[at])
            for place in (np.flatnonzero(wanted[chain]) + low).tolist():
                self.same.take(chrom, self._row(run, place, is_changed[place], is_target[place]))
            if self.words.may_name:
                places = (
                    np.flatnonzero(
                        is_target[at] & is_changed[at] & ~columns.is_missing(ID, np.arange(low, high))
                    )
                    + low
                )
                if len(places):
                    self.words.note_targets(chrom, run.positions[places], columns.values(ID, places))

    def _take_symbols(self, run: _Run) -> None:
        """Take up the symbolic alleles: each of unchanged lines once, those of changed ones as they come."""
        if not self.symbols.are_defined:
            return
        changed = np.array(run.lines.changed, dtype=np.int64)
        texts = Numbers()
        run.columns.mapped(ALT, texts, np.setdiff1d(np.flatnonzero((run.kinds & Alt.SYMBOLIC) != 0), changed))
        for alt in texts:
            self.symbols.take(alt, alt)
        for place in changed[(run.kinds[changed] & Alt.SYMBOLIC) != 0].tolist():
            kept_alt = run.lines.kept[place].split(b"\t", ALT + 1)[ALT]
            self.symbols.take(run.columns.value(ALT, place), kept_alt)

    def _row(self, run: _Run, place: int, is_changed: np.bool_, is_target: np.bool_) -> Row:
        ref, alt = run.columns.value(REF, place), run.columns.value(ALT, place)
        own = self._own.get(place, place)
        kept_ref, kept_alt = ref, alt if own >= 0 else b""
        if own >= 0 and (is_changed or own != place):
            kept_ref, kept_alt = run.lines.kept[own].split(b"\t", ALT + 1)[REF : ALT + 1]
        if is_target and b"," in alt:
            alt = self._rare_alleles(Record(run.lines.lines[place], self.n_columns[0]))
        is_repeat = bool(run.kinds[place] & Alt.REPEAT)
        return Row(int(run.positions[place]), ref, alt, kept_ref, kept_alt, bool(is_target), is_repeat)

    def _collect(self, run: _Run, which: Places, judged: _Outcomes) -> None:
        columns, kinds = run.columns, run.kinds[which]
        # lines that were not judged are equal in both files, alone at their site, and so not masked
        marks = np.where(kinds & Alt.REPEAT, np.uint64(Mark.REPEAT | Mark.REPEAT_KEPT), np.uint64(0))
        if self.n_columns[0] > N_FIXED + 1:
            marks[self._are_sole(run, which, judged)] |= np.uint64(Mark.SOLE_CARRIER)
        is_judged = judged.is_judged[which]
        marks[is_judged] = judged.marks[which[is_judged]]
        moved_up_to = judged.masked_up_to[which]
        masked_up_to = np.where(np.isnan(moved_up_to), run.rarity.mafs[which], moved_up_to)
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
                keys=judged.keys[which],
                numbers=[run.lines.numbers[place] for place in which.tolist()]
                if self.orders is not None
                else [],
            )
        )


def _are_alike(likes: Mapping[int, Like], outcomes: Mapping[int, Judged], places: range) -> bool:
    """Tell whether records of one site, each beside its own, were masked alike: none tells another."""
    if len(places) == 1:
        return places[0] in outcomes
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
