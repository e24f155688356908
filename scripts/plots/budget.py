"""Draws the step budget: the parts of each step's time, which sum to it."""

import sweep
import values
from bars import Bars, patches
from scales import TIMES
from style import BLACK, BLUE, GREEN, ORANGE, PALE, PURPLE, SKY, VERMILLION, YELLOW

PARTS = [("forward", BLUE, ""), ("backward", SKY, ""), ("recompute", PURPLE, "//"), ("optimizer", GREEN, ""),
         ("communication", VERMILLION, "\\\\"), ("bubble", YELLOW, ".."), ("input", ORANGE, "xx"), ("rest", PALE, "")]
COLUMNS = [f"budget_{part}_seconds" for part, _, _ in PARTS]


def part_of(column, step):
    """Returns a part's time. Over several seeds it is the mean share of the part, of the estimate of the step."""
    if not step.estimated:
        return step.cases[0].number(column) or 0.0
    shares = [(case.number(column) or 0.0) / case.positive("step_seconds") for case in step.cases]
    return step.value * sum(shares) / len(shares)


def budget(sheet):
    sheet.sweep.require_columns(*COLUMNS, "step_seconds")
    points = [point for point in sheet.points if point.state == sweep.NOT_OK or values.step_time(point)]
    if not any(point.state != sweep.NOT_OK for point in points):
        raise sweep.NoData("no case has a step budget")
    picture = sheet.picture("budget", "Where a step's time goes")

    def stack(panel, y, point):
        step = values.step_time(point)
        parts = [(part_of(column, step), colour, hatch, picture.mark(step.cases, [column]))
                 for column, (_, colour, hatch) in zip(COLUMNS, PARTS)]
        end = bars.segments(panel.axes, y, point.state, parts)
        if step.low is not None:
            gid = picture.mark(step.cases, step.ends, **step.data)
            picture.interval(panel.axes, [step.low, step.high], [y, y], BLACK, gid)
            end = max(end, step.high)
        return end

    bars = Bars(sheet, picture, stack)
    picture.notes.append("Mean over ranks; whiskers are 95\u00a0% intervals of the step time.")
    return bars.draw(points, "Step time", TIMES, lambda: patches(PARTS))
