"""How many people are unique in the population: Zayatz, Pitman, SNB, and which of them to believe."""

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import scipy

from core.coding import FloatArray, IntArray
from core.errors import AuditInputError
from core.words import input_error

UniquesModel = Literal["zayatz", "pitman", "snb"]

_LARGE_SAMPLE = 0.1  # sampling fraction above which Dankar et al. leave Pitman's model
_ALPHAS = np.concatenate([[1e-6, 1e-4, 1e-3], np.linspace(0.01, 0.99, 99), [0.999, 0.9999]])
_LOGITS = np.linspace(-25, 25, 501)  # where the SNB model's β is looked for, as log(β / (1 - β))
_CLOSE = 1e-6  # share of the population up to which two solutions are one


@dataclass(frozen=True, kw_only=True)
class UniquesEstimate:
    """What one model says about the people who are unique in the population."""

    model: UniquesModel  # ``zayatz``, ``pitman`` or ``snb``
    # estimated people of the population who share their quasi-identifiers with nobody in it, in [0,
    # population size]; None where the model has no answer
    n_population_uniques: float | None
    reason: str = ""  # why it has none, a sentence; empty where it has one


@dataclass(frozen=True, kw_only=True)
class PopulationUniques:
    """Estimates of the three models and the one to go by."""

    n_records: int  # people in the sample and in the population
    population_size: int
    n_sample_uniques: int  # classes with one member in the sample
    zayatz: UniquesEstimate  # the estimates
    pitman: UniquesEstimate
    snb: UniquesEstimate
    chosen: UniquesEstimate  # the one that the decision rule takes

    @property
    def sampling_fraction(self) -> float:
        """Return records / people in the population, in (0, 1]."""
        return self.n_records / self.population_size

    @property
    def population_unique_share(self) -> float | None:
        """Return the chosen estimate / people in the population, in [0, 1]."""
        uniques = self.chosen.n_population_uniques
        return None if uniques is None else uniques / self.population_size

    @property
    def n_records_population_unique(self) -> float | None:
        """Return how many records of the sample are expected to be unique in the population.

        A unique person is in the sample with the probability of the sampling fraction; never more
        than the sample's own uniques.
        """
        uniques = self.chosen.n_population_uniques
        return None if uniques is None else min(uniques * self.sampling_fraction, self.n_sample_uniques)


def population_uniques(class_sizes: IntArray, *, population_size: int) -> PopulationUniques:
    """Estimate how many people are unique in the population that a table is a random sample of.

    Returns `chosen` follows Dankar et al.: with a sampling fraction up to 0.1 Pitman's estimate, above it the
    smaller of Zayatz's and the SNB model's; Zayatz's where the model asked for has no answer.

    References
    ----------
    Dankar, El Emam, Neisa, Roffey, Estimating the re-identification risk of clinical data sets, BMC
    Medical Informatics and Decision Making 12:66, 2012.
    """
    n_records = int(class_sizes.sum())
    if not n_records:
        raise AuditInputError("There is no record to estimate the population from.")
    check_population_size(population_size, n_records=n_records)
    zayatz = zayatz_uniques(class_sizes, population_size=population_size)
    pitman = pitman_uniques(class_sizes, population_size=population_size)
    snb = snb_uniques(class_sizes, population_size=population_size)
    return PopulationUniques(
        n_records=n_records,
        population_size=population_size,
        n_sample_uniques=int(np.count_nonzero(class_sizes == 1)),
        zayatz=zayatz,
        pitman=pitman,
        snb=snb,
        chosen=_chosen(zayatz, pitman, snb, sampling_fraction=n_records / population_size),
    )


def check_population_size(population_size: int, *, n_records: int) -> None:
    """Refuse a population that cannot contain the sample."""
    if population_size < n_records:
        raise input_error(
            "The population size is {size}, but the table alone has {n} record; a population includes "
            "everybody the table was drawn from.",
            "The population size is {size}, but the table alone has {n} records; a population includes "
            "everybody the table was drawn from.",
            n=n_records,
            size=population_size,
        )


def _chosen(
    zayatz: UniquesEstimate, pitman: UniquesEstimate, snb: UniquesEstimate, *, sampling_fraction: float
) -> UniquesEstimate:
    """Return the estimate of Dankar et al.'s rule; Zayatz's always has an answer."""
    if sampling_fraction <= _LARGE_SAMPLE:
        return zayatz if pitman.n_population_uniques is None else pitman
    known = [each for each in (zayatz, snb) if each.n_population_uniques is not None]
    return min(known, key=lambda each: cast("float", each.n_population_uniques))


def zayatz_uniques(class_sizes: IntArray, *, population_size: int) -> UniquesEstimate:
    """Estimate the population's uniques with Zayatz's model; it always has an answer.

    A sample unique may come from a population class of any size i; the sample's own distribution of
    class sizes stands in for the population's.

    Notes
    -----
    N u_1 / n · s_1 h(1) / Σ_i s_i h(i), where s_i is the share of the sample's classes of size i, u_1 the
    sample's uniques, and h(i) the hypergeometric probability that a sample of n out of N holds exactly
    one member of a class of i.

    References
    ----------
    Zayatz, Estimation of the number of unique population elements using a sample, US Bureau of the
    Census, 1991.
    """
    sizes, n_classes = np.unique(class_sizes, return_counts=True)
    n_records = int(class_sizes.sum())
    if sizes[0] != 1:
        return UniquesEstimate(model="zayatz", n_population_uniques=0.0)
    one_drawn = _relative_probability_of_one(sizes, n_records, population_size)
    probability = n_classes[0] / (n_classes @ one_drawn)
    found = population_size / n_records * n_classes[0] * probability
    return UniquesEstimate(model="zayatz", n_population_uniques=float(found))


def _relative_probability_of_one(sizes: IntArray, n_records: int, population_size: int) -> FloatArray:
    """Return h(i) / h(1) = i · Π (1 - (n - 1) / (N - j)) over j = 1 … i - 1, for each class size i."""
    j = np.arange(1, int(sizes.max()))
    factors = np.maximum(1 - (n_records - 1) / (population_size - j), 0.0)
    products = np.append(1.0, np.cumprod(factors))
    return cast("FloatArray", sizes * products[sizes - 1])


def pitman_uniques(class_sizes: IntArray, *, population_size: int) -> UniquesEstimate:
    """Estimate the population's uniques with Pitman's two-parameter model.

    Class sizes of the sample follow the Ewens-Pitman sampling formula with parameters 0 < α < 1 and
    θ > -α, estimated by maximum likelihood; the estimate is the expected number of classes with one
    member in a population of that size.

    Notes
    -----
    E(S_1) = N Γ(θ + 1) Γ(N + θ + α - 1) / (Γ(θ + α) Γ(N + θ)), which is Γ(θ + 1) / Γ(θ + α) · N^α for a
    large population. For each α the likelihood's slope in θ has one root; α is a root of the slope in α
    along it, the one of largest likelihood.

    References
    ----------
    Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of
    Official Statistics 17(4), 2001. Pitman, Exchangeable and partially exchangeable random partitions,
    Probability Theory and Related Fields 102, 1995.
    """
    if reason := _no_pitman_estimate(class_sizes):
        return UniquesEstimate(model="pitman", n_population_uniques=None, reason=reason)
    found = fitted_pitman(class_sizes)
    if found is None:
        return UniquesEstimate(
            model="pitman",
            n_population_uniques=None,
            reason="The likelihood of Pitman's model has no maximum for 0 < α < 1.",
        )
    expected = expected_pitman_uniques(*found, population_size=population_size)
    return UniquesEstimate(model="pitman", n_population_uniques=expected)


def expected_pitman_uniques(theta: float, alpha: float, *, population_size: int) -> float:
    """Return the expected number of classes with one member under Pitman's model, in [0, population size]."""
    n = float(population_size)
    ratio = scipy.special.poch(theta + alpha, 1 - alpha) / scipy.special.poch(
        n + theta + alpha - 1, 1 - alpha
    )
    return min(float(n * ratio), n)


def _no_pitman_estimate(class_sizes: IntArray) -> str:
    if not (class_sizes == 1).any():
        return "The table has no unique record, which Pitman's model needs."
    if len(class_sizes) == 1:
        return "The table has one group only, which fixes no parameter of Pitman's model."
    if (class_sizes == 1).all():
        return "All records of the table are unique, so the likelihood of Pitman's model grows without bound."
    return ""


def fitted_pitman(class_sizes: IntArray) -> tuple[float, float] | None:
    """Return θ and α of the largest likelihood, None where it has no maximum inside of 0 < α < 1."""
    sizes, n_classes = np.unique(class_sizes, return_counts=True)
    u, n = float(len(class_sizes)), float(class_sizes.sum())

    def slope(alpha: float) -> float:
        theta = _theta_given(alpha, u, n)
        over_classes = (u - 1 - theta * _sum_inverse(theta, alpha, u)) / alpha
        within = n_classes @ (scipy.special.digamma(sizes - alpha) - scipy.special.digamma(1 - alpha))
        return float(over_classes - within)

    slopes = np.array([slope(alpha) for alpha in _ALPHAS])
    peaks = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    alphas = [float(scipy.optimize.brentq(slope, _ALPHAS[i], _ALPHAS[i + 1], xtol=1e-12)) for i in peaks]
    fits = [(_theta_given(alpha, u, n), alpha) for alpha in alphas]
    return max(fits, key=lambda fit: pitman_log_likelihood(fit[0], fit[1], sizes, n_classes), default=None)


def _sum_inverse(theta: float, alpha: float, u: float) -> float:
    """Return Σ 1 / (θ + i α) over i = 1 … u - 1."""
    return float(
        (scipy.special.digamma(theta / alpha + u) - scipy.special.digamma(theta / alpha + 1)) / alpha
    )


def _theta_given(alpha: float, u: float, n: float) -> float:
    """Return θ > -α where the likelihood of α has its maximum in θ; it exists for 1 < u < n."""

    def slope(log_shift: float) -> float:
        theta = np.exp(log_shift) - alpha
        return _sum_inverse(theta, alpha, u) - float(
            scipy.special.digamma(theta + n) - scipy.special.digamma(theta + 1)
        )

    upper = 1.0
    while slope(upper) > 0:
        upper += 2.0
    lower = upper - 3.0
    while slope(lower) <= 0:
        lower -= 2.0
    return float(np.exp(scipy.optimize.brentq(slope, lower, upper, xtol=1e-13)) - alpha)


def pitman_log_likelihood(theta: float, alpha: float, sizes: IntArray, n_classes: IntArray) -> float:
    """Return the logarithm of Pitman's sampling formula but for a term without parameters."""
    u, n = float(n_classes.sum()), float(sizes @ n_classes)
    over_classes = (u - 1) * np.log(alpha)
    over_classes += scipy.special.gammaln(theta / alpha + u) - scipy.special.gammaln(theta / alpha + 1)
    over_records = scipy.special.gammaln(theta + n) - scipy.special.gammaln(theta + 1)
    within = n_classes @ (scipy.special.gammaln(sizes - alpha) - scipy.special.gammaln(1 - alpha))
    return float(over_classes - over_records + within)


def snb_uniques(class_sizes: IntArray, *, population_size: int) -> UniquesEstimate:
    """Estimate the population's uniques with the slide negative binomial (SNB) model.

    One less than the size of a population class is negative binomial; its parameters are those for which
    the expected classes with one and with two members in the sample are the ones observed. How many
    classes the population has is estimated with Shlosser's modified estimator.

    Notes
    -----
    With f the sampling fraction, K the classes of the population, d = (1 - f)(1 - β) and
    G = (β / (1 - d))^α: classes of one K f G (1 + α d / (1 - d)); classes of two
    K f² α (1 - β) G (2 - (1 - α) d) / (2 (1 - d)²); uniques of the population K β^α.

    References
    ----------
    Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal of Official
    Statistics 14(1), 1998. Haas and Stokes, Estimating the number of classes in a finite population,
    JASA 93(444), 1998.
    """
    ones, twos = (int(np.count_nonzero(class_sizes == size)) for size in (1, 2))
    if not ones or not twos:
        reason = (
            "The table has no group of exactly two records, which the SNB model needs."
            if ones
            else "The table has no unique record, which the SNB model needs."
        )
        return UniquesEstimate(model="snb", n_population_uniques=None, reason=reason)
    fraction = int(class_sizes.sum()) / population_size
    if fraction == 1:
        return UniquesEstimate(model="snb", n_population_uniques=float(ones))
    n_classes = shlosser_classes(class_sizes, sampling_fraction=fraction)
    found = snb_solutions(ones / n_classes, twos / n_classes, fraction)
    estimates = [n_classes * share for share in found if n_classes * share <= population_size]
    if not estimates or max(estimates) - min(estimates) > _CLOSE * population_size:
        reason = (
            "The equations of the SNB model have several solutions that disagree."
            if estimates
            else "The equations of the SNB model have no solution that the population could hold."
        )
        return UniquesEstimate(model="snb", n_population_uniques=None, reason=reason)
    return UniquesEstimate(model="snb", n_population_uniques=estimates[0])


def shlosser_classes(class_sizes: IntArray, *, sampling_fraction: float) -> float:
    """Return the estimated number of classes in the population, at least those of the sample.

    Notes
    -----
    d + f_1 · Σ i q² (1 - q²)^(i - 1) f_i / Σ (1 - q)^i ((1 + q)^i - 1) f_i ·
    (Σ (1 - q)^i f_i / Σ i q (1 - q)^(i - 1) f_i)², with d classes in the sample, f_i of them of size i.

    References
    ----------
    Haas and Stokes, Estimating the number of classes in a finite population, JASA 93(444), 1998
    (estimator D_Sh3).
    """
    sizes, count = np.unique(class_sizes, return_counts=True)
    i, q = sizes.astype(np.float64), sampling_fraction
    first = count @ (i * q**2 * (1 - q**2) ** (i - 1))
    second = count @ ((1 - q**2) ** i - (1 - q) ** i)
    third = count @ ((1 - q) ** i) / (count @ (i * q * (1 - q) ** (i - 1)))
    ones = int(count[sizes == 1].sum())
    return float(count.sum() + (ones * first / second * third**2 if ones else 0.0))


def snb_solutions(ones: float, twos: float, fraction: float) -> list[float]:
    """Return β^α, the share of a population's classes with one member, for every solution in β."""
    return [fit[0] for fit in _snb_fits(ones, twos, fraction)]


def _snb_fits(ones: float, twos: float, fraction: float) -> list[tuple[float, float, float]]:
    """Return β^α, α and β for every solution in β."""

    def error(logit_beta: float) -> float:
        return float(_snb_ones(logit_beta, twos / ones, fraction)[0] / ones - 1)

    errors = np.array([error(logit) for logit in _LOGITS])
    crossings = np.flatnonzero((errors[:-1] > 0) != (errors[1:] > 0))
    roots = [float(scipy.optimize.brentq(error, _LOGITS[i], _LOGITS[i + 1], xtol=1e-12)) for i in crossings]
    return [_snb_ones(root, twos / ones, fraction)[1:] for root in roots]


def snb_parameters(class_sizes: IntArray, *, population_size: int) -> tuple[float, float] | None:
    """Return α and β of the SNB model, None where :func:`snb_uniques` has no answer or all are sampled."""
    ones, twos = (int(np.count_nonzero(class_sizes == size)) for size in (1, 2))
    fraction = int(class_sizes.sum()) / population_size
    if (
        fraction == 1
        or snb_uniques(class_sizes, population_size=population_size).n_population_uniques is None
    ):
        return None
    n_classes = shlosser_classes(class_sizes, sampling_fraction=fraction)
    fits = [
        fit[1:]
        for fit in _snb_fits(ones / n_classes, twos / n_classes, fraction)
        if n_classes * fit[0] <= population_size
    ]
    return fits[0]


def _snb_ones(logit_beta: float, ratio: float, fraction: float) -> tuple[float, float, float, float]:
    """Return the expected share of classes with one member in the sample, and β^α, α and β, given β."""
    beta, rest = float(scipy.special.expit(logit_beta)), float(scipy.special.expit(-logit_beta))
    d, left = (1 - fraction) * rest, beta + fraction * rest  # left = 1 - d without cancellation
    a, b, c = (fraction * rest * d, fraction * rest * (2 - d) - 2 * ratio * left * d, -2 * ratio * left**2)
    root = np.sqrt(b * b - 4 * a * c)
    alpha = 2 * -c / (b + root) if b > 0 else (root - b) / (2 * a)
    log_beta = float(scipy.special.log_expit(logit_beta))
    one = fraction * np.exp(alpha * (log_beta - np.log(left))) * (1 + alpha * d / left)
    return float(one), float(np.exp(alpha * log_beta)), float(alpha), beta
