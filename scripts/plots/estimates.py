"""Estimates over seeds with 95 % intervals: the same numbers as in the table of the seeds (bench/statistics/interval.h
has the method and its sources; a test compares both)."""

import math

import numpy

from resamples import drawn
from student import student_quantile

CONFIDENCE = 0.95


def hodges_lehmann(values):
    """Returns the median of the means of all pairs along the last axis, each value also paired with itself."""
    values = numpy.asarray(values, dtype=float)
    first, second = numpy.triu_indices(values.shape[-1])
    return numpy.median((values[..., first] + values[..., second]) / 2, axis=-1)


def location(values):
    """Returns (estimate, low, high); the ends are None for a single value."""
    count = len(values)
    if count == 1:
        return values[0], None, None
    estimate = float(hodges_lehmann(values))
    t = student_quantile((1 + CONFIDENCE) / 2, count - 1)
    mean = math.fsum(values) / count
    reach = t * math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
    found = numpy.sort(hodges_lehmann(numpy.asarray(values, dtype=float)[drawn(count)]))
    tail = int(math.erfc(math.sqrt(count / (count - 1)) * t / math.sqrt(2)) / 2 * len(found))
    return (estimate, min(estimate, mean - reach, float(found[tail])),
            max(estimate, mean + reach, float(found[len(found) - 1 - tail])))


def location_of_logarithms(values):
    """Returns the same for positive values whose logarithms are averaged, such as times and ratios."""
    return tuple(None if end is None else math.exp(end) for end in location([math.log(value) for value in values]))
