"""What a figure shows of a point: a value with its interval, and the cells that they come from."""

from dataclasses import dataclass
from functools import lru_cache

from estimates import location_of_logarithms


@dataclass
class Value:
    value: float
    low: object   # None: there is no interval
    high: object
    cases: list   # whose cells they come from
    columns: list  # of the value
    ends: list     # columns of the interval
    estimated: bool = False  # over several seeds

    @property
    def data(self):
        """Returns the attributes of a mark that no cell has: an estimate over seeds."""
        if not self.estimated:
            return {}
        numbers = [number for number in (self.value, self.low, self.high) if number is not None]
        return {"estimate": " ".join(f"{number:.9g}" for number in numbers)}


def interval_of(case, low, high):
    ends = case.positive(low), case.positive(high)
    return ends if all(ends) else (None, None)


def over_seeds(cases, columns, values):
    return Value(*location_of_logarithms(values), cases, columns, columns, True)


@lru_cache(maxsize=None)
def step_time(point):
    cases = point.with_value("step_seconds")
    if len(cases) > 1:
        return over_seeds(cases, ["step_seconds"], [case.positive("step_seconds") for case in cases])
    if not cases:
        return None
    ends = interval_of(cases[0], "step_seconds_low", "step_seconds_high")
    return Value(cases[0].positive("step_seconds"), *ends, cases, ["step_seconds"], ["step_seconds_low", "step_seconds_high"])


@lru_cache(maxsize=None)
def epoch_time(point):
    """The interval is that of the step time, scaled to the epoch."""
    cases = point.with_value("epoch_seconds")
    if len(cases) > 1:
        return over_seeds(cases, ["epoch_seconds"], [case.positive("epoch_seconds") for case in cases])
    if not cases:
        return None
    seconds, step = cases[0].positive("epoch_seconds"), step_time(point)
    scale = seconds / step.value if step and step.low else None
    low, high = (step.low * scale, step.high * scale) if scale else (None, None)
    return Value(seconds, low, high, cases, ["epoch_seconds"], ["step_seconds_low", "step_seconds_high"])


def own_speedup(point):
    """The speedup of a single case; the baseline itself has no interval."""
    cases = point.with_value("speedup_ratio")
    if not cases:
        return None
    case = cases[0]
    is_compared = case.text("verdict") != ""
    ends = interval_of(case, "speedup_low_ratio", "speedup_high_ratio") if is_compared else (None, None)
    return Value(case.positive("speedup_ratio"), *ends, [case], ["speedup_ratio"],
                 ["speedup_low_ratio", "speedup_high_ratio"])


def baselines_over_seeds(points):
    """Returns for each contract with several seeds its baseline: the ranked point on one rank with the smallest step time."""
    found = {}
    for point in sorted(points, key=lambda p: (p.ranks, p.number("threads_per_rank") or 0, p.strategy)):
        step = step_time(point) if point.ranks == 1 and point.state == "ranked" else None
        if step and (point.contract not in found or step.value < found[point.contract][1]):
            found[point.contract] = point, step.value
    return {contract: point for contract, (point, _) in found.items()}


def paired(point, base, columns):
    """Returns base's step time / own step time, estimated from the seeds that both have; None if these are fewer than
    two."""
    theirs = {case.text("seed"): case.positive("step_seconds") for case in base.with_value("step_seconds")}
    cases = [case for case in point.with_value("step_seconds") if case.text("seed") in theirs]
    if len(cases) < 2:
        return None
    if point is base:
        return Value(1.0, None, None, cases, columns, [], True)
    return over_seeds(cases, columns, [theirs[case.text("seed")] / case.positive("step_seconds") for case in cases])


def speedups(points):
    """Returns the function that gives a point's speedup: over seeds, from the pairs of cases with the same seed, as in the
    table of the seeds."""
    baselines = baselines_over_seeds(points)

    @lru_cache(maxsize=None)
    def speedup(point):
        base = baselines.get(point.contract)
        if base is None or not point.with_value("speedup_ratio"):
            return own_speedup(point)
        return paired(point, base, ["speedup_ratio"]) or own_speedup(point)

    return speedup


def efficiency(point, base):
    """Returns base's step time / own step time. The interval of single cases is what those of both leave: [base's low /
    own high, base's high / own low]."""
    if value := paired(point, base, ["step_seconds"]):
        return value
    theirs, own, ends = step_time(base), step_time(point), (None, None)
    if point is not base and theirs.low and own.low:
        ends = theirs.low / own.high, theirs.high / own.low
    return Value(theirs.value / own.value, *ends, own.cases, own.columns, own.ends)
