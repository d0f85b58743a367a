"""Contigs that some samples have and others have not, such as those of a virus: no frequency masks these."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from core.vcf.carriers import BY_CHANCE
from core.vcf.neighbours import plain_contig
from core.vcf.rows import FORMAT, SAMPLES, Rows

MOST_RECORDS, MOST_CELLS = 50, 20_000  # of a contig, that are looked at; of large files fewer records
FEWEST_RECORDS = 3
MOST_MISSING, FEWEST_MISSING = 0.1, 0.01  # share of genotypes from which nothing is told; taken at least
_OF_HUMANS = re.compile(rb"[1-9]|1[0-9]|2[0-2]|x|y|mt")
_OF_SEX = re.compile(rb"[xy](?:$|_)")


class ContigCalls:
    """Takes the first records of each contig of the anonymized file."""

    def __init__(self, n_samples: int) -> None:
        self._n_samples = n_samples
        self._most = min(MOST_RECORDS, max(FEWEST_RECORDS, MOST_CELLS // max(n_samples, 1)))
        self._n_records: Counter[bytes] = Counter()
        self._n_called: dict[bytes, Counter[int]] = {}  # of contigs that are no human chromosomes
        self._known: set[bytes] = set()  # contigs with a frequency
        self._n_missing = self._n_cells = 0  # of the chromosomes

    def read(self, kept: Rows, mafs: npt.NDArray[np.float64]) -> None:
        """Read records; frequencies are infinite where a site has none that is computable."""
        if self._n_samples < 2:
            return
        for contig, low, high in kept.contigs:
            if np.any(mafs[low:high] < np.inf):
                self._known.add(contig)
            for place in range(low, high):
                if self._n_records[contig] >= self._most:
                    break
                self._take(contig, kept.block[place].split(b"\t", SAMPLES))

    def _take(self, contig: bytes, columns: list[bytes]) -> None:
        if len(columns) <= SAMPLES or not columns[FORMAT].startswith(b"GT"):
            return
        samples = columns[SAMPLES]
        n_missing = (b"\t" + samples).count(b"\t.")
        if n_missing == self._n_samples:
            return  # masked for all
        self._n_records[contig] += 1
        if _OF_HUMANS.fullmatch(plain_contig(contig)):
            self._n_missing += n_missing
            self._n_cells += self._n_samples
        else:
            called = self._n_called.setdefault(contig, Counter())
            called.update(at for at, cell in enumerate(samples.split(b"\t")) if cell[:1] != b".")

    def told(self) -> Iterator[str]:
        """Yield contigs without frequencies of which some samples have no genotype and others most."""
        share = self._n_missing / self._n_cells if self._n_cells else 1.0
        for contig, called in self._n_called.items() if share <= MOST_MISSING else ():
            n_records = self._n_records[contig]
            n_absent = self._n_samples - len(called)
            is_partly = n_absent > 0 and any(2 * n >= n_records for n in called.values())
            by_chance = max(share, FEWEST_MISSING) ** (n_records * n_absent)
            is_told = n_records >= FEWEST_RECORDS and is_partly and by_chance < BY_CHANCE
            if is_told and contig not in self._known and not _OF_SEX.match(plain_contig(contig)):
                yield contig.decode("utf-8", "backslashreplace")
