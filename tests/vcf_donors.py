"""Simulated people and their VCF files: independent variants, two copies each."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.vcf.files import VcfFile
from tests.vcf_files import bgzf

Person = npt.NDArray[np.int8]  # (variants, 2)
HEADER = (
    "##fileformat=VCFv4.2",
    '##INFO=<ID=AF,Number=A,Type=Float,Description="x">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">',
)
COLUMNS = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
SPACING = 100_000  # bases between two variants
PER_CONTIG = 1_000


def people(n: int, frequencies: npt.NDArray[np.float64], rng: np.random.Generator) -> list[Person]:
    """Return people with no common ancestors."""
    return [(rng.random((len(frequencies), 2)) < frequencies[:, None]).astype(np.int8) for _ in range(n)]


def child(first: Person, second: Person, rng: np.random.Generator) -> Person:
    """Return a child: one copy of each parent at every variant, the variants independent."""
    rows = np.arange(len(first))
    return np.stack([one[rows, rng.integers(0, 2, len(rows))] for one in (first, second)], axis=1)


def donor_file(
    name: str,
    group: Sequence[Person],
    frequencies: npt.NDArray[np.float64] | None = None,
    *,
    contig: str = "chr{}",
    exchanged: bool = False,
    alleles: Sequence[str] = ("AG",),
    fields: str = "",
) -> VcfFile:
    """Return the people's file; frequencies are stated in INFO where they are given.

    REF and ALT of the variants are `alleles`, in turn.
    """
    lines = [*HEADER, "\t".join([COLUMNS, *(f"P{i}" for i in range(len(group)))])]
    for i, row in enumerate(np.stack(group, axis=1).tolist()):
        place = f"{contig.format(i // PER_CONTIG + 1)}\t{(i % PER_CONTIG + 1) * SPACING}"
        ref, alt = alleles[i % len(alleles)][:: -1 if exchanged else 1]
        info = "." if frequencies is None else f"AF={frequencies[i]:.4f}"
        calls = "\t".join(f"{abs(a - exchanged)}/{abs(b - exchanged)}{fields}" for a, b in row)
        lines.append(f"{place}\t.\t{ref}\t{alt}\t.\t.\t{info}\tGT{':DP' if fields else ''}\t{calls}")
    return VcfFile(name=name, content=bgzf(("\n".join(lines) + "\n").encode()))
