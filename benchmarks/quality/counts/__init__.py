"""Tables of counts: what their cells and totals give away, and tables that give nothing away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from benchmarks.quality.scoreboard import Kind, Scenario, leak_of
from core.counts import audit_counts
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, worst

KINDS: list[Kind] = []
SIZES = (4, 7)  # regions
_ALL = "Total"
Cell = tuple[str, ...]
Made = Callable[["Counts", bool], None]


@dataclass(kw_only=True, eq=False)
class Counts:
    """Counts from 20 on by region, age and sex, with all totals."""

    rng: np.random.Generator
    categories: dict[str, list[str]]
    cells: dict[Cell, int]
    hidden: dict[Cell, str] = field(default_factory=dict)  # cells and totals that are suppressed, and how
    left_out: set[Cell] = field(default_factory=set)  # that have no row
    sensitive: tuple[str, ...] = ()
    more: dict[str, dict[Cell, object]] = field(default_factory=dict)  # further columns of counts
    figures: dict[str, dict[Cell, object]] = field(default_factory=dict)  # shares and averages
    sums: dict[str, dict[str, Sequence[str]]] = field(default_factory=dict)  # categories that sum others up
    others: list[Counts] = field(default_factory=list)
    amounts: str = ""  # contributions instead of counts
    has_totals: bool = True

    def total(self, of: Cell) -> int:
        """Return the count of a cell or total."""
        return sum(
            n
            for cell, n in self.cells.items()
            if all(
                here in (there, _ALL) or there in self.sums.get(column, {}).get(here, ())
                for column, here, there in zip(self.categories, of, cell, strict=True)
            )
        )

    def listed(self) -> Iterator[Cell]:
        """Yield the cells and totals in the order of the table, sums before what they are of."""
        axes = []
        for column, names in self.categories.items():
            inside = {part: whole for whole, parts in self.sums.get(column, {}).items() for part in parts[:1]}
            each = [name for part in names for name in ([inside[part]] if part in inside else []) + [part]]
            axes.append([*each, _ALL] if self.has_totals else each)
        yield from product(*axes)

    def dataset(self, name: str = "counts.csv") -> Dataset:
        """Return the table as it would be read."""
        if self.amounts:
            return read_dataset(self.amounts.encode(), name=name)
        lines = [",".join((*self.categories, "n", *self.more, *self.figures))]
        lines += [
            ",".join(
                (
                    *cell,
                    self.hidden.get(cell, str(self.total(cell))),
                    *(str(c[cell]) for c in self.more.values()),
                    *(str(c.get(cell, "")) for c in self.figures.values()),
                )
            )
            for cell in self.listed()
            if cell not in self.left_out
        ]
        return read_dataset(("\n".join(lines) + "\n").encode(), name=name)

    def verdict(self) -> Verdict:
        """Return the worst of the audit's findings, what to suppress aside."""
        audit = audit_counts(
            self.dataset(),
            counts=[] if self.amounts else ["n", *self.more],
            dimensions=[*self.categories, *self.figures],
            sensitive=self.sensitive,
            magnitude="turnover" if self.amounts else None,
            contributor="firm" if self.amounts else None,
            others=[each.dataset("other.csv") for each in self.others],
        )
        return worst(
            [Verdict.PASS, *(each.verdict for each in audit.findings if each.check != "suppression")]
        )

    def hide(self, *cells: Cell, as_: str = "*") -> None:
        """Suppress cells and totals."""
        self.hidden |= dict.fromkeys(cells, as_)


def _counts(scenario: Scenario) -> Counts:
    rng = scenario.rng("counts")
    categories = {
        "region": [f"region {'ABCDEFGHIJ'[at]}" for at in range(scenario.n_records)],
        "age": ["0-17", "18-44", "45-64", "65+"],
        "sex": ["F", "M"],
    }
    cells = {cell: int(rng.integers(20, 200)) for cell in product(*categories.values())}
    return Counts(rng=rng, categories=categories, cells=cells)


def leak(family: str, *, at_least: Verdict = Verdict.FAIL) -> Callable[[Made], Made]:
    """Register what plants a leak (True) or its harmless twin (False) in a table of counts."""

    def register(make: Made) -> Made:
        def judged(scenario: Scenario, leaky: bool) -> Verdict:
            counts = _counts(scenario)
            make(counts, leaky)
            return counts.verdict()

        KINDS.append(leak_of("counts", make.__name__, judged, family=family, at_least=at_least, sizes=SIZES))
        return make

    return register


def clean(make: Callable[[Counts], None]) -> Callable[[Counts], None]:
    """Register what makes a table that gives nobody away."""

    def judged(scenario: Scenario) -> Verdict:
        counts = _counts(scenario)
        make(counts)
        return counts.verdict()

    KINDS.append(
        Kind(
            tool="counts",
            name=make.__name__.replace("_", " ").strip(),
            family="proper",
            leaky=False,
            judge=judged,
            sizes=SIZES,
            orders=(False,),
        )
    )
    return make


def _cell(c: Counts, region: int = 0, age: int = 0, sex: int = 0) -> Cell:
    return tuple(each[at] for each, at in zip(c.categories.values(), (region, age, sex), strict=True))


# Small cells


@leak("small")
def _a_small_total_of_unlisted_cells(c: Counts, leaky: bool) -> None:
    c.left_out = set(c.cells)
    for age, sex in product(range(4), range(2)):
        c.cells[_cell(c, 1, age, sex)] = int((age, sex) == (0, 0)) * (2 if leaky else 400)
    if not leaky:
        c.cells = {cell: n + 400 for cell, n in c.cells.items()}


# What totals tell of suppressed cells


def _block(c: Counts) -> None:
    """Suppress a block of two by two by two, of which nothing follows."""
    c.hide(*(_cell(c, *at) for at in product(range(2), range(2), range(2))))


@leak("recoverable", at_least=Verdict.WARN)
def _a_block_that_can_be_two_values(c: Counts, leaky: bool) -> None:
    _block(c)
    if leaky:
        c.cells[_cell(c)] = c.cells[_cell(c, 0, 0, 1)] = 1


@leak("recoverable")
def _suppressed_as_below_five_and_their_sum_is_eight(c: Counts, leaky: bool) -> None:
    for at in product(range(2), range(2), range(2)):
        c.cells[_cell(c, *at)] = 4 if leaky else 2 + sum(at) % 2
    _block(c)
    c.hidden = dict.fromkeys(c.hidden, "<5")
    if not leaky:
        c.hidden = {}
        c.cells = {cell: n + 20 for cell, n in c.cells.items()}


# Differences


@leak("differences")
def _bands_of_which_one_holds_the_other(c: Counts, leaky: bool) -> None:
    c.has_totals = False
    for region, sex in product(c.categories["region"], c.categories["sex"]):
        c.cells[region, "18-49", sex] = c.cells[region, "18-44", sex] + (3 if leaky else 30)
    c.categories["age"].append("18-49")


# Categories that are sums of others, and figures


def _quarters(c: Counts) -> None:
    """Put quarters and their year in the place of ages, without any other total over them."""
    old, c.categories["age"] = c.categories["age"], [f"2024-Q{at}" for at in range(1, 5)]
    names = dict(zip(old, c.categories["age"], strict=True))
    c.cells = {(region, names[age], sex): n for (region, age, sex), n in c.cells.items()}
    c.sums["age"] = {"2024": c.categories["age"]}
    c.left_out = {cell for cell in c.listed() if cell[1] == _ALL}


@leak("sums")
def _a_quarter_suppressed_and_the_year_shown(c: Counts, leaky: bool) -> None:
    _quarters(c)
    c.hide(_cell(c))
    if not leaky:
        _block(c)


@leak("figures")
def _an_average_where_the_count_is_suppressed(c: Counts, leaky: bool) -> None:
    _block(c)
    income = {cell: f"{c.rng.uniform(900, 2500):.2f}" for cell in c.listed()}
    c.figures["mean_income"] = {cell: each for cell, each in income.items() if leaky or cell not in c.hidden}


def _earlier_averages(c: Counts, leaky: bool, *, is_sum: bool) -> None:
    """Let people of one cell come who earn 9,000 each, and show what all earn before and after."""
    before = Counts(rng=c.rng, categories=c.categories, cells=dict(c.cells), has_totals=False)
    c.has_totals, came, here = False, 2 if leaky else 20, _cell(c)
    sums = {cell: round(c.rng.uniform(900, 2500) * n) for cell, n in c.cells.items()}
    c.cells[here] += came
    for each, more in ((c, came * 9000), (before, 0)):
        named = "sum_income" if is_sum else "mean_income"
        each.figures[named] = {
            cell: n if is_sum else f"{n / each.cells[cell]:.2f}"
            for cell, n in {**sums, here: sums[here] + more}.items()
        }
    c.others = [before]


@leak("figures")
def _averages_before_and_after_two_came(c: Counts, leaky: bool) -> None:
    _earlier_averages(c, leaky, is_sum=False)


# Groups, and amounts


@leak("groups")
def _everybody_of_a_group_has_it(c: Counts, leaky: bool) -> None:
    c.categories["sex"], c.sensitive = ["ill", "well"], ("sex",)
    c.cells = {(*cell[:2], {"F": "ill", "M": "well"}[cell[2]]): n for cell, n in c.cells.items()}
    if leaky:
        c.cells[(*_cell(c)[:2], "well")] = 0


def _firms(c: Counts, largest: float, second: float) -> None:
    c.categories = {"region": c.categories["region"]}
    rows = [
        f"{region},f{at},{amount}"
        for region in c.categories["region"]
        for at, amount in enumerate((largest, second, *[10] * 20) if region.endswith("A") else [10] * 20)
    ]
    c.amounts = "\n".join(["region,firm,turnover", *rows]) + "\n"


@leak("amounts")
def _a_firm_with_nearly_all(c: Counts, leaky: bool) -> None:
    _firms(c, 9000 if leaky else 20, 10)


@leak("amounts")
def _the_second_firm_knows_the_first(c: Counts, leaky: bool) -> None:
    _firms(c, 3000 if leaky else 20, 2900 if leaky else 15)


# Proper


@clean
def _a_block_suppressed_in_three_dimensions(c: Counts) -> None:
    _block(c)


@clean
def _all_suppressed_but_the_totals_of_regions(c: Counts) -> None:
    c.left_out = {
        (*cell[:1], *rest) for cell in c.cells for rest in product([*c.categories["age"], _ALL], ["F", "M"])
    }
    c.left_out |= {(_ALL, *rest) for rest in product([*c.categories["age"], _ALL], ["F", "M"])}
    c.left_out |= {
        (region, age, _ALL) for region in [*c.categories["region"], _ALL] for age in c.categories["age"]
    }


@clean
def _large_counts_with_averages_and_shares(c: Counts) -> None:
    ill = {cell: n // 3 + 5 for cell, n in c.cells.items()}
    c.figures["percent_ill"] = {cell: f"{100 * n / c.cells[cell]:.1f}" for cell, n in ill.items()}
    c.figures["mean_age"] = {cell: f"{c.rng.uniform(20, 80):.1f}" for cell in c.listed()}


@clean
def _another_table_of_another_year(c: Counts) -> None:
    moved = {cell: n + int(c.rng.integers(10, 60)) for cell, n in c.cells.items()}
    c.others = [Counts(rng=c.rng, categories=c.categories, cells=moved)]


@clean
def _tested_and_positive(c: Counts) -> None:
    c.has_totals = False
    c.more["positive"] = {cell: n // 3 for cell, n in c.cells.items()}
