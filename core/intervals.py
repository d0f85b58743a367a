"""How sure a share is that was counted in a sample."""

from math import sqrt

Z_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution


def wilson_interval(n_hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share; (0, 1) of nothing, exact at none and at all.

    >>> low, high = wilson_interval(27, 30)
    >>> round(low, 3), round(high, 3)
    (0.744, 0.965)

    References
    ----------
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22(158), 1927.
    """
    if not n:
        return 0.0, 1.0
    share, square = n_hits / n, Z_95**2 / n
    middle, half = share + square / 2, Z_95 * sqrt(share * (1 - share) / n + square / (4 * n))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return max(low, 0.0) if n_hits else 0.0, min(high, 1.0) if n_hits < n else 1.0
