"""Tables, charts and the report of the VCF verifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from core.charts import COLORS, HEIGHT
from core.measures import vcf as measures
from core.measures.measure import Unit
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, csv_bytes, current_versions
from core.vcf import CHECKS, MAF_LIMIT, Mark, PairOutcome, VcfAudit
from core.verdict import Finding, Verdict, worst

TITLE = "VCF verifier"
QUESTION = (
    "Was the genome file really masked, site by site, and what in it would still give the masked allele or "
    "the donor away?"
)
LIMITS = (
    (
        "The published rule looks at the header, at short tandem repeats and at rare variants. The common "
        "variants that remain can identify a donor as well: a few dozen are enough."
    ),
    "Rarity is read from INFO. A variant without a frequency there may be rare and is not assessed.",
    (
        "The checks look at this file and its original. What other files, databases or relatives tell is "
        "not in them."
    ),
    "Nothing here calls a file anonymous.",
)
MEASURE_KEYS = tuple(measure.key for measure in measures.MEASURES)
FILE_UNITS: Mapping[str, Unit] = {"Masked": "share"}
SMALLEST_MAF = 1e-5
MAX_ROWS = 1_000
_MEANINGS = {"masked": "PASS", "not masked": "FAIL", "not rare at this threshold": "neutral"}
_MAX_CONTIGS = 30
_N_BINS = 80
_MEGABASE = 1e6


def headline(audit: VcfAudit) -> str:
    """Return the sentence that explains a file's overall verdict."""
    ours = audit.exposure_verdict.value.replace("_", " ")
    left = audit.n_targets - audit.n_masked
    rule = (
        f"{left:,} of {audit.n_targets:,} targets are not masked" if left else "Every target counts as masked"
    )
    if not audit.n_targets:
        rule = "Nothing had to be masked"
    return f"{rule} ({audit.rate}); beside the rule, exposure is {ours}."


def run_verdict(outcomes: Sequence[PairOutcome], *, n_unmatched: int = 0) -> Verdict:
    """Return the worst overall verdict; a pair in error or a file without a partner was not assessed."""
    verdicts = [one.audit.overall if one.audit else Verdict.NOT_ASSESSED for one in outcomes]
    return worst([*verdicts, *([Verdict.NOT_ASSESSED] * min(n_unmatched, 1))])


def figures(audit: VcfAudit, *, of: str = "") -> tuple[Figure, ...]:
    """Return the headline figures of one file."""
    header = Verdict.PASS if audit.metadata_masked == audit.metadata_targets else Verdict.FAIL
    variants = Verdict.PASS if audit.n_variant_masked == audit.n_variant_targets else Verdict.FAIL
    share = audit.masked_share if audit.n_targets else None
    return (
        Figure(measure="vcf_masked_share", value=share, threshold="100 %", verdict=audit.verdict, of=of),
        Figure(
            measure="n_metadata_masked",
            value=audit.metadata_masked,
            threshold=f"all {audit.metadata_targets}",
            verdict=header,
            of=of,
        ),
        Figure(
            measure="n_variant_masked",
            value=audit.n_variant_masked,
            threshold=f"all {audit.n_variant_targets:,}",
            verdict=variants,
            of=of,
        ),
        Figure(
            measure="n_missing_sites",
            value=len(audit.missing),
            threshold="none",
            verdict=Verdict.FAIL if len(audit.missing) else Verdict.PASS,
            of=of,
        ),
    )


def findings(audit: VcfAudit) -> tuple[Finding, ...]:
    """Return the exposure as findings, each with its first positions."""
    return tuple(
        Finding(
            check=exposure.check,
            verdict=exposure.verdict,
            message=exposure.message
            + (f" First: {', '.join(exposure.examples)}." if exposure.examples else ""),
            n_affected=exposure.n_affected,
        )
        for exposure in audit.exposure
    )


# ---------------------------------------------------------------------------------------------- tables


def files_table(outcomes: Sequence[PairOutcome]) -> pd.DataFrame:
    """Return a row per pair: verdicts, share masked, counts; pairs in error say so."""
    return pd.DataFrame([_file_row(outcome) for outcome in outcomes])


def _file_row(outcome: PairOutcome) -> dict[str, object]:
    audit = outcome.audit
    row: dict[str, object] = {
        "Anonymized file": outcome.pair.anonymized.name,
        "Original": outcome.pair.original.name,
        "Level": outcome.pair.level,
        "Overall": "error" if audit is None else audit.overall.value,
    }
    if audit is not None:
        row |= {
            "Published rule": audit.verdict.value,
            "Exposure": audit.exposure_verdict.value,
            "Masked": audit.masked_share if audit.n_targets else None,
            "Header": f"{audit.metadata_masked}/{audit.metadata_targets}",
            "Sites": f"{audit.n_variant_masked:,}/{audit.n_variant_targets:,}",
            "Missing": len(audit.missing),
        }
    return row | {"Seconds": round(outcome.n_seconds, 2)}


def unmasked_table(audit: VcfAudit, *, limit: int | None = None) -> pd.DataFrame:
    """Return a row per target site that does not count as masked, in file order, with the reason.

    Parameters
    ----------
    limit
        The first so many rows; None for all.
    """
    candidates = audit.scan.candidates
    which = np.flatnonzero(~audit.targets.is_masked)[:limit]
    places = audit.targets.candidates[which]
    repeats = audit.targets.is_repeat[which]
    mafs = candidates.mafs[places]
    return pd.DataFrame(
        {
            "Contig": [candidates.contig_names[contig] for contig in candidates.contigs[places].tolist()],
            "Position": candidates.positions[places],
            "Target": np.where(repeats, "short tandem repeat", "rare variant"),
            "Motif": [candidates.motif_names[motif] for motif in candidates.motifs[places].tolist()],
            "Site MAF": np.where(np.isfinite(mafs), mafs, np.nan),
            "Why it is not masked": _reasons(candidates.marks[places], repeats),
        }
    )


def _reasons(marks: npt.NDArray[np.uint32], repeats: npt.NDArray[np.bool_]) -> npt.NDArray[np.str_]:
    changed = (marks & Mark.ALT_CHANGED) != 0
    return np.select(
        [(marks & Mark.MISSING) != 0, repeats & changed, repeats, changed],
        [
            "no record at this site in the anonymized file",
            "ALT was changed, but holds no N",
            "ALT is unchanged",
            "ALT was changed, but is not empty, and the frequency in INFO is still rare",
        ],
        "ALT and the rare frequency are unchanged",
    )


def bed_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as BED: contig, start counted from 0, end, what the target is."""
    rows = unmasked_table(audit)
    lines = (
        f"{contig}\t{max(position - 1, 0)}\t{max(position, 1)}\t{target}\n"
        for contig, position, target in zip(rows["Contig"], rows["Position"], rows["Target"], strict=True)
    )
    return "".join(lines).encode()


def csv_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as CSV, with the reason for each."""
    return csv_bytes(unmasked_table(audit))


def motif_table(audit: VcfAudit) -> pd.DataFrame:
    """Return a row per repeat motif: target sites, masked, not masked; most sites first."""
    candidates, targets = audit.scan.candidates, audit.targets
    motifs = candidates.motifs[targets.candidates[targets.is_repeat]]
    masked = targets.is_masked[targets.is_repeat]
    n_motifs = len(candidates.motif_names)
    sites = np.bincount(motifs, minlength=n_motifs)
    done = np.bincount(motifs[masked], minlength=n_motifs)
    frame = pd.DataFrame(
        {
            "Motif": candidates.motif_names,
            "Length (bases)": [len(name) for name in candidates.motif_names],
            "Sites": sites,
            "Masked": done,
            "Not masked": sites - done,
        }
    )
    return frame[frame["Sites"] > 0].sort_values(["Sites", "Motif"], ascending=[False, True])


def exposure_table(audit: VcfAudit) -> pd.DataFrame:
    """Return a row per exposure finding, the worst first."""
    return pd.DataFrame(
        [
            {
                "Verdict": exposure.verdict.value,
                "Check": CHECKS[exposure.check].label,
                "Found": exposure.n_affected,
                "What it means": exposure.message,
                "First places": ", ".join(exposure.examples),
            }
            for exposure in audit.exposure
        ],
        columns=["Verdict", "Check", "Found", "What it means", "First places"],
    )


def severity_table(severities: Mapping[str, Verdict]) -> pd.DataFrame:
    """Return a row per exposure check with the verdict it leads to when it finds something."""
    return pd.DataFrame(
        {
            "Check": [check.label for check in CHECKS.values()],
            "Severity": [severities.get(name, check.default).value for name, check in CHECKS.items()],
        },
        index=list(CHECKS),
    )


# ---------------------------------------------------------------------------------------------- charts


def maf_table(audit: VcfAudit) -> pd.DataFrame:
    """Count sites per interval of their frequency, split into masked, not masked, and not rare.

    Columns ``lower``, ``upper``, ``outcome``, ``n_sites``. Frequencies below 0.00001, zero included,
    are in the first interval. Repeats without a frequency are not in it.
    """
    candidates, targets = audit.scan.candidates, audit.targets
    names = list(_MEANINGS)
    outcomes = np.full(len(candidates.mafs), names.index("not rare at this threshold"), dtype=np.int8)
    outcomes[targets.candidates] = np.where(
        targets.is_masked, names.index("masked"), names.index("not masked")
    )
    edges = np.unique(
        [SMALLEST_MAF / 2, *np.geomspace(SMALLEST_MAF, MAF_LIMIT, 29), audit.settings.maf_threshold]
    )
    counted = (candidates.mafs < MAF_LIMIT) & ((candidates.marks & Mark.SAME_SITE) == 0)
    counted[targets.candidates] = candidates.mafs[targets.candidates] < MAF_LIMIT
    clipped = np.clip(candidates.mafs[counted], edges[0], np.nextafter(MAF_LIMIT, 0))
    cells = (np.searchsorted(edges, clipped, side="right") - 1) * len(names) + outcomes[counted]
    counts = np.bincount(cells, minlength=len(names) * (len(edges) - 1))
    filled = np.flatnonzero(counts)
    bins = filled // len(names)
    return pd.DataFrame(
        {
            "lower": edges[bins],
            "upper": edges[bins + 1],
            "outcome": [names[outcome] for outcome in (filled % len(names)).tolist()],
            "n_sites": counts[filled],
        }
    )


def maf_chart(audit: VcfAudit) -> ReportChart:
    """Draw sites by their frequency on a logarithmic scale, by what became of them."""
    table = maf_table(audit)
    domain = [name for name in _MEANINGS if name in set(table["outcome"])]
    largest = int(table["n_sites"].max()) if len(table) else 1
    bars = (
        alt.Chart(_side_by_side(table, domain))
        .mark_rect()
        .encode(
            x=alt.X(
                "left:Q",
                title="Site minor allele frequency (logarithmic; the first bar holds all below 0.00001)",
                scale=alt.Scale(type="log", domain=[SMALLEST_MAF / 2, MAF_LIMIT], nice=False),
                axis=alt.Axis(values=[1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5], format="~g"),
            ),
            x2="right:Q",
            y=alt.Y(
                "n_sites:Q",
                title="Sites (logarithmic from 1 on)",
                scale=alt.Scale(type="symlog", domain=[0, largest]),
                axis=alt.Axis(
                    values=[0, *(10**power for power in range(8) if 10**power <= largest)], format=",d"
                ),
            ),
            y2=alt.datum(0),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(domain=domain, range=[COLORS[_MEANINGS[name]] for name in domain]),
                legend=alt.Legend(title=None, orient="top", labelLimit=0),
            ),
            tooltip=[
                alt.Tooltip("lower:Q", title="From", format=".3~g"),
                alt.Tooltip("upper:Q", title="to below", format=".3~g"),
                alt.Tooltip("outcome:N", title="Outcome"),
                alt.Tooltip("n_sites:Q", title="Sites", format=","),
            ],
        )
    )
    threshold = audit.settings.maf_threshold
    rule = alt.Chart(pd.DataFrame({"at": [threshold], "label": [f"threshold {threshold:g}"]})).encode(
        x="at:Q"
    )
    line = rule.mark_rule(color=COLORS["threshold"], strokeDash=[6, 4], strokeWidth=2)
    text = rule.mark_text(color=COLORS["threshold"], baseline="bottom", fontWeight="bold").encode(
        y=alt.value(-3), text="label:N"
    )
    total = int(table["n_sites"].sum())
    return ReportChart(
        title=f"Sites by minor allele frequency in {audit.scan.anonymized_name}",
        chart=_sized(alt.layer(bars, line, text), HEIGHT),
        alt_text=f"{total:,} sites by minor allele frequency; {_outcomes_in_words(table)}.",
    )


def _side_by_side(table: pd.DataFrame, outcomes: Sequence[str]) -> pd.DataFrame:
    """Give each outcome its own part of an interval, so that no bar stands on another."""
    place = table["outcome"].map({name: number for number, name in enumerate(outcomes)}).astype(float)
    ratio = table["upper"] / table["lower"]
    n_parts = max(len(outcomes), 1)
    return table.assign(
        left=table["lower"] * ratio ** (place / n_parts),
        right=table["lower"] * ratio ** ((place + 1) / n_parts),
    )


def _outcomes_in_words(table: pd.DataFrame) -> str:
    sums = table.groupby("outcome", dropna=False, observed=True)["n_sites"].sum()
    return ", ".join(f"{int(sums[name]):,} {name}" for name in _MEANINGS if name in sums) or "none"


def density_table(audit: VcfAudit) -> pd.DataFrame:
    """Count target sites along each contig, in intervals of equal length.

    Columns ``contig``, ``start``, ``end`` (megabases), ``n_sites``, ``n_unmasked``; the 30 contigs with
    the most targets, in file order.
    """
    candidates, targets = audit.scan.candidates, audit.targets
    contigs = candidates.contigs[targets.candidates].astype(np.int64)
    positions = candidates.positions[targets.candidates].astype(np.int64)
    counts = np.bincount(contigs, minlength=len(candidates.contig_names))
    shown = np.sort(np.argsort(-counts, kind="stable")[:_MAX_CONTIGS])
    shown = shown[counts[shown] > 0]
    inside = np.isin(contigs, shown)
    longest = int(positions[inside].max(initial=1))
    bins = (positions[inside] * _N_BINS) // (longest + 1)
    frame = pd.DataFrame({"contig": contigs[inside], "bin": bins, "left": ~targets.is_masked[inside]})
    grouped = frame.groupby(["contig", "bin"], dropna=False, observed=True)["left"].agg(["size", "sum"])
    table = grouped.reset_index()
    width = (longest + 1) / _N_BINS / _MEGABASE
    return pd.DataFrame(
        {
            "contig": [candidates.contig_names[contig] for contig in table["contig"]],
            "start": table["bin"] * width,
            "end": (table["bin"] + 1) * width,
            "n_sites": table["size"],
            "n_unmasked": table["sum"].astype(np.int64),
        }
    )


def density_chart(audit: VcfAudit) -> ReportChart:
    """Draw the density of targets along the contigs, with the places of unmasked ones marked."""
    table = density_table(audit)
    contigs = list(dict.fromkeys(table["contig"]))
    y = alt.Y("contig:N", sort=None, title="Contig", scale=alt.Scale(domain=contigs))
    x = alt.X("start:Q", title="Position (megabases)", axis=alt.Axis(format="~g"))
    tooltip = [
        alt.Tooltip("contig:N", title="Contig"),
        alt.Tooltip("start:Q", title="From (megabases)", format=".3~f"),
        alt.Tooltip("end:Q", title="to", format=".3~f"),
        alt.Tooltip("n_sites:Q", title="Target sites", format=","),
        alt.Tooltip("n_unmasked:Q", title="Not masked", format=","),
    ]
    density = (
        alt.Chart(table)
        .mark_bar(height={"band": 0.7}, color=COLORS["neutral"])
        .encode(
            x=x,
            x2="end:Q",
            y=y,
            opacity=alt.Opacity(
                "n_sites:Q",
                title="Target sites",
                scale=alt.Scale(type="sqrt", range=[0.25, 1]),
                legend=alt.Legend(orient="top", format=",d", tickCount=3),
            ),
            tooltip=tooltip,
        )
    )
    left = (
        alt.Chart(
            table[table["n_unmasked"] > 0].assign(middle=lambda rows: (rows["start"] + rows["end"]) / 2)
        )
        .mark_point(shape="triangle-down", filled=True, size=70, color=COLORS["FAIL"], opacity=1)
        .encode(x=alt.X("middle:Q"), y=y, tooltip=tooltip)
    )
    n_left = int(table["n_unmasked"].sum())
    return ReportChart(
        title=f"Target sites along the contigs of {audit.scan.anonymized_name}",
        chart=_sized(alt.layer(density, left), max(60, 26 * len(contigs))),
        alt_text=f"{int(table['n_sites'].sum()):,} target sites on {len(contigs)} contigs; red triangles "
        f"mark the intervals with the {n_left:,} that are not masked.",
    )


def _sized(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized: alt.LayerChart = chart.properties(width="container", height=height, autosize=fit)
    return sized


# ---------------------------------------------------------------------------------------------- report


def vcf_report(
    outcomes: Sequence[PairOutcome],
    *,
    unmatched: Sequence[str] = (),
    inputs: Sequence[InputFacts] = (),
    created_at: datetime,
) -> Report:
    """Return the report of a run.

    It holds counts, positions and header keys; no allele, genotype, sample name or header value.
    """
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    several = len(outcomes) > 1
    return Report(
        tool="vcf",
        title=TITLE,
        question=QUESTION,
        verdict=run_verdict(outcomes, n_unmatched=len(unmatched)),
        headline=_run_headline(outcomes, audits),
        inputs=tuple(inputs),
        settings=_settings(audits),
        figures=tuple(
            figure
            for audit in audits
            for figure in figures(audit, of=audit.scan.anonymized_name if several else "")
        ),
        findings=(
            *_trouble(outcomes, unmatched),
            *(finding for audit in audits for finding in _named(audit, several=several)),
        ),
        tables=_tables(outcomes, audits),
        charts=tuple(chart for audit in audits for chart in file_charts(audit)),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Exposure": worst(audit.exposure_verdict for audit in audits),
        },
    )


def file_charts(audit: VcfAudit) -> list[ReportChart]:
    """Return the charts of one file; none at low level, which masks no variant."""
    return [maf_chart(audit), density_chart(audit)] if audit.n_variant_targets else []


def _run_headline(outcomes: Sequence[PairOutcome], audits: Sequence[VcfAudit]) -> str:
    if len(outcomes) == 1 and audits:
        return headline(audits[0])
    n_failed = sum(audit.verdict is Verdict.FAIL for audit in audits)
    n_exposed = sum(audit.exposure_verdict is Verdict.FAIL for audit in audits)
    return (
        f"{len(audits)} of {len(outcomes)} pairs could be verified; {n_failed} must be anonymized again by "
        f"the published rule, and {n_exposed} would still give something away."
    )


def _settings(audits: Sequence[VcfAudit]) -> dict[str, object]:
    if not audits:
        return {}
    first = audits[0]
    scanned = first.scan.settings
    return {
        "MAF threshold": first.settings.maf_threshold,
        "Repeat motif, bases": f"{scanned.min_motif} to {scanned.max_motif}",
        "Repeat copies, at least": scanned.min_repeat,
        "Severities changed": {
            CHECKS[name].label: verdict.value for name, verdict in first.settings.severities.items()
        },
    }


def _trouble(outcomes: Sequence[PairOutcome], unmatched: Sequence[str]) -> list[Finding]:
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    without = [f"{name} has no partner and was not verified." for name in unmatched]
    return [
        *(Finding(check="pair_error", verdict=Verdict.NOT_ASSESSED, message=problem) for problem in problems),
        *(Finding(check="unmatched_file", verdict=Verdict.NOT_ASSESSED, message=one) for one in without),
    ]


def _named(audit: VcfAudit, *, several: bool) -> tuple[Finding, ...]:
    """Return the findings of a file, with its name before them when there are several files."""
    if not several:
        return findings(audit)
    return tuple(
        Finding(
            check=finding.check,
            verdict=finding.verdict,
            message=f"{audit.scan.anonymized_name}: {finding.message}",
            n_affected=finding.n_affected,
        )
        for finding in findings(audit)
    )


def _tables(outcomes: Sequence[PairOutcome], audits: Sequence[VcfAudit]) -> tuple[ReportTable, ...]:
    tables = [
        ReportTable(
            name="files", title="Files", frame=files_table(outcomes).drop(columns="Seconds"), units=FILE_UNITS
        )
    ]
    for number, audit in enumerate(audits, 1):
        name = audit.scan.anonymized_name
        if len(motifs := motif_table(audit)):
            tables.append(
                ReportTable(name=f"motifs_{number}", title=f"Repeat motifs of {name}", frame=motifs)
            )
        rows = unmasked_table(audit, limit=MAX_ROWS)
        if len(rows):
            total = audit.n_variant_targets - audit.n_variant_masked
            tables.append(
                ReportTable(
                    name=f"unmasked_{number}",
                    title=f"Sites of {name} that are not masked",
                    frame=rows,
                    note=f"The first {len(rows):,} of {total:,}, in file order." if total > len(rows) else "",
                )
            )
    return tuple(tables)
