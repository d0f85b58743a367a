"""Measures of the (k, l) grid search."""

from core.measures.measure import Measure

_MINIMIZATION = "Goldsteen et al., Data minimization for GDPR compliance in machine learning models, 2022"

_BRODERSEN = "Brodersen et al., The balanced accuracy and its posterior distribution, ICPR 2010"

MEASURES = (
    Measure("deletion_ratio", "Records removed", "share", "neither").means(
        "Records in cells that are not diverse enough, which are removed, divided by the records before "
        "anonymization."
    ),
    Measure("accuracy", "Accuracy on minimized data", "share", "neither", _MINIMIZATION, lower=None).means(
        "Held-out records (40 % of the kept) that the model classifies as their label says, anonymized and "
        "minimized, divided by all held-out ones. For regression R², which can be negative."
    ),
    Measure("splits_accuracy", "Accuracy over several splits", "share", "neither", lower=None).means(
        "Mean accuracy on minimized data over several splits of the kept records, each with a minimization "
        "and hold-out of its own; cells and model stay. The first is the search's."
    ),
    Measure("splits_accuracy_low", "Low end over several splits", "share", "neither", lower=None).means(
        "The accuracy on minimized data that 2.5 % of the splits are at or below."
    ),
    Measure("splits_accuracy_high", "High end over several splits", "share", "neither", lower=None).means(
        "The accuracy on minimized data that 2.5 % of the splits are at or above. The range shows what the "
        "choice of hold-out does; it is no confidence interval, because splits share their records."
    ),
    Measure("balanced_accuracy", "Balanced accuracy on minimized data", "share", "neither", _BRODERSEN).means(
        "Mean over the labels of the held-out records of the share that the model classifies right, "
        "anonymized and minimized: with a rare label it shows what the accuracy hides."
    ),
    Measure("baseline_accuracy", "Accuracy of the most frequent label", "share", "neither").means(
        "Held-out records with the most frequent label of the other kept records, divided by all held-out "
        "ones: what is right without a model. For regression 0, the R² of the mean."
    ),
    Measure("anonymized_accuracy", "Accuracy on anonymized data", "share", "neither", lower=None).means(
        "The same held-out records, anonymized and not minimized."
    ),
    Measure(
        "untouched_accuracy", "Accuracy on the same records untouched", "share", "neither", lower=None
    ).means(
        "The same held-out records as they were. Removing records changes which are tested, so compare the "
        "accuracy on minimized data with this."
    ),
    Measure("base_accuracy", "Accuracy on all untouched records", "share", "neither", lower=None).means(
        "Records that the model classifies as their label says, before anything is anonymized or removed, "
        "divided by all records to anonymize."
    ),
    Measure(
        "minimization_ncp", "Precision lost by minimization (NCP)", "share", "neither", _MINIMIZATION
    ).means(
        "Range that a minimized number may lie in divided by its whole range, or categories not told apart "
        "divided by all (0 for one); mean over the held-out records and the quasi-identifiers."
    ),
    Measure("n_records_to_anonymize", "Records to anonymize", "records", "neither").means(
        "Records of the table that the search anonymizes: all, or those that do not train the model."
    ),
    Measure(
        "base_balanced_accuracy",
        "Balanced accuracy on all untouched records",
        "share",
        "neither",
        _BRODERSEN,
    ).means(
        "Mean over the labels of the share of their records that the model classifies right, before anything "
        "is anonymized or removed."
    ),
    Measure(
        "base_baseline_accuracy", "Accuracy of the most frequent label, untouched", "share", "neither"
    ).means(
        "Records to anonymize that have their most frequent label, divided by all of them: what is right "
        "without any model. For regression 0, the R² of the mean."
    ),
    Measure("recommended_k", "Smallest class of the recommended pair", "records", "higher", lower=1).means(
        "Records in the smallest class of the table that is released with the recommended k and ℓ, counted "
        "on its bytes."
    ),
    Measure("recommended_l", "Fewest sensitive values of the recommended pair", "values", "higher").means(
        "Different values of a sensitive attribute in the class that has fewest, in the table that is "
        "released with the recommended k and ℓ."
    ),
)
