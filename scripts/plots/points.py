"""Points of the figures: a case, or cases that differ in the seed alone, which are one point with an interval over the
seeds."""

import sweep

STATE_ORDER = sweep.STATES.index


def seed_of(case):
    seed = case.text("seed")
    return int(seed) if seed.isdigit() else 0


class Point:
    """`cases` in ascending order of seeds. `best` are those of the best state that occurs: only they give values, so that a
    ranked estimate has no unranked case in it."""

    def __init__(self, cases):
        self.cases = cases = sorted(cases, key=seed_of)
        self.strategy, self.ranks, self.experiment = cases[0].strategy, cases[0].ranks, cases[0].experiment
        self.state = min((case.state for case in cases), key=STATE_ORDER)
        self.best = [case for case in cases if case.state == self.state]
        self.failed = [case for case in cases if case.state == sweep.NOT_OK]
        self.text, self.number, self.positive = self.best[0].text, self.best[0].number, self.best[0].positive

    @property
    def contract(self):
        return self.text("replicate_id") or self.text("contract_id")

    @property
    def seeds(self):
        return [case.text("seed") for case in self.cases]

    def with_value(self, column):
        return [case for case in self.best if case.positive(column) is not None]


def condition(case, name):
    """Returns what the case has of a condition, as words. Seeds are none if they are known to be replicates."""
    if name == "experiment":
        return case.experiment
    if name == "seed":
        return "" if case.text("replicate_id") else f"seed {case.text('seed')}"
    return case.text(name)


CONDITIONS = "workload dataset device transport throttle precision optimizer seed".split()


def points_of(cases):
    """Returns the cases as points, in the order of their first cases."""
    groups, order = {}, []
    for case in cases:
        key = (case.experiment, case.text("replicate_id") or case.text("contract_id"), case.strategy, case.ranks,
               case.text("threads_per_rank"), *(condition(case, name) for name in CONDITIONS))
        number = 0  # a strategy that occurs twice gives two points
        while any(other.text("seed") == case.text("seed") for other in groups.get((key, number), [])):
            number += 1
        if (key, number) not in groups:
            order.append((key, number))
        groups.setdefault((key, number), []).append(case)
    return [Point(groups[key]) for key in order]
