"""Draws predicted against measured step time: exact predictions are on the diagonal, which has a band of 30 % around
it."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import sweep
from facets import by_facet, words_of
from layout import add_panel, label_edges, lay_out
from scales import TIMES, logarithmic, unit_for
from style import GREY, PALE, state_entries
from values import interval_of
from widths import COLUMN

BAND = 0.3
MEASURED, PREDICTED = "step_seconds", "predicted_step_seconds"
ENDS = ["step_seconds_low", "step_seconds_high"]


def draw_case(sheet, picture, axes, case):
    measured, predicted = case.positive(MEASURED), case.positive(PREDICTED)
    colour = sheet.looks.colour(case.strategy)
    gid = picture.mark([case], [PREDICTED], measured=case.text(MEASURED))
    picture.point(axes, measured, predicted, case.state, colour, sheet.looks.marker(case.strategy), gid)
    low, high = interval_of(case, *ENDS)
    if low:
        picture.interval(axes, [low, high], [predicted, predicted], colour, picture.mark([case], ENDS))


def draw_guides(axes, low, high):
    axes.fill_between([low, high], [low / (1 + BAND), high / (1 + BAND)], [low * (1 + BAND), high * (1 + BAND)],
                      color=PALE, linewidth=0, zorder=1)
    axes.plot([low, high], [low, high], color=GREY, linewidth=1, zorder=2)


def prediction(sheet):
    """Each seed is a point of its own: its prediction is."""
    sheet.sweep.require_columns(PREDICTED, MEASURED)
    cases = {facet: [case for point in points for case in point.cases if case.positive(MEASURED) and case.positive(PREDICTED)]
             for facet, points in by_facet(sheet.facets.of, sheet.points).items()}
    cases = {facet: own for facet, own in cases.items() if own}
    if not cases:
        raise sweep.NoData("no case has both a measured and a predicted step")
    every = [case for own in cases.values() for case in own]
    picture = sheet.picture("prediction", "Predicted against measured step time",
                            [point for point in sheet.points if sheet.facets.of(point) in cases])
    values = [end for case in every for end in (case.positive(MEASURED), case.positive(PREDICTED), *interval_of(case, *ENDS))
              if end]
    low, high = min(values) / 1.3, max(values) * 1.3
    factor, unit = unit_for(max(values), TIMES)
    places = sheet.places(cases)
    picture.width = min(sheet.width, COLUMN * (1 + max(column for _, column in places.values())))
    for facet, place in places.items():
        panel = add_panel(picture, *place, words_of(facet))
        draw_guides(panel.axes, low, high)
        for case in cases[facet]:
            draw_case(sheet, picture, panel.axes, case)
        for which in "xy":
            logarithmic(panel.axes, which, factor, values)
            getattr(panel.axes, f"set_{which}lim")(low, high)
        panel.x_label, panel.y_label = f"Measured ({unit})", f"Predicted ({unit})"
    label_edges(picture.panels)
    picture.entries = [(sheet.looks.handle(s, line=False), sheet.label(s)) for s in dict.fromkeys(c.strategy for c in every)]
    picture.entries += [(Line2D([], [], color=GREY, linewidth=1), "as measured"),
                        (Patch(color=PALE), f"within {100 * BAND:.0f} %")]
    picture.entries += state_entries({case.state for case in every})
    picture.notes = ["Error bars are 95\u00a0% intervals of the step time."]
    lay_out(picture, lambda row, wide: min(wide, 3.2))
    return [picture]
