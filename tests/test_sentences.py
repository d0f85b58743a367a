"""The most important sentences of every tool, whole and in three languages; elsewhere tests hold values."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from core.delivery import audit_delivery
from core.demo import DEMOS, Demo
from core.diversity import DiversitySettings, audit_diversity
from core.events import audit_events
from core.leakage import audit_leakage
from core.risk import audit_risk
from core.tables import Dataset, read_dataset
from core.tabular import audit_tabular, read_log
from core.vcf import VcfPair, VcfSettings, judge_scan, scan_pair
from core.verdict import Finding
from core.words import say, speaking
from tests.second_opinion_examples import opinion_on
from tests.vcf_files import masked_header, vcf_file, vcf_text

FILE = Path(__file__).parent / "cases/sentences.txt"  # tool and check, and what is said in each language
SENTENCES = {
    told: tuple(sentences)
    for told, *sentences in map(str.splitlines, FILE.read_text(encoding="utf-8").split("\n\n"))
}


def _tables(demo: Demo) -> list[Dataset]:
    return [read_dataset(file.data, name=file.name) for file in chain(*demo.make().values())]


def _findings(tool: str) -> Iterator[Finding]:
    if tool == "risk":
        yield from audit_risk(_tables(DEMOS["risk"][0])[0]).all_findings
    if tool == "dataset":
        yield from audit_delivery(_tables(DEMOS["dataset"][0])).findings
    if tool == "events":
        yield from audit_events(_tables(DEMOS["events"][0])[0]).findings
    if tool == "leakage":
        yield from audit_leakage(*_tables(DEMOS["leakage"][0])).findings
    if tool == "tabular":
        files = {file.name: file.data for file in chain(*DEMOS["tabular"][0].make().values())}
        names = ("visits.csv", "visits_anonymized.csv")
        log = read_log(files["visits_anonymized_log.json"], name="log.json")
        yield from audit_tabular(*(read_dataset(files[name], name=name) for name in names), log).findings
    if tool == "diversity":
        flowers = next(demo for demo in DEMOS["diversity"] if demo.key == "iris")
        roles = {"sensitive_attributes": ("petal width (cm)",), "quasi_identifiers": ("sepal width (cm)",)}
        settings = DiversitySettings(label="target", k_max=2, **roles)
        yield from audit_diversity(_tables(flowers)[0], settings).findings
    if tool == "opinion":
        lab = {"lab": [f"{5 + i / 7:.3f}" for i in range(40)]}
        yield from opinion_on(lab, lab).findings
    if tool == "vcf":
        masked = vcf_text(["chr1 100 rs12 A . . . ."], header=masked_header())
        pair = VcfPair(
            original=vcf_file("x.vcf.gz", vcf_text(["chr1 100 . A G . . AF=0.001"])),
            anonymized=vcf_file("high_anony_x.vcf.gz", masked),
            level="high",
        )
        yield from (one.finding for one in judge_scan(scan_pair(pair, VcfSettings()), VcfSettings()).exposure)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("tool", sorted({told.partition(" ")[0] for told in SENTENCES}))
def test_sentences__are_whole_in_three_languages(tool: str) -> None:
    said: dict[str, tuple[str, ...]] = {}
    for finding in _findings(tool):
        said.setdefault(f"{tool} {finding.check}", tuple(_in(code, finding) for code in ("en", "ko", "sl")))
    expected = {told: sentences for told, sentences in SENTENCES.items() if told.startswith(f"{tool} ")}
    assert {told: said.get(told) for told in expected} == expected


def _in(code: str, finding: Finding) -> str:
    with speaking(code):
        return say(finding.message)
