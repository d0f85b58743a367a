"""Measures of the (k, l) grid search."""

from __future__ import annotations

from core.measures.measure import Measure

MINIMIZATION = "Goldsteen et al., Data minimization for GDPR compliance in machine learning models, 2022"

MEASURES = (
    Measure(
        key="deletion_ratio",
        label="Records removed",
        unit="share",
        upper=1,
        better="neither",
        definition="Records in cells that are not diverse enough, which are removed, divided by the records "
        "before anonymization.",
        source="AnonAudit",
    ),
    Measure(
        key="accuracy",
        label="Accuracy on minimized data",
        unit="share",
        upper=1,
        better="neither",
        definition="Held-out records that the model classifies as their label says, when their "
        "quasi-identifiers are anonymized and minimized, divided by all held-out records (40 % of the kept). "
        "For regression R², which can be negative, instead.",
        source=MINIMIZATION,
        lower=None,
    ),
    Measure(
        key="balanced_accuracy",
        label="Balanced accuracy on minimized data",
        unit="share",
        upper=1,
        better="neither",
        definition="Mean over the labels that occur among the held-out records of the share of their records "
        "that the model classifies right, anonymized and minimized: with one rare label it shows what the "
        "accuracy hides.",
        source="Brodersen et al., The balanced accuracy and its posterior distribution, ICPR 2010",
    ),
    Measure(
        key="baseline_accuracy",
        label="Accuracy of the most frequent label",
        unit="share",
        upper=1,
        better="neither",
        definition="Held-out records that have the most frequent label of the other kept records, divided by "
        "all held-out records: what is right without any model. For regression 0, the R² of the mean.",
        source="AnonAudit",
    ),
    Measure(
        key="anonymized_accuracy",
        label="Accuracy on anonymized data",
        unit="share",
        lower=None,
        upper=1,
        better="neither",
        definition="The same held-out records, anonymized and not minimized.",
        source="AnonAudit",
    ),
    Measure(
        key="untouched_accuracy",
        label="Accuracy on the same records untouched",
        unit="share",
        lower=None,
        upper=1,
        better="neither",
        definition="The same held-out records as they were. Removing records changes which ones are left to "
        "test on, so this is what the accuracy on minimized data is to be compared with.",
        source="AnonAudit",
    ),
    Measure(
        key="base_accuracy",
        label="Accuracy on all untouched records",
        unit="share",
        lower=None,
        upper=1,
        better="neither",
        definition="Records that the model classifies as their label says, before anything is anonymized or "
        "removed, divided by all records to anonymize.",
        source="AnonAudit",
    ),
    Measure(
        key="minimization_ncp",
        label="Precision lost by minimization (NCP)",
        unit="share",
        upper=1,
        better="neither",
        definition="Width of the range that a minimized number may lie in divided by the width of its range, "
        "or categories not told apart divided by all (0 for one); mean over the held-out records and the "
        "quasi-identifiers.",
        source=MINIMIZATION,
    ),
)
