"""Draws memory by class, of the rank that needs most: at the instant of the step at which it needs most."""

import re
from functools import lru_cache

from matplotlib.lines import Line2D

import sweep
from bars import Bars, patches
from scales import SIZES
from style import BLACK, BLUE, BROWN, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILLION, YELLOW

CLASSES = [("parameters", BLUE, ""), ("gradients", SKY, ""), ("optimizer_state", GREEN, "//"),
           ("activations", ORANGE, ""), ("communication", VERMILLION, "\\\\"), ("workspace", PURPLE, "xx"),
           ("inputs", YELLOW, ".."), ("packed", BROWN, "//"), ("statistics", BLACK, ""), ("metrics", GREY, "")]
AT_ONE_INSTANT = "Bars: the instant of the step at which most memory is in use; planned peak: with the gaps between buffers."
OWN_PEAKS = "Bars: the peak of each class. Classes peak at different moments, so a bar can be longer than the planned peak."


@lru_cache(maxsize=None)
def class_of(column, pattern):
    match = re.fullmatch(pattern, column)
    return match and match.group(1)


def classes_of(row, pattern):
    """Returns {class: column} of the columns of a table that have the pattern and a number in the row."""
    return {class_of(column, pattern): column for column, cell in row.cells.items() if cell and class_of(column, pattern)}


def pattern_of(points):
    """Returns the pattern of the columns: older tables have only the peak of each class."""
    rows = [row for point in points for case in point.cases for row in case.rows["ranks.csv"]]
    at_peak, own = r"at_peak_(.+)_bytes", r"peak_(.+)_bytes"
    return at_peak if rows and all(classes_of(row, at_peak) for row in rows) else own


@lru_cache(maxsize=None)
def heaviest(point, pattern):
    """Returns the case and the row of the rank with the most memory, by the sum of its classes; None without rows."""
    rows = [(case, row) for case in point.best for row in case.rows["ranks.csv"]]
    return max(rows, key=lambda pair: sum(pair[1].number(c) for c in classes_of(pair[1], pattern).values()), default=None)


def classes_in(names):
    """Returns the entries of the classes of these names, also of unknown ones."""
    known = [entry for entry in CLASSES if entry[0] in names]
    return known + [(name, PALE, "") for name in sorted(set(names) - {entry[0] for entry in known})]


def memory(sheet):
    sheet.sweep.require_part("ranks.csv")
    points = [point for point in sheet.points if point.state == sweep.NOT_OK or heaviest(point, r"peak_(.+)_bytes")]
    pattern, present = pattern_of(points), set()
    picture = sheet.picture("memory", "Memory by class, of the rank with the most")

    def stack(panel, y, point):
        case, row = heaviest(point, pattern)
        found = {name: column for name, column in classes_of(row, pattern).items() if row.positive(column)}
        present.update(found)
        parts = [(row.number(found[name]), colour, hatch, picture.mark([case], [found[name]], [row], rank=row.text("rank")))
                 for name, colour, hatch in classes_in(found)]
        end, peak = bars.segments(panel.axes, y, point.state, parts), case.positive("peak_memory_bytes")
        if peak:
            panel.axes.plot([peak], [y], marker="D", markersize=4, color=BLACK, linestyle="", zorder=4,
                            gid=picture.mark([case], ["peak_memory_bytes"]))
        return max(end, peak or 0)

    bars = Bars(sheet, picture, stack)
    picture.notes.append(OWN_PEAKS if pattern.startswith("peak") else AT_ONE_INSTANT)
    pictures = bars.draw(points, "Memory", SIZES, lambda: entries(present))
    return pictures


def entries(present):
    peak = Line2D([], [], linestyle="", marker="D", markersize=4, color=BLACK)
    return patches(classes_in(present)) + [(peak, "planned peak")]
