"""Facets: what distinguishes the panels of a figure. Cases of one panel differ in strategy, ranks and seed alone."""

from points import CONDITIONS, condition


def different(points, name):
    return len({condition(point.cases[0], name) for point in points} - {""}) > 1


def threads(point):
    return point.text("threads_per_rank")


def plural(count, word):
    return f"{count}\u00a0{word}{'s' * (str(count) != '1')}"


def roots(points):
    """Returns for each scaling_id one of those that belong to the same settings: a point's cases differ in the seed
    alone, but the seed is part of the scaling_id."""
    root = {}

    def find(key):
        while root.setdefault(key, key) != key:
            key = root[key]
        return key

    for point in points:
        first = find((point.experiment, point.cases[0].text("scaling_id")))
        for case in point.cases[1:]:
            root[find((point.experiment, case.text("scaling_id")))] = first
    return {key: find(key) for key in list(root)}


class Facets:
    """The facets of the points of a sweep. A facet is a tuple of words, of which some may be empty."""

    def __init__(self, points):
        self.names = [name for name in CONDITIONS if different(points, name)]
        self.roots = roots(points)
        self.batches = len({point.text("global_batch") for point in points}) > 1
        self.threads = self.threads_distinguish(points)
        self.settings = {}
        for point in points:
            self.settings.setdefault(self.context(point), {}).setdefault(self.scaling(point), len(self.settings))
        self.experiments = self.must_name_experiments(points)

    def scaling(self, point):
        return self.roots[point.experiment, point.cases[0].text("scaling_id")]

    def context(self, point):
        return (point.experiment, *(condition(point.cases[0], name) for name in self.names))

    def threads_distinguish(self, points):
        """Returns whether a strategy ran on some number of ranks with several numbers of threads."""
        seen = {}
        for point in points:
            seen.setdefault((self.context(point), point.contract, point.strategy, point.ranks), set()).add(threads(point))
        return any(len(found) > 1 for found in seen.values())

    def must_name_experiments(self, points):
        """Returns whether the other words do not tell the experiments apart."""
        named = {}
        for point in points:
            named.setdefault((*self.context(point)[1:], self.hidden(point)), set()).add(point.experiment)
        return any(len(experiments) > 1 for experiments in named.values())

    def hidden(self, point):
        """Returns a word for settings that no condition shows, if there are several in the same context."""
        several = self.settings[self.context(point)]
        return f"settings {self.scaling(point)[1][:6]}" if len(several) > 1 else ""

    def before_batch(self, point):
        experiment, *words = self.context(point)
        return (experiment if self.experiments else "", *words, self.hidden(point))

    def batch(self, point):
        return f"batch {point.text('global_batch')}" if self.batches else ""

    def after_batch(self, point):
        return plural(threads(point), "thread") + " per rank" if self.threads else ""

    def of(self, point):
        """Returns the facet of cases that are comparable."""
        return (*self.before_batch(point), self.batch(point), self.after_batch(point))


def words_of(facet):
    return ", ".join(filter(None, facet))


def by_facet(facet_of, things):
    """Returns {facet: things}, in the order of their first occurrence."""
    found = {}
    for thing in things:
        found.setdefault(facet_of(thing), []).append(thing)
    return found


def arranged(facets, most):
    """Returns the places {facet: (row, column)} in a grid of at most `most` columns. Facets that differ in two things
    are a table of them where it fits."""
    facets = list(facets)
    varying = [i for i in range(len(facets[0])) if len({facet[i] for facet in facets}) > 1]
    if len(varying) == 2 and len(facets) > 3:
        first, second = ([*dict.fromkeys(facet[i] for facet in facets)] for i in varying)
        if len(first) * len(second) == len(facets):
            if len(second) <= most:
                return {f: (first.index(f[varying[0]]), second.index(f[varying[1]])) for f in facets}
            if len(first) <= most:
                return {f: (second.index(f[varying[1]]), first.index(f[varying[0]])) for f in facets}
    rows = -(-len(facets) // most)
    columns = -(-len(facets) // rows)
    return {facet: divmod(number, columns) for number, facet in enumerate(facets)}


def models(points):
    """Returns the models and data sets, for titles."""
    names = list(dict.fromkeys(" on ".join(filter(None, [point.text("workload"), point.text("dataset")])) for point in points))
    return ", ".join(names) if len(names) < 4 else f"{len(names)} workloads"


def shared_conditions(points):
    """Returns what all points share, and title does not say, as one line of text."""
    words = []
    for name in [name for name in CONDITIONS if name not in ("workload", "dataset", "seed")]:
        found = {condition(point.cases[0], name) for point in points} - {""}
        words += found if len(found) == 1 else []
    batches = {point.text("global_batch") for point in points}
    counts = {threads(point) for point in points} - {""}
    seeds = list(dict.fromkeys(seed for point in points for seed in point.seeds))
    words += [f"batch {batch}" for batch in batches if len(batches) == 1 and batch]
    words += [plural(count, "thread") + " per rank" for count in counts if len(counts) == 1]
    if len(seeds) == 1 or all(len(point.cases) > 1 for point in points):
        words.append(("seeds " if len(seeds) > 1 else "seed ") + ", ".join(seeds))
    experiments = {point.experiment for point in points}
    return (f"{experiments.pop()}: " if len(experiments) == 1 else "") + ", ".join(words)
