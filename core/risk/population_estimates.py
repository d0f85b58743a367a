"""Risk against a population of which only the size is known: estimates, their models and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from core.coding import IntArray
from core.risk.individual import risk_given_population
from core.risk.population import fitted_pitman, pitman_log_likelihood, snb_parameters
from core.risk.words import percent

FloatArray = npt.NDArray[np.float64]
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


_NAMES = {"weights": "sampling weights", "pitman": "Pitman's model", "snb": "the SNB model"}


def estimates_note(estimates: Sequence[MarketerEstimate]) -> str:
    """Return what the models estimate of the marketer's risk, in a sentence."""
    known = []
    for each in estimates:
        if each.risk is not None:
            between = ""
            if each.interval is not None:
                between = f" ({percent(each.interval[0])} to {percent(each.interval[1])})"
            known.append(f"{percent(each.risk)}{between} by {_NAMES[each.model]}")
    return (
        f"Estimated for a random sample: {', '.join(known)}; models differ, and none of it is certain."
        if known
        else ""
    )


def _pitman_inverse(
    sizes: IntArray, theta: float, alpha: float, n_records: int, population_size: int
) -> FloatArray:
    """Return E(1 / F | f) for each size f; a Poisson number of others joins, given their share."""
    others = population_size - n_records
    inverse = n_records / (sizes * float(population_size))
    small = sizes <= _LARGE
    f = sizes[small].astype(np.float64)[:, None]
    share = stats.beta.ppf(_NODES, f - alpha, n_records - f + theta + alpha)
    inverse[small] = (special.hyp1f1(1.0, f + 1, -others * share) / f).mean(axis=1)
    return inverse


def _pitman_draws(
    theta: float, alpha: float, sizes: IntArray, n_classes: IntArray
) -> list[tuple[float, float]]:
    """Return parameters drawn from the normal distribution around the estimate; none without a maximum."""
    center = np.array([np.log(theta + alpha), special.logit(alpha)])

    def value(at: FloatArray) -> float:
        drawn = float(special.expit(at[1]))
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
    alphas = special.expit(normal[:, 1])
    return list(zip((np.exp(normal[:, 0]) - alphas).tolist(), alphas.tolist(), strict=True))


def _snb_inverse(sizes: IntArray, alpha: float, beta: float, fraction: float) -> FloatArray:
    """Return E(1 / F | f) for each size f, summed over F from f on until nothing is left."""
    inverse = fraction / sizes
    small = sizes <= _LARGE
    decay = -np.log((1 - beta) * (1 - fraction)) if fraction < 1 else np.inf
    reach = int(min(_LARGE + 60 / decay, 200_000)) if np.isfinite(decay) else _LARGE
    population = np.arange(1, max(reach, _LARGE) + 1)
    log_prior = special.gammaln(alpha + population - 1) - special.gammaln(population)
    log_prior += (population - 1) * np.log1p(-beta)
    for position in np.flatnonzero(small):
        f = int(sizes[position])
        given = population[f - 1 :]
        log_weight = log_prior[f - 1 :] + special.gammaln(given + 1) - special.gammaln(given - f + 1)
        log_weight = log_weight + (given - f) * np.log1p(-fraction) if fraction < 1 else log_weight
        weight = np.exp(log_weight - log_weight.max())
        inverse[position] = float(weight @ (1 / given) / weight.sum())
    return inverse
