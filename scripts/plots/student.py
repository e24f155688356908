"""Student's t distribution (bench/statistics/student.h has the sources)."""

import math
from functools import lru_cache


def beta_fraction(x, a, b):
    """Lentz's method for the continued fraction of the incomplete beta function."""
    def away_from_zero(v):
        return v if abs(v) >= 1e-300 else 1e-300

    c, d = 1.0, 1 / away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / away_from_zero(1 + term * d), away_from_zero(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < 2.3e-16:
            break
    return value


def incomplete_beta(x, a, b):
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return scale * beta_fraction(x, a, b) / a
    return 1 - scale * beta_fraction(1 - x, b, a) / b


@lru_cache(maxsize=None)
def student_quantile(probability, degrees):
    """Returns t > 0 so that Student's T is at most t with `probability` > 1/2."""
    def exceeds(t):
        return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) > 2 * (1 - probability)

    low, high = 0.0, 1.0
    while exceeds(high):
        high *= 2
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high
