"""Risk against a population: by its table, by its size, by sampling weights, by risk models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.classes import EquivalenceClasses, Pairs
from core.coding import BoolArray, FloatArray, IntArray, combined_codes, value_codes
from core.errors import AuditInputError, refuse
from core.risk.population import check_population_size, fitted_pitman, pitman_log_likelihood, snb_parameters
from core.words import input_error, joined, listed, percent, text

_LARGE_CLASS = 40  # from here on the series converges fast for every p
_N_TERMS = 60  # leaves a relative error below 1e-16 for p ≥ 1/2 or such a class


@dataclass(frozen=True, kw_only=True, eq=False)
class IndividualRisk:
    """Benedetti and Franconi's risk of each class."""

    # shape (n_classes,): the expectation of 1 / people of the population in the class, in (0, 1]
    class_risk: FloatArray
    class_sizes: IntArray  # shape (n_classes,): records in each class of the sample

    @property
    def highest_risk(self) -> float:
        """Return the risk of the record that is most at risk, in (0, 1]."""
        return float(self.class_risk.max())

    @property
    def expected_reidentifications(self) -> float:
        """Return Σ risk over records: how many an intruder who tries everybody is expected to find."""
        return float(self.class_risk @ self.class_sizes)

    @property
    def average_risk(self) -> float:
        """Return the mean risk over records, in (0, 1]."""
        return self.expected_reidentifications / int(self.class_sizes.sum())


def individual_risk(
    classes: EquivalenceClasses, weights: FloatArray, *, compatible: Pairs | None = None
) -> IndividualRisk:
    """Estimate each record's risk from the sampling weights of its class.

    `weights`: shape (n_records_in_table,): how many people of the population a record stands for. Those of
    records that are left out are not looked at.

    `compatible`: pairs of a class and each class compatible with it, where a missing value matches every
    value; then records and weights of all of them count. None: each class with itself.

    Notes
    -----
    With f records of the sample in a class and weights that sum to F, the class's population size given f
    is negative binomial with p = f / F, and the risk its expectation of 1 / size:
    (p / f) · ₂F₁(1, 1; f + 1; 1 - p). For f = 1 that is p / (1 - p) · ln(1 / p), for f = 2 it is
    p / (1 - p) - (p / (1 - p))² ln(1 / p). Where F < f, p is taken as 1 and the risk is 1 / f.

    References
    ----------
    Benedetti and Franconi, Statistical and technological solutions for controlled data dissemination, New
    Techniques and Technologies for Statistics, 1998. Franconi and Polettini, Individual risk estimation in
    μ-Argus: a review, Privacy in Statistical Databases, LNCS 3050, 2004.
    """
    counted = classes.class_of_record >= 0
    _check_weights(weights[counted])
    members = classes.class_of_record[counted]
    sizes = np.bincount(members, minlength=classes.n_classes)
    totals = cast("FloatArray", np.bincount(members, weights=weights[counted], minlength=classes.n_classes))
    counted_sizes = sizes
    if compatible is not None:
        counted_sizes = _over(compatible, sizes, classes.n_classes).astype(np.int64)
        totals = _over(compatible, totals, classes.n_classes)
    return IndividualRisk(class_risk=risk_given_population(counted_sizes, totals), class_sizes=sizes)


def _check_weights(used: FloatArray) -> None:
    if not len(used):
        raise AuditInputError("There is no record with a sampling weight.")
    n_bad = int(np.count_nonzero(~(np.isfinite(used) & (used > 0))))
    if n_bad:
        raise input_error(
            "{n} of {total} sampling weights is missing, infinite, zero or negative; a weight says how "
            "many people of the population a record stands for.",
            "{n} of {total} sampling weights are missing, infinite, zero or negative; a weight says how "
            "many people of the population a record stands for.",
            n=n_bad,
            total=len(used),
        )


def _over(compatible: Pairs, values: npt.NDArray[np.generic], n_classes: int) -> FloatArray:
    """Return shape (n_classes,): the sum of the values of the classes compatible with each."""
    return cast(
        "FloatArray", np.bincount(compatible.of_class, weights=values[compatible.item], minlength=n_classes)
    )


def risk_given_population(class_sizes: IntArray, population_sizes: FloatArray) -> FloatArray:
    """Return E(1 / population size of the class | records of the sample in it), in (0, 1]."""
    p = np.minimum(class_sizes / population_sizes, 1.0)
    found = _by_series(class_sizes, p)
    slow = (p < 0.5) & (class_sizes < _LARGE_CLASS)
    found[slow] = _by_recurrence(class_sizes[slow], p[slow])
    return found


def _by_series(class_sizes: IntArray, p: FloatArray) -> FloatArray:
    """Return p / f · Σ_j j! / ((f + 1) … (f + j)) · (1 - p)^j; SciPy's hyp2f1 overflows for f near 100."""
    term = p / class_sizes
    total = term.copy()
    for j in range(1, _N_TERMS):
        term *= (1 - p) * j / (class_sizes + j)
        total += term
    return total


def _by_recurrence(class_sizes: IntArray, p: FloatArray) -> FloatArray:
    """Return p I_f, I_f = ∫ v^(f - 1) / (p + (1 - p) v) dv over [0, 1]; I_f+1 = (1 / f - p I_f) / (1 - p)."""
    integral = -np.log(p) / (1 - p)
    for f in range(1, int(class_sizes.max(initial=1))):
        following = (1 / f - p * integral) / (1 - p)
        integral = np.where(class_sizes > f, following, integral)
    return p * integral


MarketerModel = Literal["weights", "pitman", "snb"]

_NODES = (np.arange(32) + 0.5) / 32  # quantiles that a distribution is averaged over
_N_DRAWS = 60
_LARGE = 200  # records of a class from which its population is known well enough
_STEP = 1e-3


@dataclass(frozen=True, kw_only=True)
class MarketerEstimate:
    """What one model says of the share of records that matching everybody identifies."""

    # ``weights`` (each record stands for population size / records people), ``pitman`` or ``snb``
    model: MarketerModel
    risk: float | None  # in (0, 1]; None where the model has no answer
    # Of 95 % for the model's parameters, as far as they are known from this sample; None where that is not
    # assessed. That the model itself may be wrong is not in it.
    interval: tuple[float, float] | None = None


def marketer_estimates(class_sizes: IntArray, *, population_size: int) -> tuple[MarketerEstimate, ...]:
    """Estimate the marketer's risk with three models; all assume a simple random sample.

    Notes
    -----
    Each is Σ f E(1 / F | f) / records over the classes, f their people in the sample and F in the population.
    Weights: F given f is negative binomial with p = records / population size (Benedetti and Franconi 1998).
    Pitman: of the population size - records others, a share drawn from Beta(f - α, records - f + θ + α) joins
    the class. SNB: F - 1 is negative binomial, f binomial given F.

    References
    ----------
    Dankar and El Emam, A method for evaluating marketer re-identification risk, EDBT/ICDT Workshops, 2010.
    Pitman, Exchangeable and partially exchangeable random partitions, Probability Theory and Related Fields
    102, 1995.
    """
    sizes, n_classes = np.unique(class_sizes, return_counts=True)
    n_records = int(sizes @ n_classes)

    def mean(inverse: FloatArray) -> float:
        return float(np.clip((sizes * n_classes) @ inverse / n_records, 1 / population_size, 1.0))

    stood_for = (sizes * (population_size / n_records)).astype(np.float64)
    weights = risk_given_population(sizes, stood_for)
    pitman = fitted_pitman(class_sizes) if 1 < len(class_sizes) < n_records and sizes[0] == 1 else None
    snb = snb_parameters(class_sizes, population_size=population_size)
    found = [MarketerEstimate(model="weights", risk=mean(weights))]
    if pitman is None:
        found.append(MarketerEstimate(model="pitman", risk=None))
    else:
        drawn = [
            mean(_pitman_inverse(sizes, theta, alpha, n_records, population_size))
            for theta, alpha in _pitman_draws(*pitman, sizes, n_classes)
        ]
        low, high = np.quantile(drawn, [0.025, 0.975]) if drawn else (np.nan, np.nan)
        risk = mean(_pitman_inverse(sizes, *pitman, n_records, population_size))
        interval = (min(float(low), risk), max(float(high), risk)) if drawn else None
        found.append(MarketerEstimate(model="pitman", risk=risk, interval=interval))
    by_snb = None if snb is None else mean(_snb_inverse(sizes, *snb, n_records / population_size))
    found.append(MarketerEstimate(model="snb", risk=by_snb))
    return tuple(found)


_ESTIMATED = {
    "weights": "{risk} by sampling weights",
    "pitman": "{risk} by Pitman's model",
    "snb": "{risk} by the SNB model",
}


def estimates_note(estimates: Sequence[MarketerEstimate]) -> str:
    """Return what the models estimate of the marketer's risk; empty where none has an answer."""
    known = []
    for each in estimates:
        if each.risk is not None:
            risk = percent(each.risk)
            if each.interval is not None:
                low, high = (percent(end) for end in each.interval)
                risk = text("{risk} ({low} to {high})", risk=risk, low=low, high=high)
            known.append(text(_ESTIMATED[each.model], risk=risk))
    if not known:
        return ""
    return text(
        "Estimated for a random sample: {estimates}; models differ, and none of it is certain.",
        estimates=joined(known, ", "),
    )


def _pitman_inverse(
    sizes: IntArray, theta: float, alpha: float, n_records: int, population_size: int
) -> FloatArray:
    """Return E(1 / F | f) for each size f; a Poisson number of others joins, given their share."""
    others = population_size - n_records
    inverse = n_records / (sizes * float(population_size))
    small = sizes <= _LARGE
    f = sizes[small].astype(np.float64)[:, None]
    share = scipy.special.betaincinv(f - alpha, n_records - f + theta + alpha, _NODES)
    inverse[small] = (scipy.special.hyp1f1(1.0, f + 1, -others * share) / f).mean(axis=1)
    return inverse


def _pitman_draws(
    theta: float, alpha: float, sizes: IntArray, n_classes: IntArray
) -> list[tuple[float, float]]:
    """Return parameters drawn from the normal distribution around the estimate; none without a maximum."""
    center = np.array([np.log(theta + alpha), scipy.special.logit(alpha)])

    def value(at: FloatArray) -> float:
        drawn = float(scipy.special.expit(at[1]))
        return pitman_log_likelihood(float(np.exp(at[0])) - drawn, drawn, sizes, n_classes)

    steps = _STEP * np.eye(2)
    hessian = np.array(
        [
            [
                value(center + a + b) - value(center + a - b) - value(center - a + b) + value(center - a - b)
                for b in steps
            ]
            for a in steps
        ]
    ) / (4 * _STEP**2)
    if not np.isfinite(hessian).all() or (np.linalg.eigvalsh(-hessian) <= 0).any():
        return []
    normal = np.random.default_rng(0).multivariate_normal(center, np.linalg.inv(-hessian), _N_DRAWS)
    alphas = scipy.special.expit(normal[:, 1])
    return list(zip((np.exp(normal[:, 0]) - alphas).tolist(), alphas.tolist(), strict=True))


def _snb_inverse(sizes: IntArray, alpha: float, beta: float, fraction: float) -> FloatArray:
    """Return E(1 / F | f) for each size f, summed over F from f on until nothing is left."""
    inverse = fraction / sizes
    small = sizes <= _LARGE
    decay = -np.log((1 - beta) * (1 - fraction)) if fraction < 1 else np.inf
    reach = int(min(_LARGE + 60 / decay, 200_000)) if np.isfinite(decay) else _LARGE
    population = np.arange(1, max(reach, _LARGE) + 1)
    log_prior = scipy.special.gammaln(alpha + population - 1) - scipy.special.gammaln(population)
    log_prior += (population - 1) * np.log1p(-beta)
    for position in np.flatnonzero(small):
        f = int(sizes[position])
        given = population[f - 1 :]
        log_weight = (
            log_prior[f - 1 :] + scipy.special.gammaln(given + 1) - scipy.special.gammaln(given - f + 1)
        )
        log_weight = log_weight + (given - f) * np.log1p(-fraction) if fraction < 1 else log_weight
        weight = np.exp(log_weight - log_weight.max())
        inverse[position] = float(weight @ (1 / given) / weight.sum())
    return inverse


@dataclass(frozen=True, kw_only=True, eq=False)
class PopulationRisk:
    """The classes of a sample and the same classes in the population."""

    # ``table``: population classes were counted; ``size``: only the population's size is known, and a class
    # may have nobody in the population but those in the sample. Every risk is then a bound.
    based_on: Literal["table", "size"]
    sample_sizes: IntArray  # shape (n_classes,): people of the sample in each class that the sample has
    # shape (n_classes,): people of the population in the same class, at least so many by the size alone
    population_sizes: FloatArray
    population_size: int  # people in the population
    # classes of the population, those without anybody from the sample included; None where only the size is
    # known
    n_population_classes: int | None
    estimates: tuple[MarketerEstimate, ...] = ()  # of the marketer's risk, where only the size is known

    @property
    def n_records(self) -> int:
        """Return the people in the sample."""
        return int(self.sample_sizes.sum())

    @property
    def k_map(self) -> float:
        """Return the smallest population class that somebody of the sample is in.

        Sweeney, Computational disclosure control, PhD thesis, MIT, 2001.
        """
        return float(self.population_sizes.min())

    @property
    def journalist_highest_risk(self) -> float:
        """Return 1 / smallest population class that somebody of the sample is in, in (0, 1].

        El Emam, Guide to the de-identification of personal health information, CRC Press, 2013.
        """
        return 1 / self.k_map

    @property
    def marketer_risk(self) -> float:
        """Return Σ (sample / population class) / records: the share that matching everybody identifies.

        Dankar and El Emam, A method for evaluating marketer re-identification risk, EDBT/ICDT 2010.
        """
        return float((self.sample_sizes / self.population_sizes).sum() / self.n_records)

    def n_records_at_risk(self, k: int) -> int:
        """Return the records in population classes of fewer than `k` people."""
        return int(self.sample_sizes[self.population_sizes < k].sum())

    @property
    def delta_presence(self) -> tuple[float, float] | None:
        """Return the least and largest share of a population class that is in the sample; None if unknown.

        Nergiz, Atzori, Clifton, Hiding the presence of individuals, SIGMOD 2007.
        """
        if self.n_population_classes is None:
            return None
        shares = self.sample_sizes / self.population_sizes
        all_present = self.n_population_classes == len(self.sample_sizes)
        return (float(shares.min()) if all_present else 0.0, float(shares.max()))


def risk_by_population_size(class_sizes: IntArray, *, population_size: int) -> PopulationRisk:
    """Bound the risk against a population of which only the size is known, and estimate it.

    The sample does not tell whether a class is larger in the population: a person alone in it may be alone
    there too. So the bounds are the prosecutor's risks, and no class is scaled up.
    """
    n_records = int(class_sizes.sum())
    if not n_records:
        raise AuditInputError("There is no record to compare with the population.")
    check_population_size(population_size, n_records=n_records)
    return PopulationRisk(
        based_on="size",
        sample_sizes=class_sizes,
        population_sizes=class_sizes.astype(np.float64),
        population_size=population_size,
        n_population_classes=None,
        estimates=marketer_estimates(class_sizes, population_size=population_size),
    )


def risk_by_population_table(
    table: pa.Table,
    population: pa.Table,
    quasi_identifiers: Sequence[str],
    *,
    leave_out: BoolArray | None = None,
) -> PopulationRisk:
    """Count the sample's classes in a table of the population; values as written, missing is one of them."""
    _check_columns(population, quasi_identifiers)
    kept = np.ones(table.num_rows, dtype=bool) if leave_out is None else ~leave_out
    sample = table.filter(pa.array(kept))
    if not sample.num_rows:
        raise AuditInputError("There is no record to compare with the population.")
    _check_population_records(population.num_rows, n_records=sample.num_rows)
    codes = _joint_codes(sample, population, quasi_identifiers)
    n_classes = int(codes.max()) + 1
    in_sample = np.bincount(codes[: sample.num_rows], minlength=n_classes)
    in_population = np.bincount(codes[sample.num_rows :], minlength=n_classes)
    _check_contained(in_sample, in_population)
    found = in_sample > 0
    return PopulationRisk(
        based_on="table",
        sample_sizes=in_sample[found],
        population_sizes=in_population[found].astype(np.float64),
        population_size=population.num_rows,
        n_population_classes=int(np.count_nonzero(in_population)),
    )


def _check_columns(population: pa.Table, quasi_identifiers: Sequence[str]) -> None:
    absent = [column for column in quasi_identifiers if column not in population.column_names]
    if absent:
        raise input_error(
            "The population table has no column {columns}; it needs every quasi-identifier, written and "
            "generalized as in the table.",
            columns=listed(absent, at_most=len(absent)),
        )


def _check_population_records(n_population: int, *, n_records: int) -> None:
    if n_population < n_records:
        raise input_error(
            "The population table has {n} record, fewer than the {records} of the table; it has to "
            "include everybody the table was drawn from.",
            "The population table has {n} records, fewer than the {records} of the table; it has to "
            "include everybody the table was drawn from.",
            n=n_population,
            records=n_records,
        )


def _check_contained(in_sample: IntArray, in_population: IntArray) -> None:
    """Refuse a population that some class of the sample is absent from or larger than in."""
    problems = []
    absent = (in_sample > 0) & (in_population == 0)
    if absent.any():
        problems.append(
            text(
                "{n} of {classes} groups of the table ({found} of {records} records) does not occur in the "
                "population table; write and generalize the quasi-identifiers in both the same way.",
                "{n} of {classes} groups of the table ({found} of {records} records) do not occur in the "
                "population table; write and generalize the quasi-identifiers in both the same way.",
                n=int(np.count_nonzero(absent)),
                classes=int(np.count_nonzero(in_sample)),
                found=int(in_sample[absent].sum()),
                records=int(in_sample.sum()),
            )
        )
    larger = (in_sample > in_population) & (in_population > 0)
    if larger.any():
        problems.append(
            text(
                "{n} of {classes} groups of the table has more records there than in the population table, "
                "so the table is no sample of this population.",
                "{n} of {classes} groups of the table have more records there than in the population table, "
                "so the table is no sample of this population.",
                n=int(np.count_nonzero(larger)),
                classes=int(np.count_nonzero(in_sample)),
            )
        )
    refuse(problems)


def _joint_codes(sample: pa.Table, population: pa.Table, quasi_identifiers: Sequence[str]) -> IntArray:
    """Return the class of each record of the sample, then of the population, as 0 … n_classes - 1."""
    columns = [
        value_codes(_one_missing(pa.chunked_array([*sample[column].chunks, *population[column].chunks])))
        for column in quasi_identifiers
    ]
    codes = combined_codes(columns, n_records=sample.num_rows + population.num_rows)
    return value_codes(codes)


def _one_missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0)
    return cast("pa.ChunkedArray", pc.if_else(blank, None, column))
