"""Run kinds of leaks and of proper releases, and count what the auditor says of them."""

from __future__ import annotations

import importlib
import os
import time
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
    """What the auditor said of one scenario of a kind, and of its control."""

    tool: str
    kind: str
    family: str
    leaky: bool
    scenario: Scenario
    verdict: Verdict
    control: Verdict | None
    found: bool
    seconds: float


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
    started = time.perf_counter()
    verdict = kind.judge(scenario)
    seconds = time.perf_counter() - started
    return Trial(
        tool=kind.tool,
        kind=kind.name,
        family=kind.family,
        leaky=kind.leaky,
        scenario=scenario,
        verdict=verdict,
        control=kind.control(scenario) if kind.control else None,
        found=kind.leaky and verdict.severity >= kind.at_least.severity,
        seconds=seconds,
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
            scenario=t.scenario,
            verdict=t.control,
            control=None,
            found=False,
            seconds=0.0,
        )
        for t in trials
        if t.control is not None
    ]


def summary_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a Markdown table: a line a tool."""
    lines = [
        "| tool | kinds of leaks | found | of these FAIL | kinds of proper releases | PASS | false FAIL | controls PASS |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for tool, group in groupby(sorted(trials, key=lambda t: TOOLS.index(t.tool)), key=lambda t: t.tool):
        of_tool = list(group)
        leaks = [t for t in of_tool if t.leaky]
        proper = [t for t in of_tool if not t.leaky]
        cells = [
            tool,
            f"{len({t.kind for t in leaks})}",
            str(rate(leaks, lambda t: t.found)),
            str(rate(leaks, lambda t: t.verdict is Verdict.FAIL)),
            f"{len({t.kind for t in proper})}",
            str(rate(proper, lambda t: t.verdict is Verdict.PASS)),
            str(rate(proper, lambda t: t.verdict is Verdict.FAIL)),
            str(rate(controls(leaks), lambda t: t.verdict is Verdict.PASS)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def family_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a Markdown table: a line for each family of leaks or of proper releases."""
    lines = ["| tool | family | kinds | found, or PASS where proper | FAIL |", "|---|---|---|---|---|"]
    key = lambda t: (TOOLS.index(t.tool), not t.leaky, t.family)
    for (_, proper, family), group in groupby(sorted(trials, key=key), key=key):
        of_family = list(group)
        good = rate(of_family, lambda t: t.found if t.leaky else t.verdict is Verdict.PASS)
        failed = rate(of_family, lambda t: t.verdict is Verdict.FAIL)
        what = f"{'proper: ' if proper else ''}{family}"
        lines.append(f"| {of_family[0].tool} | {what} | {good and good.n_kinds} | {good} | {failed} |")
    return lines


def wrong_lines(trials: Sequence[Trial]) -> list[str]:
    """Return a line for each trial that was judged wrongly, controls among them."""
    wrong = [t for t in trials if t.leaky and not t.found]
    wrong += [t for t in [*trials, *controls(trials)] if not t.leaky and t.verdict is not Verdict.PASS]
    return [
        f"{t.tool} {t.kind}: {t.verdict.value} (n={t.scenario.n_records}, schema={t.scenario.schema or '-'}, "
        f"{'reordered' if t.scenario.reordered else 'in order'}, seed={t.scenario.seed})"
        for t in wrong
    ]
