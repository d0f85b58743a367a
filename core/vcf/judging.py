"""Apply a MAF threshold to a scan: targets, counts, verdict, and the exposure findings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.vcf.candidates import Candidates, Mark, Offsets
from core.vcf.checks import CHECK_BITS, SITE_CHECKS
from core.vcf.exposure import Exposure, check_severities, found
from core.vcf.header_leaks import header_exposures
from core.vcf.measuring import VcfScan
from core.vcf.pairing import names_level, original_name
from core.vcf.settings import VcfSettings
from core.verdict import Verdict, worst
from core.words import Value, Written, joined, listed, text

NEIGHBOUR_WINDOW = 50  # bases
SOME_SHARE = 0.01  # of the frequencies looked at; fewer are sites where hardly anybody was called
MANY_ALIKE = 5  # masked repeats from which one and the same ALT tells no length
N_KEYS = 8  # INFO keys that a finding names

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Targets:
    """The target sites at one threshold, in file order; arrays of one length."""

    # index of the record that defines each target: the last one at its site that is a target
    candidates: Offsets
    is_repeat: Mask  # whether the repeat rule applies; otherwise the MAF rule does
    is_masked: Mask  # whether the published rule counts the site as masked
    # all candidates that are targets, in file order, and for each which of the sites it stands at
    members: Offsets
    sites: Offsets

    @cached_property
    def masked_members(self) -> Offsets:
        """Return the places among `members` of those at sites that count as masked."""
        return _which(self.is_masked[self.sites])


@dataclass(frozen=True, kw_only=True, eq=False)
class VcfAudit:
    """What one pair of files comes to at one threshold."""

    scan: VcfScan  # the reading it rests on
    settings: VcfSettings  # the settings in force: threshold and severities
    metadata_targets: int  # header lines that had to be masked, and those that are
    metadata_masked: int
    targets: Targets  # the variant sites that had to be masked; none at low level
    exposure: tuple[Exposure, ...]  # what was found beside the counts; empty when nothing was

    @property
    def n_variant_targets(self) -> int:
        """Return the number of variant sites that had to be masked."""
        return len(self.targets.candidates)

    @cached_property
    def n_variant_masked(self) -> int:
        """Return the number of variant sites that count as masked."""
        return int(self.targets.is_masked.sum())

    @property
    def n_targets(self) -> int:
        """Return header and variant targets together."""
        return self.metadata_targets + self.n_variant_targets

    @property
    def n_masked(self) -> int:
        """Return header and variant targets that count as masked."""
        return self.metadata_masked + self.n_variant_masked

    @property
    def masked_share(self) -> float:
        """Return masked / all targets in [0, 1]; 1 when there is no target."""
        return self.n_masked / self.n_targets if self.n_targets else 1.0

    @property
    def rate(self) -> str:
        """Return the share masked as the report writes it, such as ``87.50%(7/8)``."""
        return f"{100 * self.masked_share:.2f}%({self.n_masked}/{self.n_targets})"

    @cached_property
    def missing(self) -> Offsets:
        """Return the targets that the anonymized file does not have, as indices of candidates."""
        return self.targets.candidates[self.scan.candidates.marked(Mark.MISSING, self.targets.candidates)]

    @property
    def verdict(self) -> Verdict:
        """Return the published rule's verdict: PASS when every target is masked, else FAIL."""
        return Verdict.PASS if self.n_masked == self.n_targets else Verdict.FAIL

    @property
    def exposure_verdict(self) -> Verdict:
        """Return the worst of our own findings, PASS when there is none."""
        return worst([Verdict.PASS, *(exposure.verdict for exposure in self.exposure)])

    @property
    def overall(self) -> Verdict:
        """Return the worse of the rule's verdict and our own."""
        return worst([self.verdict, self.exposure_verdict])

    def unmasked(self) -> Iterator[tuple[str, int]]:
        """Yield contig and position of every target site that does not count as masked, in file order."""
        candidates = self.scan.candidates
        left = self.targets.candidates[~self.targets.is_masked]
        for contig, position in zip(
            candidates.contigs[left].tolist(), candidates.positions[left].tolist(), strict=True
        ):
            yield candidates.contig_names[contig], position

    def report_row(self) -> dict[str, str | int]:
        """Return the row of the CSV report, in the order of its columns."""
        positions = ";".join(f"{contig}:{position}" for contig, position in self.unmasked())
        return {
            "filename": self.scan.anonymized_name,
            "anonymization_level": self.scan.level,
            "anonymization_rate": self.rate,
            "verification_result": "ok" if self.verdict is Verdict.PASS else "fail",
            "total_targets": self.n_targets,
            "metadata_targets": self.metadata_targets,
            "variant_targets": self.n_variant_targets,
            "metadata_masked": self.metadata_masked,
            "variant_masked": self.n_variant_masked,
            "unmasked_positions": positions or "-",
        }


def judge_scan(scan: VcfScan, settings: VcfSettings) -> VcfAudit:
    """Apply the threshold and severities of `settings` to a scan, without reading again."""
    check_severities(settings.severities)
    all_targets = find_targets(scan.candidates, settings.maf_threshold)
    targets = all_targets if scan.level == "high" else _none(all_targets)
    nothing = scan.metadata_targets + len(targets.candidates) == 0
    exposure = [
        *_assessability(scan, settings, nothing=nothing),
        *_level(scan, all_targets, settings.severities),
        *_site_exposures(scan, targets, settings),
        *_pointed_at(scan, targets, settings.severities),
        *_neighbours(scan, targets, settings.severities),
        *_added(scan, targets, settings),
        *_donors(scan, all_targets, settings.severities),
        *_integrity(scan, settings),
        *found("original_itself", int(scan.is_original and not nothing), 1, (), settings.severities),
        *_words(scan, settings.severities),
        *_contigs(scan, settings.severities),
        *_other_frequencies(scan, settings),
        *found("bytes_unread", len(scan.unread), len(scan.unread), scan.unread, settings.severities),
        *header_exposures(scan.header_findings, settings.severities),
    ]
    return VcfAudit(
        scan=scan,
        settings=settings,
        metadata_targets=scan.metadata_targets,
        metadata_masked=scan.metadata_masked,
        targets=targets,
        exposure=tuple(sorted(exposure, key=lambda one: -one.verdict.severity)),
    )


def find_targets(candidates: Candidates, maf_threshold: float) -> Targets:
    """Return the target sites at a threshold and which of them count as masked.

    Of several records at one site, the last that is a target defines it. A repeat is a target at
    any threshold and is judged by the repeat rule.
    """
    repeats = candidates.marked(Mark.REPEAT)
    wanted = _which(repeats | (candidates.mafs < maf_threshold))
    begins = ~candidates.marked(Mark.SAME_SITE)
    last = np.ones(len(wanted), dtype=np.bool_)
    if not begins.all():
        last[:-1] = np.diff(np.cumsum(begins, dtype=np.int32)[wanted]) != 0
    defining = wanted if last.all() else wanted[last]
    is_repeat = repeats[defining]
    by_repeat = candidates.marked(Mark.REPEAT_MASKED, defining)
    by_maf = ~candidates.is_unmasked(maf_threshold)[defining]
    sites = np.cumsum(last, dtype=np.int32)
    sites -= last
    return Targets(
        candidates=defining,
        is_repeat=is_repeat,
        is_masked=np.where(is_repeat, by_repeat, by_maf),
        members=wanted,
        sites=sites,
    )


def _which(mask: Mask) -> Offsets:
    """Return where a mask is true, in half the memory that numpy takes for it."""
    return np.arange(len(mask), dtype=np.int32)[mask]


def _none(targets: Targets) -> Targets:
    nothing = np.empty(0, dtype=bool)
    none = targets.candidates[:0]
    return Targets(candidates=none, is_repeat=nothing, is_masked=nothing, members=none, sites=none)


def _site_exposures(scan: VcfScan, targets: Targets, settings: VcfSettings) -> list[Exposure]:
    """Say what the checks of masked sites found: in how many sites, and where."""
    candidates, members = scan.candidates, targets.members[targets.masked_members]
    n_masked = int(targets.is_masked.sum())
    exposures: list[Exposure] = []
    for check in SITE_CHECKS:
        affected = candidates.marked(CHECK_BITS[check.name], members)
        if check.name == "unmasked_duplicate":
            affected |= _left(candidates, members, settings.maf_threshold)
        if check.name == "repeat_length_kept" and _tells_no_length(scan, targets):
            continue
        n_sites, places = _by_site(candidates, targets, affected)
        words = _fields(check.name, candidates, members[affected]) if check.telling else {}
        exposures += found(check.name, n_sites, n_masked, places, settings.severities, **words)
    return exposures


def _by_site(candidates: Candidates, targets: Targets, affected: Mask) -> tuple[int, Sequence[str]]:
    """Return how many masked sites are affected, given by their members, and where."""
    places = targets.masked_members[affected]
    sites = targets.sites[places]  # ascending
    first = np.ones(len(sites), dtype=np.bool_)
    np.not_equal(sites[1:], sites[:-1], out=first[1:])
    places = places[first]
    return len(places), candidates.places(targets.members[places])


def _left(candidates: Candidates, members: Offsets, maf_threshold: float) -> Mask:
    """Tell which targets are still named and not masked by their own kind's rule, although their site is."""
    is_named, is_repeat, by_repeat = (
        candidates.marked(mark, members) for mark in (Mark.NAMED, Mark.REPEAT, Mark.REPEAT_MASKED)
    )
    return is_named & ~np.where(is_repeat, by_repeat, ~candidates.is_unmasked(maf_threshold)[members])


def _tells_no_length(scan: VcfScan, targets: Targets) -> bool:
    """Tell whether many masked repeats all have the same ALT without a number."""
    n_repeats = int((targets.is_repeat & targets.is_masked).sum())
    alike = len(scan.repeat_alts) == 1 and not any(
        one in alt for alt in scan.repeat_alts for one in b"0123456789"
    )
    return alike and n_repeats >= MANY_ALIKE


def _fields(check: str, candidates: Candidates, which: Offsets) -> dict[str, Value]:
    """Count the records in which a check found each field, the most frequent first."""
    counts = np.bincount(candidates.keys[which], minlength=len(candidates.key_sets))
    fields: Counter[str] = Counter()
    for names, count in zip(candidates.key_sets, counts.tolist(), strict=True):
        for name in set(names) if count else ():
            by, _, field = name.partition(" ")
            if by == check:
                fields[field] += count
    common = sorted(fields.items(), key=lambda one: (-one[1], one[0]))[:N_KEYS] or [("INFO", len(which))]
    named = joined(
        [text("{key} ({found})", key=field.removeprefix("INFO/"), found=count) for field, count in common],
        ", ",
    )
    listed: Value = ",".join(field for field, _ in common)
    if (more := len(fields) - len(common)) > 0:
        named, listed = (text("{names} and {more} more", names=each, more=more) for each in (named, listed))
    return {"keys": named, "fields": listed}


def _pointed_at(scan: VcfScan, targets: Targets, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Say which masked sites records elsewhere point at: phasing, mates, alleles inside a deletion."""
    candidates, neighbours = scan.candidates, scan.neighbours
    exposures: list[Exposure] = []
    if not any(one.places for one in vars(neighbours).values()):
        return exposures
    members = targets.members[targets.masked_members]
    contigs = candidates.contigs_of(members)
    starts, ends = candidates.positions[members].astype(np.int64), candidates.ends(members)
    shown = CHECK_BITS["frequency_only"] | CHECK_BITS["unmasked_duplicate"]
    hidden = ~candidates.marked(shown, members)
    n_masked = int(targets.is_masked.sum())
    for name, pointers, first, last in (
        ("phased_neighbour", neighbours.identifiers, starts, starts),
        ("phase_set_neighbour", neighbours.phase_sets, starts, starts),
        ("mate_kept", neighbours.mates, starts, starts),
        ("star_neighbour", neighbours.stars, starts + 1, ends),
        ("odd_neighbour", neighbours.odd, starts, starts),
        ("allele_elsewhere", neighbours.spelled, starts, starts),
        ("repeat_elsewhere", neighbours.spelled_repeats, starts, starts),
        ("named_elsewhere", neighbours.named, starts, starts),
    ):
        if pointers.places:
            n_sites, places = _by_site(candidates, targets, pointers.between(contigs, first, last) & hidden)
            exposures += found(name, n_sites, n_masked, places, severities)
    return exposures


def _neighbours(scan: VcfScan, targets: Targets, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Find masked repeats with an unmasked repeat of the same motif close by."""
    candidates = scan.candidates
    masked = targets.candidates[targets.is_repeat & targets.is_masked]
    shown = np.flatnonzero(candidates.marked(Mark.REPEAT_KEPT))
    keys = _places(candidates, shown)
    shown, keys = shown[np.argsort(keys)], np.sort(keys)
    own = _places(candidates, masked)
    lows = np.searchsorted(keys, own - NEIGHBOUR_WINDOW)
    highs = np.searchsorted(keys, own + NEIGHBOUR_WINDOW, side="right")
    close = [
        int(masked[i])
        for i in np.flatnonzero(highs > lows).tolist()
        if _has_neighbour(candidates, int(masked[i]), shown[lows[i] : highs[i]])
    ]
    places = candidates.places(np.array(close, dtype=np.int64))
    return found("repeat_neighbour", len(close), len(masked), places, severities, window=NEIGHBOUR_WINDOW)


def _has_neighbour(candidates: Candidates, site: int, others: Offsets) -> bool:
    elsewhere = candidates.positions[others] != candidates.positions[site]
    return bool(np.any(elsewhere & (candidates.motifs[others] == candidates.motifs[site])))


def _places(candidates: Candidates, which: Offsets) -> Offsets:
    """Return one sortable number per candidate: contig, then position."""
    contigs, positions = (
        candidates.contigs[which].astype(np.int64),
        candidates.positions[which].astype(np.int64),
    )
    return (contigs << 40) + np.minimum(positions, 1 << 39)


def _added(scan: VcfScan, targets: Targets, settings: VcfSettings) -> list[Exposure]:
    """Find added records that may be masked ones, moved: close to a masked site, or rare by their INFO."""
    added = scan.neighbours.added
    if scan.level == "low" or not added.places:
        return []
    candidates, masked = scan.candidates, targets.candidates[targets.is_masked]
    positions = candidates.positions[masked].astype(np.int64)
    starts = np.maximum(positions - NEIGHBOUR_WINDOW, 0)
    close = masked[added.between(candidates.contigs_of(masked), starts, positions + NEIGHBOUR_WINDOW)]
    places = candidates.places(close)
    n_rare = added.n_rare(settings.maf_threshold)
    return [
        *found(
            "added_neighbour", len(close), len(masked), places, settings.severities, window=NEIGHBOUR_WINDOW
        ),
        *found("rare_added", n_rare, scan.n_anonymized, (), settings.severities),
    ]


def _level(scan: VcfScan, targets: Targets, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Say which variants the low level left unverified, and whether the file's name gave the level."""
    if scan.level != "low":
        return []
    left = targets.candidates[~targets.is_masked]
    unnamed = original_name(scan.anonymized_name) is not None and not names_level(scan.anonymized_name)
    return [
        *found("level_assumed", int(unnamed), 1, (), severities),
        *found(
            "variants_not_verified",
            len(left),
            len(targets.candidates),
            scan.candidates.places(left),
            severities,
        ),
    ]


def _donors(scan: VcfScan, targets: Targets, severities: Mapping[str, Verdict]) -> list[Exposure]:
    affected = targets.candidates[scan.candidates.marked(Mark.SOLE_CARRIER, targets.candidates)]
    places = scan.candidates.places(affected)
    return found("sole_carrier", len(affected), len(targets.candidates), places, severities)


def _other_frequencies(scan: VcfScan, settings: VcfSettings) -> list[Exposure]:
    """Say which records a second frequency calls rare that had not to be masked by the first."""
    if scan.level == "low":
        return []
    rare = scan.rarer_elsewhere.below(settings.maf_threshold)
    return found("rare_by_another_frequency", len(rare), scan.n_anonymized, rare, settings.severities)


def _words(scan: VcfScan, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Say which fields of the anonymized records speak of people; examples are fields, never values."""
    return [
        exposure
        for one in scan.words
        for exposure in found(
            one.check, one.n_found, one.of, one.fields, severities, fields=", ".join(one.fields[:N_KEYS])
        )
    ]


def _contigs(scan: VcfScan, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """Say which contigs some samples have and others have not; the low level leaves all variants."""
    contigs = scan.contigs_of_some if scan.level == "high" else ()
    return found("contig_of_some", len(contigs), len(contigs), contigs, severities)


def _integrity(scan: VcfScan, settings: VcfSettings) -> list[Exposure]:
    severities = settings.severities
    exposures: list[Exposure] = []
    counted = "repeat_counted" if scan.level == "high" else "repeat_not_named"
    for name, tally, of in (
        ("records_removed", scan.removed, scan.n_original),
        ("records_added", scan.added, scan.n_anonymized),
        ("repeats_added", scan.added_repeats, scan.n_anonymized),
        ("alleles_shown", scan.alleles_shown, scan.n_anonymized),
        ("genotypes_changed", scan.genotypes_changed, scan.n_original),
        ("reference_changed", scan.reference_changed, scan.n_original),
        ("extra_columns", scan.extra_columns, scan.n_anonymized),
        ("repeat_not_named", scan.repeats_unnamed, scan.n_with_alt),
        (counted, scan.repeats_counted, scan.n_with_alt),
    ):
        exposures += found(name, tally.n, of, tally.places, severities)
    if scan.new:
        n, columns = scan.something_new, listed(scan.new, at_most=N_KEYS)
        exposures += found("something_new", n.n, scan.n_anonymized, n.places, severities, columns=columns)
    ways = [name for name, maf in scan.several_ways if not maf < settings.maf_threshold]
    columns = listed(ways, at_most=N_KEYS)
    exposures += found("blank_in_several_ways", len(ways), 1, (), severities, columns=columns)
    return exposures + found("records_reordered", scan.reordered, scan.n_anonymized, (), severities)


def _own_frequencies(
    scan: VcfScan, maf_threshold: float, severities: Mapping[str, Verdict]
) -> list[Exposure]:
    """Say where frequencies are of the file's own donors, too few for a rare variant to show as rare."""
    few = [(n_alleles, n) for n_alleles, n in scan.own_frequencies if n_alleles * maf_threshold <= 1]
    n, of = sum(n for _, n in few), scan.n_frequencies_seen
    if not few or n < SOME_SHARE * of:
        return []
    name = "frequencies_own" if n > of / 2 else "some_frequencies_own"
    return found(
        name,
        n,
        of,
        (),
        severities,
        alleles=max(n_alleles for n_alleles, _ in few),
        threshold=Written(f"{maf_threshold:.15g}"),
    )


def _assessability(scan: VcfScan, settings: VcfSettings, *, nothing: bool) -> list[Exposure]:
    """Say what could not be assessed."""
    severities, maf_threshold = settings.severities, settings.maf_threshold
    exposures = found("nothing_to_verify", 1, 1, (), severities) if nothing else []
    if scan.n_original == scan.n_anonymized == 0:
        return exposures + found("no_records", 1, 1, (), severities)
    if scan.level == "low":
        return exposures
    exposures += found(
        "declaration_hides_frequency", scan.hindered.n, scan.n_with_alt, scan.hindered.places, severities
    )
    exposures += _own_frequencies(scan, maf_threshold, severities)
    unknown = scan.n_without_frequency - scan.hindered.n
    if unknown and unknown == scan.n_with_alt - np.count_nonzero(scan.candidates.marked(Mark.REPEAT)):
        return exposures + found("no_frequency_at_all", unknown, scan.n_with_alt, (), severities)
    return exposures + found("frequency_unknown", unknown, scan.n_with_alt, (), severities)
