"""Draws learning curves against time and against epochs: accuracy, and the validation loss or perplexity."""

import sweep
from lines import conditions, lines_of
from picture import Picture
from scales import TIMES, linear_from_zero, unit_for
from style import state_entries
from matplotlib.lines import Line2D

MEASURES = [("accuracy_ratio", "Validation accuracy"), ("perplexity", "Validation perplexity"),
            ("validation_loss", "Validation loss")]
WIDTH, HEIGHT = 3.6, 2.9


def points(case, x, y):
    """Returns (x, y, row) of the case's epochs that have both."""
    pairs = [(row.number(x), row.number(y), row) for row in case.rows["epochs.csv"]]
    return [pair for pair in pairs if pair[0] is not None and pair[1] is not None]


def panel(picture, axes, looks, lines, x, y):
    for line in lines:
        colour, marker = looks.colour(line.strategy), looks.marker(line.strategy)
        for case in line.cases:
            found = points(case, x, y)
            axes.plot([p[0] for p in found], [p[1] for p in found], color=colour, linewidth=1.0, linestyle=line.dash,
                      alpha=1 if case.state == sweep.RANKED else 0.5, zorder=3)
            for at, value, row in found:
                picture.point(axes, case, at, value, y, colour, marker, size=4.5, row=row, epoch=row.text("epoch"),
                              against=x)


def learning(sweep_, looks):
    sweep_.require_part("epochs.csv")
    measures = [(column, text) for column, text in MEASURES
                if any(points(case, "epoch", column) for case in sweep_.cases)]
    if not measures:
        raise sweep.NoData("epochs.csv has no accuracy and no validation loss")
    measures = [m for m in measures if m[0] != "validation_loss"] or measures
    lines = lines_of([case for case in sweep_.cases if case.rows["epochs.csv"]])
    rows = len(measures)
    picture = Picture("learning", "What is learnt against time and epochs", 2 * WIDTH, rows * HEIGHT)
    entries = [(Line2D([], [], color=looks.colour(line.strategy), marker=looks.marker(line.strategy), linestyle=line.dash,
                       linewidth=1.0, markersize=4.5), line.label) for line in lines]
    entries += state_entries({case.state for line in lines for case in line.cases})
    for number, (column, text) in enumerate(measures):
        bottom = 1 - (number + 1) / rows + 0.13 / rows
        share = None
        for side, x in enumerate(["elapsed_seconds", "epoch"]):
            axes = picture.figure.add_axes([0.54 * side, bottom, 0.44, 0.8 / rows], sharey=share)
            share = axes
            panel(picture, axes, looks, lines, x, column)
            if x == "epoch":
                axes.set_xlabel("Epoch")
                axes.xaxis.get_major_locator().set_params(integer=True)
                axes.tick_params(labelleft=False)
                picture.legend(axes, entries)
                continue
            times = [at for line in lines for case in line.cases for at, _, _ in points(case, x, column)]
            factor, unit = unit_for(max(times, default=1), TIMES)
            linear_from_zero(axes, "x", factor)
            axes.set_xlabel(f"Time since training began, validation included ({unit})")
            axes.set_ylabel(text)
            axes.set_title(conditions(sweep_.cases), color="#555555", fontsize=8)
    return [picture]
