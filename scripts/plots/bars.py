"""Draws stacked bars, one per case: the step budget, and memory by class."""

from matplotlib.patches import Patch

import sweep
from picture import Picture
from scales import SIZES, TIMES, linear_from_zero, unit_for
from style import BLACK, BLUE, BROWN, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILLION, YELLOW, pretty

PARTS = [("forward", BLUE, ""), ("backward", SKY, ""), ("recompute", PURPLE, "//"), ("optimizer", GREEN, ""),
         ("communication", VERMILLION, "\\\\"), ("bubble", YELLOW, ".."), ("input", ORANGE, "xx"), ("rest", PALE, "")]
CLASSES = [("parameters", BLUE, ""), ("gradients", SKY, ""), ("optimizer_state", GREEN, "//"),
           ("activations", ORANGE, ""), ("communication", VERMILLION, "\\\\"), ("workspace", PURPLE, "xx"),
           ("inputs", YELLOW, ".."), ("metrics", PALE, ""), ("packed", BROWN, "//")]
BAR_INCHES, WIDTH = 0.3, 4.6


def label(case, several):
    words = f"{pretty(case.strategy)}, {case.ranks} rank{'s' * (case.ranks != 1)}"
    words = f"{case.experiment}: {words}" if several else words
    return words + ("" if case.state == sweep.RANKED else f" ({case.state})")


class Bars:
    """Horizontal bars, from top to bottom in the order of the cases."""

    def __init__(self, name, title, sweep_, cases):
        self.height = 0.5 + BAR_INCHES * len(cases)
        self.picture = Picture(name, title, WIDTH, self.height)
        self.axes = self.picture.figure.add_axes([0, 0, 1, 1])
        self.axes.set_ylim(len(cases) - 0.4, -0.6)
        several = len(sweep_.experiments) > 1
        self.axes.set_yticks(range(len(cases)), [label(case, several) for case in cases])
        for text, case in zip(self.axes.get_yticklabels(), cases):
            text.set_color(BLACK if case.state == sweep.RANKED else GREY)
        self.axes.tick_params(axis="y", length=0)
        self.axes.grid(axis="y", visible=False)

    def stack(self, y, case, segments):
        """Draws `segments`, (column, row, value, colour, hatch), from the left. Returns their sum."""
        left = 0.0
        for column, row, value, colour, hatch in segments:
            if value is None:
                continue
            more = {"rank": row.text("rank")} if "rank" in row.cells else {}
            gid = self.picture.mark(case, column, row.text(column), **more)
            self.axes.barh([y], [value], left=left, height=0.62, color=colour, hatch=hatch or None, edgecolor="#444444",
                           linewidth=0.4, alpha=1 if case.state == sweep.RANKED else 0.55)
            self.axes.patches[-1].set_gid(gid)
            left += value
        return left

    def finish(self, text, largest, units, entries):
        factor, unit = unit_for(largest, units)
        linear_from_zero(self.axes, "x", factor)
        self.axes.set_xlabel(f"{text} ({unit})")
        handles = [(Patch(facecolor=colour, hatch=hatch or None, edgecolor="#444444", linewidth=0.4), name.replace("_", " "))
                   for name, colour, hatch in entries]
        self.picture.legend(self.axes, handles)
        return [self.picture]


def budget(sweep_, _):
    columns = [f"budget_{part}_seconds" for part, _, _ in PARTS]
    sweep_.require_columns(*columns, "step_seconds")
    cases = [case for case in sweep_.cases if case.positive("step_seconds") and case.number(columns[0]) is not None]
    if not cases:
        raise sweep.NoData("no case has a step budget")
    bars = Bars("budget", "Where a step's time goes", sweep_, cases)
    largest = 0.0
    for y, case in enumerate(cases):
        segments = [(column, case.row, case.number(column), colour, hatch)
                    for column, (_, colour, hatch) in zip(columns, PARTS)]
        largest = max(largest, bars.stack(y, case, segments))
        ends = [case.positive("step_seconds_low"), case.positive("step_seconds_high")]
        if all(ends):
            bars.picture.interval(bars.axes, case, ends, [y, y], ["step_seconds_low", "step_seconds_high"], BLACK)
            largest = max(largest, ends[1])
    return bars.finish("Step time, mean over ranks", largest, TIMES, PARTS)


def heaviest(case):
    """Returns the row of the rank with the most memory, by the sum of its classes."""
    def total(row):
        return sum(row.number(f"peak_{name}_bytes") or 0 for name, _, _ in CLASSES)

    rows = case.rows["ranks.csv"]
    return max(rows, key=total) if rows else None


def memory(sweep_, _):
    sweep_.require_part("ranks.csv")
    cases = [case for case in sweep_.cases if heaviest(case) is not None]
    bars = Bars("memory", "Memory by class, of the rank with the most", sweep_, cases)
    largest, present = 0.0, set()
    for y, case in enumerate(cases):
        row = heaviest(case)
        segments = [(f"peak_{name}_bytes", row, row.positive(f"peak_{name}_bytes"), colour, hatch)
                    for name, colour, hatch in CLASSES]
        present |= {column for column, _, value, _, _ in segments if value}
        largest = max(largest, bars.stack(y, case, segments))
        peak = case.positive("peak_memory_bytes")
        if peak:
            gid = bars.picture.mark(case, "peak_memory_bytes", case.text("peak_memory_bytes"))
            bars.axes.plot([peak], [y], marker="D", markersize=4.5, color=BLACK, linestyle="", gid=gid, zorder=4)
            largest = max(largest, peak)
    entries = [entry for entry in CLASSES if f"peak_{entry[0]}_bytes" in present]
    return bars.finish("Memory: peak of each class, ◆ planned peak of all", largest, SIZES, entries)
