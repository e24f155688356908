"""The strip below a panel's axes: a row for each line with the cases that did not run to their end, at their ranks."""

import math

from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from scales import EDGE_OCTAVES
from style import BLACK, GREY
from text import width

ROW, SIZE = 9.0, 6.5  # points
WORDS = {"out_of_memory": ("OOM", "M"), "timed_out": ("time", "T"), "non_finite": ("NaN", "N"), "lost_rank": ("lost", "L"),
         "bad_data": ("data", "D"), "unsupported": ("n/a", "U"), "interrupted": ("stop", "I"), "failed": ("fail", "F"),
         "crashed": ("crash", "C"), "skipped": ("skip", "S")}
MEANINGS = {"non_finite": "loss not finite", "lost_rank": "rank lost", "interrupted": "interrupted"}


def code(status, short):
    words = WORDS.get(status)
    return words[1 if short else 0] if words else status[:1 if short else 5]


def text_of(point, short):
    """Returns the word of the point's failures, and how many of its seeds failed if others did not."""
    statuses = [case.status for case in point.failed]
    word = code(max(statuses, key=statuses.count), short)
    return word if len(statuses) == len(point.cases) or short else f"{word} {len(statuses)}/{len(point.cases)}"


def failures(lines):
    """Returns (line, its points of which a case did not end well)."""
    rows = [(line, [point for point in line.points if point.failed]) for line in lines]
    return [(line, points) for line, points in rows if points]


def must_be_short(lines, ranks, inches):
    """Returns whether words would touch each other on an axis over `ranks` of so many inches."""
    per_octave = inches / (math.log2(max(ranks) / min(ranks)) + 2 * EDGE_OCTAVES)
    for _, points in failures(lines):
        for a, b in zip(points, points[1:]):
            needed = (width(text_of(a, False), SIZE, "bold") + width(text_of(b, False), SIZE, "bold")) / 2 + 0.04
            if math.log2(b.ranks / a.ranks) * per_octave < needed:
                return True
    return False


def meanings(lines, short):
    """Returns the meaning of the words, for a note."""
    statuses = dict.fromkeys(case.status for line in lines for point in line.points for case in point.failed)
    return ", ".join(f"{code(status, short)}: {meaning(status)}" for status in statuses)


def meaning(status):
    return MEANINGS.get(status, status.replace("_", " "))


def draw_strip(picture, panel, looks, lines, rows, short):
    """Draws the strip; `rows` is the number of rows that all panels leave free."""
    axes, figure = panel.axes, picture.figure
    axes.tick_params(axis="x", pad=3 + ROW * rows)
    for number, (line, points) in enumerate(failures(lines)):
        down = ScaledTranslation(0, -(3 + ROW * (number + 0.5)) / 72, figure.dpi_scale_trans)
        at_left = axes.transAxes + down
        sign = Line2D([0], [0], color=looks.colour(line.strategy), marker=looks.marker(line.strategy), markersize=4,
                      transform=at_left, clip_on=False)
        axes.add_artist(sign)
        panel.outside.append(sign)
        for point in points:
            case = point.failed[0]
            quiet = case.status in ("unsupported", "skipped")
            gid = picture.mark(point.failed, ["status"], ranks=point.ranks)
            word = axes.text(point.ranks, 0, text_of(point, short), ha="center", va="center", fontsize=SIZE,
                             color=GREY if quiet else BLACK, weight="normal" if quiet else "bold", gid=gid,
                             transform=blended_transform_factory(axes.transData, axes.transAxes) + down)
            panel.outside.append(word)
