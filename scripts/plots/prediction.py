"""Draws predicted against measured step time: exact predictions are on the diagonal, which has a band of 30 % around
it."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import sweep
from lines import conditions
from picture import Picture
from scales import TIMES, logarithmic, unit_for
from style import GREY, PALE, pretty, state_entries

SIDE, BAND = 3.4, 0.3


def prediction(sweep_, looks):
    sweep_.require_columns("predicted_step_seconds", "step_seconds")
    cases = [case for case in sweep_.cases
             if case.positive("step_seconds") and case.positive("predicted_step_seconds")]
    if not cases:
        raise sweep.NoData("no case has both a measured and a predicted step")
    picture = Picture("prediction", "Predicted against measured step time", SIDE, SIDE)
    axes = picture.figure.add_axes([0, 0, 1, 1])
    values = [case.positive(name) for case in cases for name in ("step_seconds", "predicted_step_seconds")]
    low, high = min(values) / 1.5, max(values) * 1.5
    axes.fill_between([low, high], [low / (1 + BAND), high / (1 + BAND)], [low * (1 + BAND), high * (1 + BAND)],
                      color=PALE, linewidth=0, zorder=1)
    axes.plot([low, high], [low, high], color=GREY, linewidth=1, zorder=2)
    for case in cases:
        measured, predicted = case.positive("step_seconds"), case.positive("predicted_step_seconds")
        colour = looks.colour(case.strategy)
        picture.point(axes, case, measured, predicted, "predicted_step_seconds", colour, looks.marker(case.strategy),
                      measured=case.text("step_seconds"))
        ends = [case.positive("step_seconds_low"), case.positive("step_seconds_high")]
        if all(ends):
            picture.interval(axes, case, ends, [predicted, predicted], ["step_seconds_low", "step_seconds_high"], colour)
    factor, unit = unit_for(max(values), TIMES)
    for which in "xy":
        logarithmic(axes, which, factor, values)
        getattr(axes, f"set_{which}lim")(low, high)
    axes.set_xlabel(f"Measured step time ({unit})")
    axes.set_ylabel(f"Predicted step time ({unit})")
    axes.set_title(conditions(sweep_.cases), color="#555555", fontsize=8)
    strategies = list(dict.fromkeys(case.strategy for case in cases))
    entries = [(Line2D([], [], color=looks.colour(s), marker=looks.marker(s), linestyle=""), pretty(s))
               for s in strategies]
    entries += [(Line2D([], [], color=GREY, linewidth=1), "as measured"), (Patch(color=PALE), f"within {BAND:.0%}")]
    picture.legend(axes, entries + state_entries({case.state for case in cases}))
    return [picture]
