"""Batches of aligned records in, candidates and tallies out; what is like one before is judged as it was.

A record that is equal in both files is not masked, whatever it holds. Of a changed one, what the checks find
depends on its alleles and on what is left of the rest: nothing (a *blank*), or all of it. Of a rest that was
left, numbers count only as zero or not. Such a case is judged literally once (:mod:`core.vcf.sites`); every
record that is otherwise changed, or at a site of several, each time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.vcf.candidates import CandidateCollector, Found, Mark
from core.vcf.carriers import Compared, KeptBeside
from core.vcf.contigs import ContigCalls
from core.vcf.frequencies import NOT_COMPUTABLE, Rarity, rarest_allele
from core.vcf.header import VcfHeader
from core.vcf.header_leaks import Symbols
from core.vcf.left import NOTHING, QUAL_BLANKS, pattern_of
from core.vcf.lines import Places, check_columns
from core.vcf.neighbours import LONGEST_REF, Neighbours, Row, SameAlleles, has_phasing
from core.vcf.other_frequencies import OtherFrequencies, OwnFrequencies
from core.vcf.readings import EXACT
from core.vcf.records import N_FIXED, USUAL_FILTERS, Record, has_sole_carrier
from core.vcf.repeats import OF_SEVERAL_BASES, is_unnamed_repeat, unnamed_event
from core.vcf.rows import ALT, FILTER, FORMAT, ID, INFO, POS, QUAL, REF, SAMPLES, Batch, Columns, Rows
from core.vcf.sample_names import decoded, is_generic
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.sites import ALWAYS_MASKED, Alt, Judged, Original, SiteJudge, Tallies
from core.vcf.words_in_records import RecordWords
from core.words import input_error

MOST_CASES = 1 << 14  # that are remembered
LONGEST_INFO, LONGEST_SAMPLES = 6000, 1000  # bytes of which the shape is looked at
SHORT_ID = 10  # bytes: two identifiers have more
# Numbers other than zero that are words by themselves; in samples whole ones alone.
_NUMBER = r"\b[0-9.]*[1-9][0-9.]*(?:[eE][+-]?[0-9]+)?\b"
_WHOLE = r"\b[1-9][0-9]{0,8}\b"
_BETWEEN, _BEHIND = b",:|/", b",:;|/\t"  # signs that part values
_NUMBER_AS_NAME = re.compile(rb"-?[0-9.]+(?:[eE][+-]?[0-9]+)?")

Mask = npt.NDArray[np.bool_]
#: What judging a changed record depends on.
Key = tuple[object, ...]


class Shape(NamedTuple):
    """What a record has behind ALT, with a sign for each number but zero, and without QUAL if that is one."""

    qual: bytes
    filter: bytes
    info: bytes
    format: bytes
    samples: bytes


class _Batch(NamedTuple):
    """A batch, and what is known of its records of the original."""

    sites: Batch
    columns: Columns  # of the original's records
    kinds: Places  # of ALT, bits of Alt
    rarity: Rarity
    is_pair: Mask  # whether a site has one record in both files
    is_equal: Mask  # of sites with as many records in both files: whether they are equal, one by one
    is_target: Mask  # of records: at some threshold
    owners: Places  # the site of each record

    @property
    def n_mine(self) -> Places:
        return np.diff(self.sites.at)


class Outcomes:
    """What was found in records of the original; arrays of one length, see :class:`Judged`."""

    def __init__(self, batch: _Batch) -> None:
        n = len(batch.kinds)
        self.is_judged = np.zeros(n, dtype=np.bool_)
        self.is_left = np.zeros(n, dtype=np.bool_)  # whether ALT alone was masked, as in one before
        is_repeat = (batch.kinds & Alt.REPEAT) != 0
        self.marks = np.where(is_repeat, np.uint64(Mark.REPEAT | Mark.REPEAT_KEPT), np.uint64(0))
        self.masked_up_to = batch.rarity.mafs.copy()
        self.keys = np.zeros(n, dtype=np.uint16)
        # where the record's own one stands in the other file, −1 for none
        self.own = np.arange(n) + (batch.sites.kept_at - batch.sites.at)[batch.owners]

    def take(self, place: int, judged: Judged) -> None:
        """Take up what was found in one record."""
        self.is_judged[place] = True
        self.marks[place], self.keys[place] = judged.marks, judged.keys
        if not math.isnan(judged.masked_up_to):
            self.masked_up_to[place] = judged.masked_up_to


class Scanner:
    """Collects the candidates and the tallies while batches come in."""

    def __init__(
        self,
        settings: VcfSettings,
        headers: tuple[VcfHeader, VcfHeader],
        names: tuple[str, str],
        *,
        keeps_order: bool,
    ) -> None:
        first, second = headers
        self.settings = settings
        self.headers = headers
        self._names = names
        self.collector = CandidateCollector(keeps_order=keeps_order)
        self.judge = SiteJudge(settings, headers, names, self.collector)
        self.tallies = Tallies()
        self.neighbours = Neighbours()
        telling = frozenset(name for name in self.judge.names if not is_generic(decoded(name)))
        self.same = SameAlleles((*first.contigs, *second.contigs))
        self.beside = KeptBeside()
        self.contigs = ContigCalls(len(second.samples))
        self.words = RecordWords(second, telling)
        self.symbols = Symbols(second)
        self.others = OtherFrequencies(second)
        self.own = OwnFrequencies(self.judge.readers[0], len(first.samples))
        self.n_records = [0, 0]
        self.is_changed = first.lines != second.lines or first.samples != second.samples
        self.n_with_alt, self.n_without_frequency = 0, 0
        self.orders: list[tuple[Places, Places]] | None = [] if keeps_order else None
        self._cases: dict[Key, Judged] = {}
        self._blanks: dict[bytes, bool] = {}
        # a rest means the same in both files, and no name of a sample is a number
        self._knows_shapes = (
            first.n_columns == second.n_columns
            and self.judge.same_declarations
            and not any(map(_NUMBER_AS_NAME.fullmatch, self.judge.names))
        )

    def take(self, sites: Batch) -> None:
        """Take up all records of both files at some sites."""
        batch = self._read(sites)
        self.n_records[0] += len(sites.mine)
        self.n_records[1] += len(sites.kept)
        self.is_changed |= not batch.is_equal.all()
        self._count(batch)
        found = Outcomes(batch)
        events = self._judge(batch, found)
        self._take_events(batch, found, events)
        self._read_pointers(batch, found)
        self._tell_of_others(batch, found)
        self._look_beside(batch, found)
        if self.orders is not None:
            mine = np.flatnonzero(found.own >= 0)
            self.orders.append((sites.mine.numbers[mine], sites.kept.numbers[found.own[mine]]))
        self._collect(batch, found)

    # what each record says by itself

    def _read(self, sites: Batch) -> _Batch:
        mine, kept, columns = sites.mine, sites.kept, sites.mine.columns
        for name, rows in zip(self._names, (mine, kept), strict=True):
            _refuse_spaces(name, rows)
        for place in np.flatnonzero(columns.is_odd).tolist():
            check_columns(
                self._names[0], int(mine.numbers[place]), mine.block[place], self.headers[0].n_columns
            )
        kinds = _asked(columns[ALT], self.judge.kind_of)
        rarity = self.judge.readers[0].many(columns[INFO], (kinds & Alt.NONE) == 0)
        n_mine, n_kept, owners = np.diff(sites.at), np.diff(sites.kept_at), sites.owners
        is_equal = n_mine == n_kept
        is_pair = is_equal & (n_mine == 1)
        if is_equal.all():
            lines, others = mine.block.as_array(), kept.block.as_array()
            which = np.arange(len(mine))
        else:
            which = np.flatnonzero(is_equal[owners])
            shift = (sites.kept_at - sites.at)[owners[which]]
            lines = mine.block.as_array().take(pa.array(which))
            others = kept.block.as_array().take(pa.array(which + shift))
        differing = which[~pc.equal(lines, others).to_numpy(zero_copy_only=False)]
        is_equal[owners[differing]] = False
        is_target = (rarity.mafs < MAF_LIMIT) | ((kinds & Alt.REPEAT) != 0)
        return _Batch(sites, columns, kinds, rarity, is_pair, is_equal, is_target, owners)

    def _count(self, batch: _Batch) -> None:
        """Count records with an ALT allele, and look at some of their frequencies."""
        columns, mafs = batch.columns, batch.rarity.mafs
        has_alt = (batch.kinds & (Alt.NONE | Alt.EMPTY)) == 0
        self.n_with_alt += int(has_alt.sum())
        has_alt &= (batch.kinds & Alt.REPEAT) == 0
        is_known = mafs != NOT_COMPUTABLE
        self.n_without_frequency += int((has_alt & ~is_known).sum())
        known = np.flatnonzero(has_alt & is_known)
        for place in known[np.fromiter(self.own.chosen(len(known)), dtype=np.int64)].tolist():
            info, alt, *samples = (columns.text(column, place) for column in (INFO, ALT, FORMAT, SAMPLES))
            self.own.look(info, alt, b"\t".join(samples))
        for place in batch.rarity.hindered:
            if not batch.kinds[place] & Alt.REPEAT:
                self._tally("hindered", batch, place)

    def _tally(self, name: str, batch: _Batch, place: int, maf: float = np.inf) -> None:
        """Count a record of the original."""
        mine = batch.sites.mine
        contig = next(one for one, _, high in mine.contigs if place < high)
        getattr(self.tallies, name).add(contig, int(mine.positions[place]), maf)

    # what is found in them beside each other

    def _judge(self, batch: _Batch, found: Outcomes) -> dict[int, list[tuple[str, float]]]:
        """Judge the sites that cannot be ruled out; return what was found of each beside marks."""
        sites, judge = batch.sites, self.judge
        is_close = ~batch.is_equal
        close = batch.columns.is_odd.copy()
        is_unsure = (batch.kinds & Alt.BLANK) != 0  # its frequency may count as masked, as it stands
        close |= batch.is_target & (is_unsure if judge.same_declarations else True)
        is_close[batch.owners[close]] = True
        # at a site of several, any target may be another's
        of_targets = batch.owners[batch.is_target]
        is_close[of_targets] |= ~batch.is_pair[of_targets]
        keys = self._keys(batch, np.flatnonzero(is_close & batch.is_pair & ~batch.is_equal))
        events: dict[int, list[tuple[str, float]]] = {}
        for site in np.flatnonzero(is_close).tolist():
            key = keys.get(site)
            place = int(sites.at[site])
            if key is not None and (case := self._cases.get(key)) is not None:
                found.take(place, case)
                continue
            judge.ways.at = int(sites.kept_at[site + 1]) - 1
            outcomes, own = self._judge_site(batch, site)
            for at, (judged, other) in enumerate(zip(outcomes, own, strict=True), place):
                found.take(at, judged)
                found.own[at] = sites.kept_at[site] + other if other >= 0 else -1
            if judge.events:
                events[site] = judge.events
            elif key is not None and self._is_told_by(key, batch, place):
                if len(self._cases) == MOST_CASES:
                    self._cases.clear()
                is_always = outcomes[0].masked_up_to == ALWAYS_MASKED
                self._cases[key] = outcomes[0] if is_always else outcomes[0]._replace(masked_up_to=math.nan)
        known = [site for site in keys if keys[site] in self._cases]
        is_left = np.array([isinstance(keys[site][0], Shape) for site in known], dtype=np.bool_)
        found.is_left[sites.at[known]] = is_left
        if judge.ways.open:
            self._see_unchanged(batch)
        return events

    def _judge_site(self, batch: _Batch, site: int) -> tuple[list[Judged], list[int]]:
        sites, judge = batch.sites, self.judge
        low, high = sites.at[site : site + 2].tolist()
        kept_low, kept_high = sites.kept_at[site : site + 2].tolist()
        mine, kept = sites.mine, sites.kept
        originals = [
            Original(
                judge.record(0, int(mine.numbers[place]), mine.block[place]),
                float(batch.rarity.mafs[place]),
                int(batch.kinds[place]),
            )
            for place in range(low, high)
        ]
        others = [
            judge.record(1, int(kept.numbers[place]), kept.block[place])
            for place in range(kept_low, kept_high)
        ]
        for record in others:
            self._read_kept(record)
        return judge.judge(originals, others)

    # cases

    def _keys(self, batch: _Batch, where: Places) -> dict[int, Key]:
        """Return of changed sites of one record what judging it depends on, where that is known."""
        sites = batch.sites
        places, others = sites.at[where], sites.kept_at[where]
        before = batch.columns.take(places)
        after = sites.kept.more_columns(QUAL, others)
        is_told = ~batch.columns.is_odd[places] & ((batch.kinds[places] & Alt.PLAIN) != 0)
        is_told &= _are_equal(before[POS], after[POS])
        alts = after[ALT]
        is_told &= _are_equal(alts, b".") | _are_equal(alts, b"N")
        is_told &= _are_equal(after[ID], b".")
        is_own = _are_equal(before.behind(ALT), after[QUAL])
        keys: dict[int, Key] = {}
        is_short = (batch.columns.widths(INFO)[places] <= LONGEST_INFO) & (
            batch.columns.widths(SAMPLES)[places] <= LONGEST_SAMPLES
        )
        for rests, which in (
            (self._own_rests, np.flatnonzero(is_told & is_own & is_short & self._knows_shapes)),
            (self._blank_rests, np.flatnonzero(is_told & ~is_own)),
        ):
            if not len(which):
                continue
            at = pa.array(which)
            facts = zip(
                where[which].tolist(),
                rests(batch, places[which], after[QUAL].take(at)),
                before[REF].take(at).to_pylist(),
                before[ALT].take(at).to_pylist(),
                after[REF].take(at).to_pylist(),
                alts.take(at).to_pylist(),
                batch.is_target[places[which]].tolist(),
                (batch.rarity.mafs[places[which]] < np.inf).tolist(),
                strict=True,
            )
            keys |= {
                site: (rest, ref, *others)
                for site, rest, ref, *others in facts
                if rest is not None and ref.startswith(others[1])
            }
        return keys

    def _own_rests(self, batch: _Batch, places: Places, _rests: pa.Array) -> Iterator[Key | None]:
        """Yield the shape of what stands behind QUAL of records of which ALT alone was masked."""
        some = batch.columns.take(places)
        filters, infos, formats, samples = (some[column] for column in (FILTER, INFO, FORMAT, SAMPLES))
        shapes = (
            [one if one in QUAL_BLANKS else b"" for one in _texts(some[QUAL])],
            _texts(filters),
            _texts(pc.replace_substring_regex(infos, _NUMBER, "\n")),
            _texts(formats),
            _texts(pc.replace_substring_regex(samples, _WHOLE, "\n")),
        )
        yield from map(Shape, *shapes)

    def _blank_rests(self, batch: _Batch, places: Places, rests: pa.Array) -> Iterator[Key | None]:
        """Yield what was there of records of which nothing was left behind ALT, as far as it matters."""
        columns, ways = batch.columns.take(places), self.judge.ways
        infos = columns[INFO]
        facts = [_are_equal(columns[QUAL], b"."), _are_equal(infos, b".")]
        for key in ways.harmless:
            pattern = f"(?:^|;){key.decode()}=[^;]*?[^{NOTHING.decode()};]"
            facts.append(_match(infos, pattern))
        genotypes = pc.struct_field(pc.extract_regex(columns[SAMPLES], r"^(?P<own>[^:\t]*)"), "own")
        genotypes = pc.replace_substring_regex(genotypes, "[0-9]+", ".").fill_null(b"")
        texts = (columns[FILTER], columns[FORMAT], genotypes)
        every = zip(*(one.tolist() for one in facts), *map(_texts, texts), strict=True)
        for rest, was in zip(_texts(rests), every, strict=True):
            yield (rest, *was) if self._is_blank(rest) else None

    def _is_blank(self, rest: bytes) -> bool:
        """Tell whether nothing is left behind ALT but PASS, and one missing genotype for all samples."""
        if not rest.startswith((b".\t.\t.", b".\tPASS\t.")):
            return False
        if rest not in self._blanks:
            n_columns = rest.count(b"\t") + QUAL + 1
            is_whole = n_columns == self.headers[1].n_columns in (self.headers[0].n_columns, N_FIXED)
            kept = Record(b"1\t1\t.\tA\t.\t" + rest, n_columns)
            is_bare = kept.info == kept.qual == b"." and kept.filter in USUAL_FILTERS
            if len(self._blanks) == MOST_CASES:
                self._blanks.clear()
            self._blanks[rest] = is_whole and is_bare and (kept.is_missing or not kept.samples)
        return self._blanks[rest]

    def _is_told_by(self, key: Key, batch: _Batch, place: int) -> bool:
        """Tell whether other records of a case are surely as one of it is."""
        shape = key[0]
        if not isinstance(shape, Shape):
            return True
        info = batch.columns.text(INFO, place)
        names = b";".join(text.partition(b"=")[0] for text in info.split(b";"))
        return (
            EXACT.isdisjoint(shape.format.split(b":"))
            and names == names.translate(None, _BETWEEN)
            and b"START" not in names.split(b";")  # which is compared with POS
            and _stand_apart(b";" + shape.info + b";", _BETWEEN + b"=")
            and _stand_apart(b"\t" + shape.samples + b"\t", _BETWEEN + b"\t")
        )

    # what records tell of others

    def _take_events(
        self, batch: _Batch, found: Outcomes, events: dict[int, list[tuple[str, float]]]
    ) -> None:
        """Count what was found of sites, in their order, and repeats that the rule does not name."""
        sites, columns, kinds, pattern = batch.sites, batch.columns, batch.kinds, self.judge.pattern
        is_long = (columns.widths(REF) >= pattern.min_length) & ((kinds & Alt.NONE) == 0)
        may_be = is_long | ((kinds & Alt.UNNAMED) != 0)
        is_called = np.zeros(len(kinds), dtype=np.bool_)
        if self.judge.locus_keys:
            indels = np.flatnonzero(~found.is_judged & (columns.widths(REF) != columns.widths(ALT)))
            is_called[indels] = _match(columns.take(indels)[INFO], OF_SEVERAL_BASES)
        for place in np.flatnonzero(~found.is_judged & (may_be | is_called)).tolist():
            ref, alt = columns.text(REF, place), columns.text(ALT, place)
            info = columns.text(INFO, place) if is_called[place] else b""
            if is_unnamed_repeat(ref, alt, pattern, info):
                site = int(batch.owners[place])
                events.setdefault(site, []).append((unnamed_event(ref, alt, info, pattern), np.inf))
        for site in sorted(events):
            contig = next(name for name, _, high in sites.contigs if site < high)
            position = int(sites.positions[site])
            for name, maf in events[site]:
                if name == "moved":
                    self.neighbours.added.add(contig, position, maf)
                else:
                    getattr(self.tallies, name).add(contig, position, maf)

    def _see_unchanged(self, batch: _Batch) -> None:
        """Look in unchanged records for what earlier ones lost."""
        kept, ways = batch.sites.kept, self.judge.ways
        is_equal = batch.is_equal[batch.sites.kept_owners]
        lines = kept.block.as_array()
        for name in sorted(ways.open):
            wanted = is_equal & (np.arange(len(kept)) > ways.begun.get(name, -1))
            wanted &= _match(lines, pattern_of(name))
            for place in np.flatnonzero(wanted).tolist():
                ways.see(kept.block[place], name)
                if name not in ways.open:
                    break
        ways.begun.clear()

    def _read_pointers(self, batch: _Batch, found: Outcomes) -> None:
        """Read what unchanged records tell of other places; of changed ones, what phasing they kept."""
        columns, mine = batch.columns, batch.sites.mine
        wanted = ~found.is_judged & ((batch.kinds & Alt.POINTS) != 0)
        for contig, low, high in mine.contigs:
            for place in (np.flatnonzero(wanted[low:high]) + low).tolist():
                self.neighbours.read_alt(contig, int(mine.positions[place]), columns.text(ALT, place))
        if self.headers[0].n_columns <= N_FIXED + 1:
            return
        wanted = _asked(columns[FORMAT], has_phasing) > 0
        wanted &= ~found.is_judged | found.is_left
        for contig, low, high in mine.contigs:
            for place in (np.flatnonzero(wanted[low:high]) + low).tolist():
                format_, samples = (columns.text(column, place) for column in (FORMAT, SAMPLES))
                position = int(mine.positions[place])
                self.neighbours.read_phasing(contig, position, format_, b"\t" + samples)

    def _read_kept(self, record: Record) -> None:
        """Read what a record of the anonymized file tells of others."""
        position = int(record.pos)
        if self.judge.kind_of(record.alt) & Alt.POINTS:
            self.neighbours.read_alt(record.chrom, position, record.alt)
        if record.samples and has_phasing(record.format):
            self.neighbours.read_phasing(record.chrom, position, record.format, record.samples)
        if b";" in record.id:
            self.words.note_identifiers(np.array([position]), [record.id])

    def _tell_of_others(self, batch: _Batch, found: Outcomes) -> None:
        """Take up records that overlap others of which some were changed, and what targets are called."""
        sites, columns = batch.sites, batch.columns
        self.words.read(sites.kept.block)
        self._take_symbols(batch)
        mafs = _mafs_of_kept(batch)
        self.contigs.read(sites.kept, mafs)
        for contig, low, high in sites.kept.contigs:
            self.others.read(
                sites.kept.block.part(low, high), contig, sites.kept.positions[low:high], mafs[low:high]
            )
        is_changed = ~batch.is_equal[batch.owners]
        long = np.flatnonzero((columns.widths(ID) > SHORT_ID) & ~is_changed)
        self.words.note_identifiers(sites.mine.positions[long], columns.take(long)[ID].to_pylist())
        is_named = batch.is_target & is_changed & ~_are_equal(columns[ID], b".") & (found.own >= 0)
        for contig, low, high in sites.mine.contigs:
            if len(places := np.flatnonzero(is_named[low:high]) + low):
                names = columns.take(places)[ID].to_pylist()
                self.words.note_targets(contig, sites.mine.positions[places], names)
        self._compare_alleles(batch, found, is_changed)

    def _look_beside(self, batch: _Batch, found: Outcomes) -> None:
        """Compare masked records with the kept ones around them, by who carries them."""
        is_changed = (found.marks & np.uint64(Mark.ALT_CHANGED)) != 0
        if len(self.headers[1].samples) == 0 or not is_changed.any():
            return
        has_own = found.own >= 0
        is_symbolic = (batch.kinds & Alt.SYMBOLIC) != 0
        sites, masked = batch.sites, has_own & is_changed & batch.is_target
        some = Compared(
            batch.columns, sites.mine, sites.kept, found.own, is_symbolic, masked, has_own & ~is_changed
        )
        self.beside.read(some)

    def _take_symbols(self, batch: _Batch) -> None:
        """Take up the symbolic alleles of both files."""
        if not self.symbols.are_defined:
            return
        which = np.flatnonzero((batch.kinds & Alt.SYMBOLIC) != 0)
        alts = batch.columns.take(which)[ALT].unique().to_pylist()
        changed = np.flatnonzero(~batch.is_equal[batch.sites.kept_owners])
        is_equal = batch.is_equal[batch.owners]
        left = batch.columns[ALT].filter(pa.array(is_equal)).unique().to_pylist()
        self.symbols.take(alts, left + batch.sites.kept.more_columns(QUAL, changed)[ALT].unique().to_pylist())

    def _compare_alleles(self, batch: _Batch, found: Outcomes, is_changed: Mask) -> None:
        """Give records that overlap or touch others, some of them changed, to be compared."""
        sites = batch.sites
        is_alone = np.ones(len(sites.kept), dtype=np.bool_)
        is_alone[found.own[found.own >= 0]] = False
        alone = np.flatnonzero(is_alone)
        added = sites.kept.more_columns(QUAL, alone)
        places = np.concatenate([np.arange(len(sites.mine)), -1 - alone])
        positions = np.concatenate([sites.mine.positions, sites.kept.positions[alone]])
        refs, alts = (
            np.concatenate([batch.columns.widths(column), added.widths(column)]) for column in (REF, ALT)
        )
        is_changed = np.concatenate([is_changed, np.ones(len(alone), dtype=np.bool_)])
        owners = np.concatenate([batch.owners, sites.kept_owners[alone]])
        order = np.argsort(owners, kind="stable")
        places, positions, refs, alts, is_changed = (
            one[order] for one in (places, positions, refs, alts, is_changed)
        )
        is_indel = refs != alts  # it may stand one base further on
        ends = positions + np.minimum(refs, LONGEST_REF) - 1 + is_indel
        bounds = np.searchsorted(owners[order], [low for _, low, _ in sites.contigs] + [len(sites.positions)])
        for (contig, _, _), low, high in zip(sites.contigs, bounds[:-1], bounds[1:], strict=True):
            at = slice(low, high)
            before = np.maximum.accumulate(ends[at])[:-1]
            begins = np.append(True, positions[at][1:] - is_indel[at][1:] > before)
            chain = np.cumsum(begins) - 1
            wanted = (np.bincount(chain) > 1) & (np.bincount(chain, weights=is_changed[at]) > 0)
            wanted[[0, -1]] = True  # these may go on in lines before and behind
            wanted |= self.same.has_two_names(contig)
            for place in places[at][wanted[chain]].tolist():
                self.same.take(contig, self._row(batch, found, place))

    def _row(self, batch: _Batch, found: Outcomes, place: int) -> Row:
        """Return a record of the original beside its own, or from −1 down one that is nobody's own."""
        sites = batch.sites
        own = int(found.own[place]) if place >= 0 else -1 - place
        kept_ref = kept_alt = b""
        if own >= 0:
            kept_ref, kept_alt = sites.kept.block[own].split(b"\t", ALT + 1)[REF : ALT + 1]
        if place < 0:
            return Row(int(sites.kept.positions[own]), b"", b"", kept_ref, kept_alt, is_target=False)
        ref, alt = (batch.columns.text(column, place) for column in (REF, ALT))
        is_target = bool(batch.is_target[place])
        if is_target and b"," in alt:
            record = Record(sites.mine.block[place], self.headers[0].n_columns)
            alt = self.judge.rare_alleles(record, self.settings.maf_threshold)
        is_repeat = bool(batch.kinds[place] & Alt.REPEAT)
        position = int(sites.mine.positions[place])
        return Row(position, ref, alt, kept_ref if own >= 0 else ref, kept_alt, is_target, is_repeat)

    # targets

    def _collect(self, batch: _Batch, found: Outcomes) -> None:
        which = np.flatnonzero(batch.is_target)
        if not len(which):
            return
        columns, mine = batch.columns, batch.sites.mine
        left = which[~found.is_judged[which]]
        if self.headers[0].n_columns > N_FIXED + 1:
            found.marks[left[self._have_sole(batch, left)]] |= np.uint64(Mark.SOLE_CARRIER)
        repeats = np.flatnonzero(batch.kinds[which] & Alt.REPEAT)
        alts = columns.take(which[repeats])[ALT].to_pylist()
        bounds = np.searchsorted(which, [low for _, low, _ in mine.contigs] + [len(mine)])
        counts = zip(mine.contigs, np.diff(bounds).tolist(), strict=True)
        self.collector.add(
            Found(
                contigs=[(contig, n_found) for (contig, _, _), n_found in counts if n_found],
                positions=mine.positions[which],
                mafs=batch.rarity.mafs[which],
                marks=found.marks[which],
                masked_up_to=found.masked_up_to[which],
                motifs=dict(zip(repeats.tolist(), map(self.judge.pattern.motif, alts), strict=True)),
                lengths=columns.widths(REF)[which],
                keys=found.keys[which],
                numbers=mine.numbers[which],
            )
        )

    def _have_sole(self, batch: _Batch, places: Places) -> Mask:
        """Tell which of some unchanged records have exactly one sample with their rarest allele."""
        some = batch.columns.take(places)
        has_genotypes = _match(some[FORMAT], "^GT(?::|$)")
        rarest = batch.rarity.rarest[places]
        found = np.zeros(len(places), dtype=np.bool_)
        left = has_genotypes.copy()
        if len(self.headers[0].samples) == 1:
            for allele in (0, 1):
                named = _match(some[SAMPLES], rf"^(?:[0-9.]+[/|])*{allele}(?:[/|:\t]|$)")
                found |= named & has_genotypes & (rarest == allele)
            left &= rarest < 0
        where = np.flatnonzero(left)
        some, block = some.take(where), batch.sites.mine.block
        facts = (where, rarest[where], some.ends[:, FORMAT], some.ends[:, SAMPLES])
        texts = (some[column].to_pylist() for column in (ALT, FORMAT, INFO))
        for place, allele, low, high, alt, format_, info in zip(
            *(one.tolist() for one in facts), *texts, strict=True
        ):
            n_alts = alt.count(b",") + 1
            shares = self.judge.readers[0].site(info).frequencies if allele < 0 else ()
            which = rarest_allele(shares, n_alts) if allele < 0 else allele
            found[place] = has_sole_carrier(block.text, format_, n_alts, which, low=low, high=high)
        return found


def _refuse_spaces(name: str, rows: Rows) -> None:
    """Refuse a key of INFO with a space before or behind it, as htslib does in whatever file."""
    low, high = rows.block.starts[[0, -1]].tolist()
    if rows.block.text.find(b" ", low, high) < 0:
        return
    for place in np.flatnonzero(_match(rows.block.as_array(), " ")).tolist():
        fields = b";".join(rows.block[place].split(b"\t", FORMAT)[INFO:FORMAT]).split(b";")
        if any(key != key.strip(b" ") for key, *_ in (field.split(b"=", 1) for field in fields)):
            raise input_error(
                "{file}: record {number} has a key in INFO with a space before or behind it, which htslib "
                "refuses; remove the space.",
                file=name,
                number=int(rows.numbers[place]),
            )


def _mafs_of_kept(batch: _Batch) -> npt.NDArray[np.float64]:
    """Return the site frequency of the original beside each record of the anonymized file; 0 without one."""
    sites, mafs = batch.sites, batch.rarity.mafs
    n_mine, n_kept = batch.n_mine, np.diff(sites.kept_at)
    found = np.full(len(sites.kept), np.inf)
    found[np.repeat(n_mine == 0, n_kept)] = 0
    is_even = n_mine == n_kept
    found[np.repeat(is_even, n_kept)] = mafs[np.repeat(is_even, n_mine)]
    for site in np.flatnonzero(~is_even & (n_mine > 0) & (n_kept > 0)).tolist():
        found[sites.kept_at[site] : sites.kept_at[site + 1]] = mafs[sites.at[site] : sites.at[site + 1]].min()
    return found


def _asked(texts: pa.Array, ask: Callable[[bytes], int]) -> Places:
    """Return what each text of a column says of itself; equal ones are asked once."""
    coded = texts.dictionary_encode()
    answers = np.array([int(ask(text)) for text in coded.dictionary.to_pylist()], dtype=np.int64)
    found: Places = answers[coded.indices.to_numpy()]
    return found


def _texts(texts: pa.Array) -> list[bytes]:
    """Return the texts of a column, equal ones as one object."""
    coded = texts.dictionary_encode()
    every = coded.dictionary.to_pylist()
    return [every[number] for number in coded.indices.to_pylist()]


def _stand_apart(text: bytes, before: bytes) -> bool:
    """Tell whether each sign for a number, which no line holds, stands between signs that part values."""
    first, *others = text.split(b"\n")
    ends = (part.removesuffix(b"-") for part in (first, *others[:-1])) if others else ()
    return all(one[-1:] in before and one for one in ends) and all(
        one[:1] in _BEHIND and one for one in others
    )


def _are_equal(texts: pa.Array, other: pa.Array | bytes) -> Mask:
    wanted = pa.scalar(other, pa.large_binary()) if isinstance(other, bytes) else other
    found: Mask = pc.equal(texts, wanted).to_numpy(zero_copy_only=False)
    return found


def _are_in(texts: pa.Array, others: Sequence[bytes]) -> Mask:
    found: Mask = np.logical_or.reduce([_are_equal(texts, one) for one in others])
    return found


def _match(texts: pa.Array, pattern: str) -> Mask:
    found: Mask = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found
