"""Run kinds of leaks and of proper releases, and count what the auditor says of them."""

from __future__ import annotations

import importlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from scipy.stats import beta

from core.verdict import Verdict

TOOLS = (
    *("tabular", "vcf", "leakage", "events", "risk"),
    *("deliveries", "declared", "releases", "counts", "texts"),
)
SIZES = (200, 1000)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What a kind is tried on.

    Attributes
    ----------
    seed
        Of everything random.
    n_records
        Records, participants, users or sites, whatever the tool counts.
    schema
        Name of a schema, out of those that the kind says it fits.
    reordered
        Whether the released records stand in another order than the original's.
    """

    seed: int
    n_records: int
    schema: str = ""
    reordered: bool = False

    def __str__(self) -> str:
        order = "reordered" if self.reordered else "in order"
        return f"n={self.n_records}, schema={self.schema or '-'}, {order}, seed={self.seed}"

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a generator of its own for one purpose, so that a leak does not move its control."""
        return np.random.default_rng(
            [self.seed, self.n_records, zlib.crc32(f"{self.schema} {purpose}".encode())]
        )


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One way of leaking, or one proper way of anonymizing.

    Attributes
    ----------
    tool, name, family
        The tool it is for; its own name, unique in the tool; the class of leaks it stands for.
    leaky
        Whether a careful person would object.
    judge
        Makes the input of a scenario, audits it and returns the overall verdict.
    control
        The same without the leak; None for proper kinds.
    at_least
        Of a leak: the mildest verdict that counts as found.
    sizes, schemas
        What it makes sense on.
    orders
        Whether it is tried with the order kept (False) and changed (True).
    """

    tool: str
    name: str
    family: str
    leaky: bool
    judge: Callable[[Scenario], Verdict]
    control: Callable[[Scenario], Verdict] | None = None
    at_least: Verdict = Verdict.FAIL
    sizes: Sequence[int] = SIZES
    schemas: Sequence[str] = ("",)
    orders: Sequence[bool] = (False, True)

    def __post_init__(self) -> None:
        if self.leaky != (self.control is not None):
            raise ValueError(f"{self.tool} {self.name}: a leak has a control, a proper kind has none.")

    def scenarios(self, n: int, *, largest: int, first_seed: int = 0) -> Iterator[Scenario]:
        """Yield `n` scenarios that go round sizes, schemas and orders, each at its own pace."""
        sizes = [size for size in self.sizes if size <= largest] or [min(self.sizes)]
        start = zlib.crc32(f"{self.tool} {self.name}".encode()) + first_seed
        for number in range(start, start + n):
            yield Scenario(
                seed=number,
                n_records=sizes[number % len(sizes)],
                schema=self.schemas[number % len(self.schemas)],
                reordered=self.orders[number // len(sizes) % len(self.orders)],
            )


def leak_of(
    tool: str,
    name: str,
    judged: Callable[[Scenario, bool], Verdict],
    *,
    family: str,
    at_least: Verdict,
    sizes: Sequence[int],
) -> Kind:
    """Return a leak that is judged with it (True) and, as its control, without (False), in one order."""
    return Kind(
        tool=tool,
        name=name.replace("_", " ").strip(),
        family=family,
        leaky=True,
        judge=lambda scenario: judged(scenario, True),
        control=lambda scenario: judged(scenario, False),
        at_least=at_least,
        sizes=sizes,
        orders=(False,),
    )


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What the auditor said of one scenario of a kind, or of a case that somebody brought.

    Attributes
    ----------
    verdict
        None where the input was refused.
    right
        Whether that is what a careful person would say: of a leak, that it was found.
    place
        What was tried, in words.
    control
        The verdict on the same without the leak; None where there is no such thing.
    """

    tool: str
    kind: str
    family: str
    leaky: bool
    verdict: Verdict | None
    right: bool
    place: str = ""
    control: Verdict | None = None


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A share of trials, the kinds counted alike, with its 95 % interval over kinds (Clopper and Pearson 1934)."""

    share: float
    n_kinds: int
    n_trials: int
    interval: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        hits = self.share * self.n_kinds
        low = beta.ppf(0.025, hits, self.n_kinds - hits + 1) if hits > 0 else 0.0
        high = beta.ppf(0.975, hits + 1, self.n_kinds - hits) if hits < self.n_kinds else 1.0
        object.__setattr__(self, "interval", (float(low), float(high)))

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.1%} ({low:.0%}–{high:.0%})".replace("%", " %")


def kinds_of(tool: str) -> tuple[Kind, ...]:
    """Return the kinds of a tool; their names are unique."""
    kinds: tuple[Kind, ...] = importlib.import_module(f"benchmarks.quality.{tool}").KINDS
    names = [kind.name for kind in kinds]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{tool}: kinds share names: {', '.join(repeated)}")
    return kinds


def try_kind(kind: Kind, scenario: Scenario) -> Trial:
    """Judge one scenario of a kind and, of a leak, its control."""
    verdict = kind.judge(scenario)
    is_found = verdict.severity >= kind.at_least.severity
    return Trial(
        tool=kind.tool,
        kind=kind.name,
        family=kind.family,
        leaky=kind.leaky,
        verdict=verdict,
        right=is_found if kind.leaky else verdict is Verdict.PASS,
        place=str(scenario),
        control=kind.control(scenario) if kind.control else None,
    )


def run_tool(
    tool: str, *, n_scenarios: int, largest: int, first_seed: int, only: Sequence[str]
) -> list[Trial]:
    """Try every kind of a tool, or those named, on two processes."""
    names = [kind.name for kind in kinds_of(tool) if not only or kind.name in only]
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        tasks = [pool.submit(_try_named, tool, name, n_scenarios, largest, first_seed) for name in names]
        return [trial for task in tasks for trial in task.result()]


def _try_named(tool: str, name: str, n_scenarios: int, largest: int, first_seed: int) -> list[Trial]:
    kind = next(kind for kind in kinds_of(tool) if kind.name == name)
    scenarios = kind.scenarios(n_scenarios, largest=largest, first_seed=first_seed)
    return [try_kind(kind, scenario) for scenario in scenarios]


def rate(trials: Iterable[Trial], hit: Callable[[Trial], bool]) -> Rate | None:
    """Return the share of hits, each kind weighing alike; None of no trials."""
    by_kind: dict[str, list[bool]] = {}
    for trial in trials:
        by_kind.setdefault(trial.kind, []).append(hit(trial))
    if not by_kind:
        return None
    share = float(np.mean([np.mean(hits) for hits in by_kind.values()]))
    return Rate(share=share, n_kinds=len(by_kind), n_trials=sum(map(len, by_kind.values())))


def controls(trials: Iterable[Trial]) -> list[Trial]:
    """Return the controls of leaks as trials of proper releases."""
    return [
        Trial(
            tool=t.tool,
            kind=f"control of {t.kind}",
            family=t.family,
            leaky=False,
            verdict=t.control,
            right=t.control is Verdict.PASS,
            place=t.place,
        )
        for t in trials
        if t.control is not None
    ]


def summary_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a Markdown table: a line a tool."""
    return _table(
        (
            *("tool", "kinds of leaks", "found", "not PASS", "FAIL"),
            *("kinds of proper releases", "PASS", "false FAIL", "controls PASS"),
        ),
        (
            _summary(tool, [*of_tool])
            for tool, of_tool in groupby(sorted(trials, key=_by_tool), lambda t: t.tool)
        ),
    )


def _summary(tool: str, trials: Sequence[Trial]) -> tuple[object, ...]:
    leaks, proper = ([t for t in trials if t.leaky is which] for which in (True, False))
    return (
        tool,
        len({t.kind for t in leaks}),
        rate(leaks, lambda t: t.right),
        rate(leaks, lambda t: t.verdict is not Verdict.PASS),
        rate(leaks, lambda t: t.verdict is Verdict.FAIL),
        len({t.kind for t in proper}),
        rate(proper, lambda t: t.verdict is Verdict.PASS),
        rate(proper, lambda t: t.verdict is Verdict.FAIL),
        rate(controls(leaks), lambda t: t.right),
    )


def family_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a Markdown table: a line for each family of leaks or of proper releases."""
    key = lambda t: (_by_tool(t), not t.leaky, t.family)
    rows: list[tuple[object, ...]] = []
    for (_, proper, family), group in groupby(sorted(trials, key=key), key=key):
        of_family = list(group)
        good = rate(of_family, lambda t: t.right)
        failed = rate(of_family, lambda t: t.verdict is Verdict.FAIL)
        what = f"{'proper: ' if proper else ''}{family}"
        rows.append((of_family[0].tool, what, good and good.n_kinds, good, failed))
    return _table(("tool", "family", "kinds", "found, or let pass where proper", "FAIL"), rows)


def wrong_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a line for each trial that was judged wrongly, controls among them."""
    wrong = [t for t in [*trials, *controls(trials)] if not t.right]
    return [f"{t.tool} {t.kind}: {t.verdict or 'refused'} ({t.place})" for t in wrong]


def _by_tool(trial: Trial) -> tuple[int, str]:
    return TOOLS.index(trial.tool) if trial.tool in TOOLS else len(TOOLS), trial.tool


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    cells = (("–" if cell is None else str(cell) for cell in row) for row in rows)
    return [*(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *cells))]
