"""The figures of scaling: epoch time, speedup and weak scaling against ranks."""

import sweep
import values
from against_ranks import Chart, draw
from lines import strong_lines, weak_lines
from scales import TIMES

ALONE = "no strategy ran on several numbers of ranks at a constant batch per rank"


def strong(sheet, value_of, column, guides=None):
    chart = Chart(value_of, strong_lines(sheet.facets, sheet.points), guides)
    if not chart.lines:
        only_weak = any(map(value_of, sheet.points))
        raise sweep.NoData("the batch per rank is constant, see weak_scaling" if only_weak else
                           f"no case has a value of {column}")
    return chart


def epoch_time(sheet):
    """The step time stands in where no case trained an epoch."""
    sheet.sweep.require_columns("epoch_seconds", "step_seconds")
    trained = any(map(values.epoch_time, sheet.points))
    what, value_of = ("Epoch time", values.epoch_time) if trained else ("Step time", values.step_time)
    chart = strong(sheet, value_of, "epoch_seconds")
    return draw(sheet, sheet.picture("epoch_time", f"{what} against ranks"), chart, what, TIMES,
                intervals=" of the step time, scaled to the epoch" if trained else " of the step time")


def ideals(points):
    """Returns the distinct curves {ranks: speedup with all busy threads in use}, which is speedup divided by efficiency,
    and whether they are the ranks themselves."""
    curves = {}
    for point in points:
        for case in point.best:
            ratio, efficiency = case.positive("speedup_ratio"), case.positive("efficiency_ratio")
            if ratio and efficiency:
                ideal = curves.setdefault(point.contract, {}).setdefault(point.ranks, set())
                ideal.add(float(f"{ratio / efficiency:.9g}"))
    single = [{ranks: found.pop() for ranks, found in curve.items() if len(found) == 1} for curve in curves.values()]
    return [curve for number, curve in enumerate(single) if len(curve) > 1 and curve not in single[:number]]


def speedup(sheet):
    sheet.sweep.require_columns("speedup_ratio", "efficiency_ratio")
    chart = strong(sheet, values.speedups(sheet.points), "speedup_ratio")
    for facet, lines in chart.lines.items():
        chart.guides[facet] = ideals([point for line in lines for point in line.points])
    curves = [curve for found in chart.guides.values() for curve in found]
    plain = all(ranks == value for curve in curves for ranks, value in curve.items())
    picture = sheet.picture("speedup", "Speedup over the best one-rank case")
    return draw(sheet, picture, chart, "Speedup", ratio=12, always_shared=True,
                guide="ideal" if plain else "ideal for the busy threads")


def weak_scaling(sheet):
    """The efficiency is the step time on the fewest ranks of a line / the own step time."""
    sheet.sweep.require_columns("step_seconds", "global_batch")
    lines, efficiencies = weak_lines(sheet.facets, sheet.points), {}
    for line in lines:
        timed = [point for point in line.points if values.step_time(point)]
        if len(timed) > 1:
            efficiencies |= {point: values.efficiency(point, timed[0]) for point in timed}
    chart = Chart(efficiencies.get, lines)
    if not chart.lines:
        raise sweep.NoData(ALONE)
    for facet, own in chart.lines.items():
        ranks = sorted({point.ranks for line in own for point in line.points})
        chart.guides[facet] = [{ranks[0]: 1.0, ranks[-1]: 1.0}]
    points = chart.points()
    return draw(sheet, sheet.picture("weak_scaling", "Efficiency of weak scaling", points), chart,
                "Efficiency", guide="ideal", always_shared=True, intervals=" of both step times",
                about="Efficiency: step time on the fewest ranks of the line / own step time.")
