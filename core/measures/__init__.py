"""Every figure the tools show, defined once: label, unit, range, direction, definition, source.

One module per tool; ``MEASURES`` is their union and README, screens and reports read from it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from core.measures import (
    counts,
    delivery,
    diversity,
    events,
    leakage,
    releases,
    risk,
    risk_models,
    shared,
    tabular,
    vcf,
)
from core.measures.measure import Measure, format_number

MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        measure.key: measure
        for group in (
            shared.MEASURES,
            shared.DISCLOSURE,
            shared.COST,
            risk.MEASURES,
            leakage.MEASURES,
            tabular.MEASURES,
            tabular.SECOND_OPINION,
            vcf.MEASURES,
            events.MEASURES,
            diversity.MEASURES,
            risk_models.MEASURES,
            delivery.MEASURES,
            releases.MEASURES,
            counts.MEASURES,
        )
        for measure in group
    }
)
