"""Original cohort VCF files about invented donors, how a careful person masks them, and what the auditor says.

The careful person replaces the command line and the reference's path, renames the donors, and blanks ALT, ID, INFO,
quality and every donor's fields at each rare site and each short tandem repeat.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pysam

from benchmarks.quality.scoreboard import Kind, Scenario
from core.vcf.files import VcfFile
from core.vcf.outcomes import judge_outcome, run_scan
from core.vcf.pairing import pair_files
from core.vcf.settings import VcfSettings
from core.verdict import Verdict

SCHEMAS = ("one donor", "trio", "cohort")
ASK = Verdict.WARN  # a careful person would ask, not refuse
HEADER = (
    "##fileformat=VCFv4.2",
    "##cmdline=/opt/caller/bin/call --bam /data/u/kim/S17.bam --out S17.vcf",
    "##reference=file:///data/ref/GRCh38.fa",
    "##contig=<ID=chr1,length=248956422>",
    "##contig=<ID=chr2,length=242193529>",
    "##contig=<ID=chr3,length=198295559>",
    '##FILTER=<ID=PASS,Description="All filters passed">',
    '##FILTER=<ID=LowQual,Description="Low quality">',
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count of alleles">',
    '##INFO=<ID=AF,Number=A,Type=Float,Description="Frequency of alleles">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="Number of alleles">',
    '##INFO=<ID=MAF,Number=1,Type=Float,Description="Frequency of the minor allele">',
    '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">',
    '##INFO=<ID=DB,Number=0,Type=Flag,Description="In a database">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Depths of alleles">',
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">',
    '##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="Quality of the genotype">',
    '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="Likelihoods">',
)
_SAFE = {HEADER[1]: "##cmdline=.", HEADER[2]: "##reference=GRCh38"}
COLUMNS = ("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO")
MOTIFS = ("CAG", "AT", "GATA", "CTTTT", "A", "GGGGCC")
_SNVS = {"A": "CGT", "C": "AGT", "G": "ACT", "T": "ACG"}


class Record(NamedTuple):
    """A line of a VCF file; `calls` are the donors' fields joined by colons."""

    chrom: str
    pos: int
    id: str
    ref: str
    alt: str
    qual: str
    filter: str
    info: str
    format: str
    calls: tuple[str, ...]

    def with_info(self, text: str) -> Record:
        """Return the record with text added to INFO."""
        return self._replace(info=text if self.info == "." else f"{self.info};{text}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Masking:
    """An original VCF file and what was made of it.

    Attributes
    ----------
    scenario
        What it was made for.
    header, donors, original
        Of the original.
    rare, repeats
        Shape (n_sites,): which records have to be masked, by frequency and as repeats.
    masked_header, masked_donors, masked
        Of the anonymized file; its records may be more or fewer.
    name
        Of the anonymized file.
    """

    scenario: Scenario
    header: Sequence[str]
    donors: Sequence[str]
    original: Sequence[Record]
    rare: np.ndarray
    repeats: np.ndarray
    masked_header: Sequence[str]
    masked_donors: Sequence[str]
    masked: Sequence[Record]
    name: str = "high_0.01_anony_cohort.vcf.gz"

    @property
    def hidden(self) -> np.ndarray:
        """Return which records have to be masked."""
        return self.rare | self.repeats


def cohort(scenario: Scenario) -> Masking:
    """Return a file of donors and its careful masking."""
    rng = scenario.rng("original")
    donors = _donors(scenario, rng)
    records, rare, repeats = _records(scenario.n_records, len(donors), rng)
    hidden = rare | repeats
    return Masking(
        scenario=scenario,
        header=HEADER,
        donors=donors,
        original=records,
        rare=rare,
        repeats=repeats,
        masked_header=[_SAFE.get(line, line) for line in HEADER],
        masked_donors=[f"D{number:03d}" for number in rng.permutation(len(donors)) + 1],
        masked=[blanked(record) if hide else record for record, hide in zip(records, hidden, strict=True)],
    )


def _donors(scenario: Scenario, rng: np.random.Generator) -> list[str]:
    n = {"one donor": 1, "trio": 3}.get(scenario.schema, 40 if scenario.n_records <= 1000 else 6)
    return [f"HN{number}" for number in rng.choice(90_000, n, replace=False) + 10_000]


def _records(n: int, n_donors: int, rng: np.random.Generator) -> tuple[list[Record], np.ndarray, np.ndarray]:
    """Return records at rising positions of three contigs; a tenth is rare, a twentieth a repeat."""
    chosen = rng.random(n)
    repeats = (chosen < 0.05) & (np.arange(n) % 3 == 0)
    repeats[min(4, n - 1)] = True
    rare = (chosen >= 0.05) & (chosen < 0.15)
    rare[[0, n // 2]] = True
    rare &= ~repeats
    frequency = np.where(rare, rng.uniform(0.0002, 0.009, n), rng.uniform(0.03, 0.9, n)).round(5)
    contigs, gaps = np.sort(rng.integers(1, 4, n)), rng.integers(0, 400, n)
    records = []
    for i in range(n):
        longer = chosen[i] > 0.95 or (rare[i] and chosen[i] > 0.14)
        ref, alt = _alleles(rng, repeat=repeats[i], longer=longer, deletion=chosen[i] > 0.97 and not rare[i])
        rs = f"rs{rng.integers(10**6, 10**9)}" if chosen[i] * 1000 % 1 < 0.8 else "."
        qual, info = f"{rng.uniform(30, 900):.1f}", f"AF={frequency[i]:.5f};DP={rng.integers(200, 3000)}"
        calls = _calls(frequency[i], n_donors, rng)
        pos = 10_000 + i * 500 + int(gaps[i])
        records.append(
            Record(f"chr{contigs[i]}", pos, rs, ref, alt, qual, "PASS", info, "GT:AD:DP:GQ:PL", calls)
        )
    return records, rare, repeats


def _alleles(rng: np.random.Generator, *, repeat: bool, longer: bool, deletion: bool) -> tuple[str, str]:
    ref = "ACGT"[rng.integers(4)]
    if repeat:
        return ref, ref + MOTIFS[rng.integers(len(MOTIFS))] * int(rng.integers(8, 20))
    if longer:
        tail = "".join("ACGT"[i] for i in rng.integers(0, 4, 3))
        return (ref + tail, ref) if deletion else (ref, ref + tail)
    return ref, _SNVS[ref][rng.integers(3)]


def _calls(frequency: float, n_donors: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return each donor's fields; somebody carries the allele."""
    counts = rng.binomial(2, frequency, n_donors)
    if not counts.any():
        counts[rng.integers(n_donors)] = 1
    depth = rng.integers(15, 60, n_donors)
    calls = []
    for count, total in zip(counts.tolist(), depth.tolist(), strict=True):
        with_alt = total * count // 2
        likely = ",".join(str(0 if other == count else 40 * abs(other - count)) for other in range(3))
        calls.append(
            f"{('0/0', '0/1', '1/1')[count]}:{total - with_alt},{with_alt}:{total}:{30 + total}:{likely}"
        )
    return tuple(calls)


def blanked(record: Record) -> Record:
    """Return the record as a careful person masks it."""
    alt = "N" if len(record.alt) > 8 else "."
    calls = tuple("./." for _ in record.calls)
    return record._replace(id=".", alt=alt, qual=".", filter=".", info=".", format="GT", calls=calls)


def carries(call: str) -> bool:
    """Return whether a donor's genotype names an ALT allele."""
    return "1" in call.split(":", 1)[0]


def text_of(header: Sequence[str], donors: Sequence[str], records: Sequence[Record]) -> bytes:
    """Write a file as text; without donors it has no FORMAT column."""
    columns = "\t".join([*COLUMNS, *(["FORMAT", *donors] if donors else [])])
    body = io.StringIO()
    for line in (*header, columns):
        body.write(line + "\n")
    for record in records:
        cells = [str(cell) for cell in record[: 9 if donors else 8]]
        body.write("\t".join([*cells, *(record.calls if donors else ())]) + "\n")
    return body.getvalue().encode()


def compressed(text: bytes) -> bytes:
    """Compress text as block gzip, as bgzip does."""
    with os.fdopen(os.memfd_create("vcf"), "w+b") as memory:
        with pysam.BGZFile(f"/proc/self/fd/{memory.fileno()}", "wb") as file:
            file.write(text)
        memory.seek(0)
        return memory.read()


def judged(masking: Masking) -> Verdict:
    """Write both files, pair them by name, verify them, and return the overall verdict."""
    plain = masking.name.endswith(".vcf")
    original = text_of(masking.header, masking.donors, masking.original)
    anonymized = text_of(masking.masked_header, masking.masked_donors, masking.masked)
    pack = (lambda text: text) if plain else compressed
    pairing = pair_files(
        [VcfFile(name=masking.name.partition("anony_")[2], content=pack(original))],
        [VcfFile(name=masking.name, content=pack(anonymized))],
    )
    settings = VcfSettings()
    outcome = judge_outcome(run_scan(pairing.pairs[0], settings), settings)
    return outcome.audit.overall if outcome.audit is not None else Verdict.NOT_ASSESSED


Change = Callable[[Masking, np.random.Generator], Masking]


def plain(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Return the masking as it is."""
    return masking


def at_hidden(
    change: Callable[[Record, Record, np.random.Generator], Record], which: str = "hidden"
) -> Change:
    """Return a change of each masked record, given its original and itself: all, `rare` ones or `repeats`."""

    def whole(masking: Masking, rng: np.random.Generator) -> Masking:
        chosen = getattr(masking, which)
        masked = [
            change(before, after, rng) if hit else after
            for before, after, hit in zip(masking.original, masking.masked, chosen, strict=True)
        ]
        return replace(masking, masked=masked)

    return whole


def _judge(change: Change) -> Callable[[Scenario], Verdict]:
    return lambda scenario: judged(change(cohort(scenario), scenario.rng("change")))


def leak(name: str, family: str, change: Change, **how: Any) -> Kind:
    """Return a kind of leak: what was done to a careful masking, and the careful masking itself."""
    how = {"schemas": SCHEMAS, "orders": (False,), "control": _judge(plain), **how}
    return Kind(tool="vcf", name=name, family=family, leaky=True, judge=_judge(change), **how)


def fine(name: str, family: str, change: Change) -> Kind:
    """Return a proper kind: a careful masking, done in another way."""
    made = {"schemas": SCHEMAS, "orders": (False,), "judge": _judge(change)}
    return Kind(tool="vcf", name=name, family=family, leaky=False, **made)
