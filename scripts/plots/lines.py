"""Groups points into lines over ranks: those of a strategy and a contract (strong scaling), and those of a strategy with
one batch per rank (weak scaling). The page of `ddlbench report` has the same lines (bench/page/case_lines.h)."""

from dataclasses import dataclass

from facets import by_facet


@dataclass
class Line:
    facet: tuple
    strategy: str
    points: list  # in ascending order of ranks, none twice
    which: str = ""  # tells it from other lines of the strategy in the facet


def per_rank(point):
    batch = point.number("global_batch")
    return batch / point.ranks if batch else None


def different_ranks(points):
    return len({point.ranks for point in points})


def is_weak(points):
    return different_ranks(points) > 1 and per_rank(points[0]) is not None


def split(points):
    """Splits points that have a number of ranks in common, into a line each."""
    if different_ranks(points) == len(points):
        return [("", points)]
    return [(point.cases[0].id, [point]) for point in points]


def curves(facets, points):
    """Returns the points of each strategy whose settings differ in the batch alone, in two ways: by batch, and by batch
    per rank if several numbers of ranks have it."""
    def settings(point):
        return (*facets.before_batch(point), facets.after_batch(point), point.strategy, facets.scaling(point))

    for group in by_facet(settings, points).values():
        contracts = by_facet(lambda point: point.contract, group)
        weak = {}
        if len(contracts) > 1:
            weak = {batch: own for batch, own in by_facet(per_rank, group).items() if is_weak(own)}
        yield contracts, weak


def strong_lines(facets, points):
    lines = []
    for contracts, weak in curves(facets, points):
        in_weak = [point for own in weak.values() for point in own]
        for own in contracts.values():
            if different_ranks(own) > 1 or any(point not in in_weak for point in own):
                lines += lines_of(facets.of(own[0]), own)
    return lines


def weak_lines(facets, points):
    lines, batches = [], {}
    for _, weak in curves(facets, points):
        for batch, own in weak.items():
            facet = (*facets.before_batch(own[0]), f"batch {batch:g} per rank", facets.after_batch(own[0]))
            lines += lines_of(facet, own)
            batches[facet] = batch
    lines = [line for line in lines if len(line.points) > 1]
    first = [*dict.fromkeys(facets.before_batch(point) for point in points)]
    return sorted(lines, key=lambda line: (first.index(line.facet[:-2]), batches[line.facet]))


def lines_of(facet, points):
    return [Line(facet, points[0].strategy, sorted(own, key=lambda point: point.ranks), which)
            for which, own in split(points)]
