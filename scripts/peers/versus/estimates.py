"""Estimates the time of a step from several steps, and a ratio with its interval from several rounds."""

import math
from dataclasses import dataclass


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def interquartile_mean(values):
    """Returns the mean of the sorted values from n/4 to n - n/4, as ddlbench computes the time of a step."""
    ordered = sorted(values)
    cut = len(ordered) // 4
    kept = ordered[cut:len(ordered) - cut]
    return sum(kept) / len(kept)


@dataclass(frozen=True)
class Estimate:
    """A median over rounds. `low` and `high` are two of the rounds' values, which bound the true median with
    probability `confidence`."""
    value: float
    low: float
    high: float
    confidence: float
    rounds: int


def confidence_of(rounds, cut):
    """Returns the probability that the true median lies within the values that remain if `cut` are removed at either
    end of so many independent ones. Each lies below it with probability 1/2, so the number that do is binomial."""
    outside = sum(math.comb(rounds, below) for below in range(cut + 1)) / 2 ** rounds
    return max(0.0, 1 - 2 * outside)


def cut_of(rounds, wanted):
    """Returns how many values may be removed at either end: as many as the wanted confidence allows, none of few
    rounds."""
    cut = 0
    while 2 * (cut + 1) < rounds and confidence_of(rounds, cut + 1) >= wanted:
        cut += 1
    return cut


def interval_confidence(rounds, wanted=0.95):
    """Returns the actual confidence of an interval over so many rounds, which is less than wanted if there are few."""
    return confidence_of(rounds, cut_of(rounds, wanted))


def estimate(values, wanted=0.95):
    if not values:
        raise ValueError("no rounds")
    ordered, rounds = sorted(values), len(values)
    cut = cut_of(rounds, wanted)
    return Estimate(median(ordered), ordered[cut], ordered[rounds - 1 - cut], confidence_of(rounds, cut), rounds)


def paired(numerators, denominators):
    """Estimates the ratio within each round, so that what slows both sides of a round cancels out."""
    if len(numerators) != len(denominators):
        raise ValueError("a round lacks a side")
    return estimate([a / b for a, b in zip(numerators, denominators)])
