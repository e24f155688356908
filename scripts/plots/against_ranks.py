"""Draws values against ranks: a panel for each facet, in it a line for each strategy, and below it what did not run to
its end."""

from matplotlib.lines import Line2D

import sweep
from facets import by_facet, words_of
from layout import add_panel, label_edges, lay_out
from scales import linear_from_zero, logarithmic, ranks_axis, unit_for, wide
from strip import draw_strip, failures, meanings, must_be_short
from style import GREY, state_entries

HEIGHT = {1: 2.6, 2: 1.9}  # inches of the panels, by the number of columns
GUIDE = {"color": GREY, "linestyle": (0, (4, 3)), "linewidth": 1.0}
INTERVALS = "Error bars are 95\u00a0% intervals{}."
BANDS = "Points of several seeds are estimates; bars and bands are 95\u00a0% intervals over the seeds."


def shifted(lines, value_of):
    """Returns the place on the axis for each point with a value: beside its number of ranks if others have the same, so that
    equal values do not hide each other; at most a twelfth of an octave away."""
    drawn = [point for line in lines for point in line.points if value_of(point)]
    places = {}
    for same in by_facet(lambda point: point.ranks, drawn).values():
        step = min(0.035, 0.17 / len(same))
        places |= {point: point.ranks * 2 ** (step * (number - (len(same) - 1) / 2)) for number, point in enumerate(same)}
    return places


class Chart:
    """What to draw: `value_of(point)`, by facet; `guides` are {facet: curves}, a curve is {ranks: value}."""

    def __init__(self, value_of, lines, guides=None):
        self.value_of, self.guides = value_of, guides or {}
        with_values = {line.facet for line in lines if any(value_of(point) for point in line.points)}
        self.lines = {facet: own for facet, own in by_facet(lambda line: line.facet, lines).items() if facet in with_values}

    def values(self, facets):
        found = [self.value_of(point) for facet in facets for line in self.lines[facet] for point in line.points]
        ends = [end for value in found if value for end in (value.value, value.low, value.high) if end and end > 0]
        return ends + [value for facet in facets for curve in self.guides.get(facet, []) for value in curve.values()]

    def points(self):
        return [point for lines in self.lines.values() for line in lines for point in line.points]


def draw_line(picture, axes, looks, line, value_of, places):
    """Draws points, error bars, the band over seeds and the lines between points."""
    colour, drawn = looks.colour(line.strategy), []
    for point in line.points:
        value = value_of(point)
        if not value:
            continue
        x = places[point]
        picture.point(axes, x, value.value, point.state, colour, looks.marker(line.strategy),
                      picture.mark(value.cases, value.columns, ranks=point.ranks, **value.data))
        if value.low is not None:
            gid = picture.mark(value.cases, value.ends, **value.data)
            picture.interval(axes, [x, x], [value.low, value.high], colour, gid)
        drawn.append((x, value, point.state))
    join(axes, drawn, colour, looks.dash(line.strategy))
    band = [(x, value) for x, value, _ in drawn if value.estimated and value.low is not None]
    if len(band) > 1:
        axes.fill_between([x for x, _ in band], [value.low for _, value in band], [value.high for _, value in band],
                          color=colour, alpha=0.15, linewidth=0, zorder=2)


def join(axes, drawn, colour, dash):
    """Draws a full line between ranked points, a thin one to oversubscribed and shared ones, and none to others."""
    for (x0, first, state), (x1, second, following) in zip(drawn, drawn[1:]):
        if {state, following} <= {sweep.RANKED, sweep.OVERSUBSCRIBED, sweep.SHARED}:
            ranked = {state, following} == {sweep.RANKED}
            axes.plot([x0, x1], [first.value, second.value], color=colour, linestyle=dash,
                      linewidth=1.3 if ranked else 0.7, alpha=1 if ranked else 0.6, zorder=3)


def scale_axes(chart, facets, panels, units, ratio):
    """Gives panels one scale. Returns the unit."""
    values = chart.values(facets)
    factor, unit = unit_for(max(values), units) if units else (1, "")
    for panel in panels:
        if wide(values, ratio):
            logarithmic(panel.axes, "y", factor, values)
            panel.axes.set_ylim(min(values) / 1.25, max(values) * 1.25)
        else:
            panel.axes.set_ylim(0, max(values) * 1.06)
            linear_from_zero(panel.axes, "y", factor)
    return unit


def legend_entries(sheet, chart, guide):
    lines = [line for own in chart.lines.values() for line in own]
    entries = {", ".join(filter(None, [sheet.label(line.strategy), line.which])): sheet.looks.handle(line.strategy)
               for line in lines}
    found = [(handle, label) for label, handle in entries.items()]
    if chart.guides and any(chart.guides.values()):
        found.append((Line2D([], [], **GUIDE), guide))
    drawn = [point.state for point in chart.points() if chart.value_of(point)]
    return found + state_entries(drawn)


def notes_of(chart, intervals, short):
    values = [value for value in map(chart.value_of, chart.points()) if value]
    notes = [INTERVALS.format(intervals)] if any(value.low and not value.estimated for value in values) else []
    notes += [BANDS] if any(value.estimated for value in values) else []
    lines = [line for own in chart.lines.values() for line in own]
    if any(point.failed for point in chart.points()):
        notes.append(f"Below the axes: cases that did not run to the end ({meanings(lines, short)}).")
    return notes


def draw(sheet, picture, chart, label, units=None, ratio=8, intervals="", guide="", about="", always_shared=False):
    """Draws the chart's facets into a picture. Panels of the same model and data share their axes, others if the values
    have no unit."""
    places = sheet.places(chart.lines)
    columns = 1 + max(column for _, column in places.values())
    ranks = [point.ranks for point in chart.points()]
    short = must_be_short([line for own in chart.lines.values() for line in own], ranks, sheet.width / columns - 0.55)
    rows = {}  # of the strips, by row of the grid
    for facet, (row, _) in places.items():
        rows[row] = max(rows.get(row, 0), len(failures(chart.lines[facet])))
    panels = {facet: add_panel(picture, *place, words_of(facet)) for facet, place in places.items()}
    groups = by_facet(lambda facet: "" if always_shared else sheet.scale_of(chart.lines[facet][0].points), panels)
    for group in groups.values():
        unit = scale_axes(chart, group, [panels[facet] for facet in group], units, ratio)
        for facet in group:
            panels[facet].y_label = f"{label} ({unit})" if unit else label
            panels[facet].x_label = "Ranks"
    for facet, panel in panels.items():
        ranks_axis(panel.axes, ranks)
        for curve in chart.guides.get(facet, []):
            panel.axes.plot(sorted(curve), [curve[count] for count in sorted(curve)], zorder=2, **GUIDE)
        places = shifted(chart.lines[facet], chart.value_of)
        for line in chart.lines[facet]:
            draw_line(picture, panel.axes, sheet.looks, line, chart.value_of, places)
        draw_strip(picture, panel, sheet.looks, chart.lines[facet], rows[panel.row], short)
    label_edges(picture.panels, share_y=len(groups) == 1)
    picture.entries = legend_entries(sheet, chart, guide)
    picture.notes = [about] * bool(about) + notes_of(chart, intervals, short)
    lay_out(picture, lambda row, wide_: HEIGHT.get(columns, 1.5))
    return [picture]
