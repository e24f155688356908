"""Draws stacked horizontal bars: a panel for each facet, in it a bar for each strategy and number of ranks."""

from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator

import sweep
from facets import by_facet, plural, words_of
from layout import add_panel, label_edges, lay_out
from scales import linear_from_zero, unit_for
from strip import meaning
from style import GREY, SMALL, pretty
from text import height, wrapped

BAR, ROOM = 0.19, 0.07  # inches of a bar, and between labels
LABELS = 0.38           # of the width, at most
NARROWEST = 1.0         # inches of a panel


def name(point):
    """Returns what identifies a bar in its facet, unless two points there share it."""
    return f"{pretty(point.strategy)}, {plural(point.ranks, 'rank')}"


def rows_of(points):
    """Returns {row: point} for the points of a facet, in their order."""
    rows = {}
    for point in points:
        label = name(point)
        rows[label if label not in rows else f"{label}, {point.cases[0].id}"] = point
    return rows


def with_state(label, points):
    """Returns the label with the state of the points that have a bar, if it is the same and not the ordinary one."""
    states = {point.state for point in points} - {sweep.NOT_OK}
    return f"{label} ({states.pop()})" if len(states) == 1 and sweep.RANKED not in states else label


class Rows:
    """The labels of bars and their places from top to bottom, in inches."""

    def __init__(self, labels, width):
        self.texts = [wrapped(label, width * LABELS, SMALL) for label in labels]
        heights = [max(height(text, SMALL), BAR) + ROOM for text in self.texts]
        self.centres = [sum(heights[:i]) + heights[i] / 2 for i in range(len(heights))]
        self.height = sum(heights)

    def show(self, axes, with_labels):
        axes.set_ylim(self.height, 0)
        axes.yaxis.set_major_locator(FixedLocator(self.centres))
        axes.yaxis.set_major_formatter(FixedFormatter(self.texts))
        axes.tick_params(axis="y", length=0, labelleft=with_labels)
        axes.grid(axis="y", visible=False)


class Bars:
    """`stack(panel, y, point)` draws the bar of a point and returns the largest value that it shows."""

    def __init__(self, sheet, picture, stack):
        self.sheet, self.picture, self.stack = sheet, picture, stack

    def grid(self, facets):
        """Returns the place and the rows of each facet. Facets of the same model and data share rows."""
        all_rows = {facet: rows_of(points) for facet, points in facets.items()}
        alike = len({self.sheet.scale_of(points) for points in facets.values()}) == 1
        if not alike:
            own = {facet: Rows([with_state(label, [point]) for label, point in rows.items()], self.sheet.width)
                   for facet, rows in all_rows.items()}
            return {facet: (number, 0) for number, facet in enumerate(facets)}, all_rows, own
        labels = list(dict.fromkeys(label for rows in all_rows.values() for label in rows))
        texts = [with_state(label, [rows[label] for rows in all_rows.values() if label in rows]) for label in labels]
        free = self.sheet.width * (1 - LABELS)
        common = Rows(texts, self.sheet.width)
        places = self.sheet.places(facets, max(1, int(free / NARROWEST)))
        return places, {facet: dict.fromkeys(labels) | rows for facet, rows in all_rows.items()}, dict.fromkeys(facets, common)

    def draw(self, points, label, units, entries):
        facets = by_facet(self.sheet.facets.of, points)
        places, all_rows, rows = self.grid(facets)
        panels = {facet: add_panel(self.picture, *place, words_of(facet)) for facet, place in places.items()}
        groups = by_facet(lambda facet: self.sheet.scale_of(facets[facet]), facets)
        for group in groups.values():
            largest = max(self.panel(panels[facet], all_rows[facet], rows[facet]) for facet in group)
            factor, unit = unit_for(largest, units)
            for facet in group:
                panels[facet].axes.set_xlim(0, largest * 1.05 or 1)
                linear_from_zero(panels[facet].axes, "x", factor)
                panels[facet].x_label = f"{label} ({unit})"
        if len(groups) == 1:
            label_edges(self.picture.panels, share_y=False)
        heights = {places[facet][0]: rows[facet].height for facet in facets}
        self.picture.entries = entries()
        if any(point.state not in (sweep.RANKED, sweep.NOT_OK) for point in points):
            self.picture.notes.append("Pale bars are not ranked.")
        lay_out(self.picture, lambda row, _: heights[row])
        return [self.picture]

    def panel(self, panel, points, rows):
        rows.show(panel.axes, panel.column == 0)
        largest = 0.0
        for y, point in zip(rows.centres, points.values()):
            if point is None:
                continue
            if point.state == sweep.NOT_OK:
                panel.axes.text(0.02, y, meaning(point.failed[0].status), transform=panel.axes.get_yaxis_transform(),
                                va="center", fontsize=SMALL, color=GREY, gid=self.picture.mark(point.failed, ["status"]))
            else:
                largest = max(largest, self.stack(panel, y, point))
        return largest

    def segments(self, axes, y, state, parts):
        """Draws (value, colour, hatch, gid) from the left. Returns their sum."""
        left = 0.0
        for value, colour, hatch, gid in parts:
            axes.add_artist(Rectangle((left, y - BAR / 2), value, BAR, facecolor=colour, hatch=hatch or None,
                                      edgecolor="#444444", linewidth=0.4, alpha=1 if state == sweep.RANKED else 0.55,
                                      gid=gid))
            left += value
        return left


def patches(parts):
    return [(Patch(facecolor=colour, hatch=hatch or None, edgecolor="#444444", linewidth=0.4), part.replace("_", " "))
            for part, colour, hatch in parts]
