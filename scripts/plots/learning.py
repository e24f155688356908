"""Draws learning curves against time and against epochs: validation accuracy, of text perplexity, and the loss where a
target names it. Replicates are one curve with a band over the seeds."""

import re
from functools import lru_cache

from matplotlib.lines import Line2D

import sweep
from against_ranks import GUIDE
from estimates import location
from facets import by_facet, plural, words_of
from layout import add_panel, label_edges, lay_out, most_columns
from scales import TIMES, linear_from_zero, unit_for
from style import BLACK, DASHES, OVERLAYS, face, state_entries

ACCURACY = ("accuracy_ratio", "Validation accuracy", "accuracy")
PERPLEXITY = ("perplexity", "Validation perplexity", None)
LOSS = ("validation_loss", "Validation loss", "loss")
TIME = "Time since training began, validations included"
HEIGHT, SIZE = 1.8, 4.0
BANDS = "Curves of several seeds are estimates, bands their 95\u00a0% intervals over the seeds."


@lru_cache(maxsize=None)
def epochs_of(point):
    """Returns {epoch: (case, row)…} of the cases that ended well, otherwise of all."""
    cases = [case for case in point.cases if case.status == "ok"] or point.cases
    found = {}
    for case in cases:
        for row in case.rows["epochs.csv"]:
            found.setdefault(row.number("epoch"), []).append((case, row))
    return dict(sorted(found.items()))


@lru_cache(maxsize=None)
def curve(point, column):
    """Returns (seconds, epoch, estimate, low, high, pairs) for each epoch in which the column has values."""
    found = []
    for epoch, pairs in epochs_of(point).items():
        pairs = [(case, row) for case, row in pairs if None not in (row.number(column), row.number("elapsed_seconds"))]
        if pairs:
            seconds = sum(row.number("elapsed_seconds") for _, row in pairs) / len(pairs)
            found.append((seconds, epoch, *location([row.number(column) for _, row in pairs]), pairs))
    return found


def target_of(points, word):
    """Returns the number after the word in a target such as "loss 0.5 and accuracy 0.9", or None."""
    for point in points:
        if match := word and re.search(rf"\b{word} ([-+.\de]+)", point.text("target")):
            return float(match.group(1))
    return None


def measures(points):
    rows = [row for point in points for case in point.cases for row in case.rows["epochs.csv"]]
    is_text = any(row.number("perplexity") is not None for row in rows)
    chosen = [PERPLEXITY] if is_text else [ACCURACY]
    if is_text and target_of(points, "accuracy"):
        chosen.append(ACCURACY)
    if target_of(points, "loss"):
        chosen.append(LOSS)
    if not any(row.number(chosen[0][0]) is not None for row in rows):
        chosen[0] = LOSS
    return [entry for entry in dict.fromkeys(chosen) if any(row.number(entry[0]) is not None for row in rows)]


def mark_of(picture, found, column, against):
    """Returns the mark of a curve, with all of its cells."""
    cases = list(dict.fromkeys(case for entry in found for case, _ in entry[-1]))
    rows = [row for entry in found for _, row in entry[-1]]
    numbers = " ".join(f"{number:.9g}" for entry in found for number in entry[2:5] if None not in entry)
    data = {"epoch": " ".join(row.text("epoch") for row in rows), "against": against}
    return picture.mark(cases, [column], rows, **data, **({"estimate": numbers} if numbers else {}))


def draw_curve(sheet, picture, axes, point, column, against, dash):
    """Draws the curve of a point, with its marker at no more than about ten epochs. Returns whether it has a band."""
    colour, ranked, found = sheet.looks.colour(point.strategy), point.state == sweep.RANKED, curve(point, column)
    if not found:
        return False
    xs = [entry[0 if against == "elapsed_seconds" else 1] for entry in found]
    look = {"linestyle": "", "markevery": max(1, len(found) // 10), "markersize": SIZE}
    ys = [entry[2] for entry in found]
    axes.plot(xs, ys, color=colour, linewidth=1.0, zorder=3, linestyle=dash, alpha=1 if ranked else 0.5)
    axes.plot(xs, ys, marker=sheet.looks.marker(point.strategy), color=colour, zorder=4,
              markerfacecolor=face(point.state, colour), markeredgecolor="white" if ranked else colour,
              markeredgewidth=0.5 if ranked else 1.0, gid=mark_of(picture, found, column, against), **look)
    if point.state in OVERLAYS:
        axes.plot(xs, ys, marker=OVERLAYS[point.state], color=BLACK, zorder=5, **look | {"markersize": 0.6 * SIZE})
    band = [(x, entry[3], entry[4]) for x, entry in zip(xs, found) if entry[3] is not None]
    if len(band) > 1:
        axes.fill_between(*zip(*band), color=colour, alpha=0.12, linewidth=0, zorder=2)
    return bool(band)


def places_of(facets, measures_, width):
    """Returns {(facet, measure): (row, column of the time, whose right neighbour has the epochs)}."""
    pairs = max(1, most_columns(width) // 2) if len(facets) * len(measures_) > 2 else 1
    keys = [(facet, measure) for facet in facets for measure in measures_]
    return {key: (number // pairs, 2 * (number % pairs)) for number, key in enumerate(keys)}


def common_scales(panels, points, column, target):
    """Gives the panels (of the time, of the epochs) of one model and data the same axes. Returns the unit of time."""
    entries = [entry for point in points for entry in curve(point, column)]
    values = [value for entry in entries for value in entry[2:5] if value is not None] + ([target] if target else [])
    low, high = min(values), max(values)
    edge = 0.05 * (high - low or abs(high) or 1)
    factor, unit = unit_for(max(entry[0] for entry in entries), TIMES)
    for pair in panels:
        for panel in pair:
            panel.axes.set_ylim(low - edge, high + edge)
        pair[0].axes.set_xlim(0, 1.04 * max(entry[0] for entry in entries))
        epochs = [entry[1] for entry in entries]
        beyond = 0.06 * max(max(epochs) - min(epochs), 1)
        pair[1].axes.set_xlim(min(epochs) - beyond, max(epochs) + beyond)
        linear_from_zero(pair[0].axes, "x", factor)
        pair[1].axes.xaxis.get_major_locator().set_params(integer=True)
        pair[1].axes.tick_params(labelleft=False)
    return unit


def legend_entries(sheet, points, dashes, target):
    strategies = dict.fromkeys(point.strategy for point in points)
    entries = [(sheet.looks.handle(strategy, line=False), sheet.label(strategy)) for strategy in strategies]
    if len(dashes) > 1:
        entries += [(Line2D([], [], color=BLACK, linewidth=1.0, linestyle=dash), plural(ranks, "rank"))
                    for ranks, dash in dashes.items()]
    entries += [(Line2D([], [], **GUIDE), "target")] if target else []
    return entries + state_entries({point.state for point in points})


def learning(sheet):
    sheet.sweep.require_part("epochs.csv")
    if all(len(epochs_of(point)) < 2 for point in sheet.points):
        raise sweep.NoData("no case trained more than one epoch, so there is no curve")
    facets = {facet: [point for point in points if epochs_of(point)]
              for facet, points in by_facet(sheet.facets.of, sheet.points).items()
              if any(len(epochs_of(point)) > 1 for point in points)}
    points = [point for own in facets.values() for point in own]
    chosen = measures(points)
    if not chosen:
        raise sweep.NoData("epochs.csv has no accuracy and no validation loss")
    ranks = sorted({point.ranks for point in points})
    dashes = {count: DASHES[number % len(DASHES)] for number, count in enumerate(ranks)}
    picture = sheet.picture("learning", "What is learnt", points)
    places = places_of(facets, chosen, sheet.width)
    panels = {key: [add_panel(picture, row, column, words_of(key[0])), add_panel(picture, row, column + 1)]
              for key, (row, column) in places.items()}
    has_bands = False
    for (facet, measure), pair in panels.items():
        for point in facets[facet]:
            for panel, against in zip(pair, ("elapsed_seconds", "epoch")):
                has_bands |= draw_curve(sheet, picture, panel.axes, point, measure[0], against, dashes[point.ranks])
        target = target_of(facets[facet], measure[2])
        if target is not None:
            for panel in pair:
                panel.axes.axhline(target, zorder=2, **GUIDE)
    groups = by_facet(lambda key: (sheet.scale_of(facets[key[0]]), key[1]), panels)
    for (_, measure), keys in groups.items():
        own = [point for key in keys for point in facets[key[0]]]
        unit = common_scales([panels[key] for key in keys], own, measure[0], target_of(own, measure[2]))
        for key in keys:
            time, epoch = panels[key]
            time.y_label, time.x_label, epoch.x_label = measure[1], f"Time ({unit})", "Epoch"
    label_edges(picture.panels, len(groups) == 1, len(groups) == 1)
    picture.entries = legend_entries(sheet, points, dashes, any(target_of(points, m[2]) for m in chosen))
    picture.notes = [f"{TIME.replace('Time since', 'Time: since')}."] + ([BANDS] if has_bands else [])
    lay_out(picture, lambda row, wide: HEIGHT)
    return [picture]
