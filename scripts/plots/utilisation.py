"""Draws the resources that each case uses over time, one picture per case: processor shares, memory, threads and
network, and of its GPUs utilisation, memory and power."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from facets import plural
from layout import add_panel, label_edges, lay_out
from picture import Picture
from scales import POWERS, SIZES, TIMES, linear_from_zero, unit_for
from style import BLACK, BLUE, GREEN, ORANGE, PALE, PURPLE, SKY, VERMILLION

SHARES = [("cpu_user_ratio", "user", BLUE), ("cpu_system_ratio", "system", VERMILLION),
          ("cpu_iowait_ratio", "waiting for I/O", ORANGE), ("cpu_idle_ratio", "idle", PALE)]
COUNTS = [("threads", "threads", BLACK), ("processes", "processes", GREEN)]
NETWORK = [("network_received_bytes", "received", SKY), ("network_sent_bytes", "sent", BLUE),
           ("loopback_bytes", "loopback", PURPLE)]
GPUS = [("gpu_utilisation_ratio", "GPUs busy", VERMILLION, None), ("gpu_memory_bytes", "GPU memory", GREEN, SIZES),
        ("gpu_power_watts", "GPU power", PURPLE, POWERS)]
HEIGHT = 0.8


def samples(rows, column):
    pairs = [(row.number("elapsed_seconds"), row.number(column)) for row in rows]
    return [pair for pair in pairs if None not in pair]


def curve(picture, panel, case, column, colour, step=False):
    """Draws one line with all samples of a column; its mark has them all. Returns the largest value."""
    found = samples(case.rows["utilisation.csv"], column)
    if not found:
        return 0
    rows = [row for row in case.rows["utilisation.csv"] if row.number(column) is not None]
    panel.axes.plot([x for x, _ in found], [y for _, y in found], color=colour, linewidth=1.2, marker=".", markersize=3,
                    drawstyle="steps-pre" if step else "default", gid=picture.mark([case], [column], rows))
    return max(y for _, y in found)


def shares(picture, panel, case):
    """Draws shares stacked up to 1. The shares of an interval apply from the sample before it on."""
    rows = [row for row in case.rows["utilisation.csv"] if row.number("cpu_user_ratio") is not None]
    panel.y_label = "Processors"
    panel.axes.set_ylim(0, 1)
    if not rows:
        return
    times = [case.rows["utilisation.csv"][0].number("elapsed_seconds")] + [row.number("elapsed_seconds") for row in rows]
    below = [0.0] * len(rows)
    for column, _, colour in SHARES:
        above = [low + (row.number(column) or 0) for low, row in zip(below, rows)]
        panel.axes.fill_between(times, below[:1] + below, above[:1] + above, step="pre", color=colour, linewidth=0,
                                gid=picture.mark([case], [column], rows))
        below = above
    picture.entries += [(Patch(color=colour), text) for _, text, colour in SHARES]


def curves(picture, panel, case, columns, label, units=None, step=False):
    """Draws several columns of one unit."""
    most = max([curve(picture, panel, case, column, colour, step) for column, _, colour in columns])
    factor, unit = unit_for(most, units) if units else (1, "")
    linear_from_zero(panel.axes, "y", factor, 3)
    if columns[0][0].endswith("_ratio"):
        panel.axes.set_ylim(0, 1)
    panel.y_label = f"{label} ({unit})" if unit else label
    if len(columns) > 1:
        picture.entries += [(Line2D([], [], color=colour), text) for _, text, colour in columns]


def picture_of(sheet, case, number):
    text = f"Use of the machine: {sheet.label(case.strategy)}, {plural(case.ranks, 'rank')}"
    about = f"{case.experiment}: {case.id}, {case.text('workload')} on {case.text('dataset')} ({case.status})"
    picture = Picture(f"utilisation-{number:03d}-{case.id}", text, about, sheet.width)
    gpus = [entry for entry in GPUS if samples(case.rows["utilisation.csv"], entry[0])]
    panels = [add_panel(picture, row, 0) for row in range(4 + len(gpus))]
    shares(picture, panels[0], case)
    curves(picture, panels[1], case, [("resident_bytes", "", GREEN)], "Resident", SIZES)
    curves(picture, panels[2], case, COUNTS, "Count", step=True)
    curves(picture, panels[3], case, NETWORK, "Network", SIZES)
    for panel, (column, name, colour, units) in zip(panels[4:], gpus):
        curves(picture, panel, case, [(column, "", colour)], name, units)
    end = max(row.number("elapsed_seconds") for row in case.rows["utilisation.csv"])
    factor, unit = unit_for(end, TIMES)
    for panel in panels:
        panel.axes.set_xlim(0, end * 1.02 or 1)
        linear_from_zero(panel.axes, "x", factor)
        panel.x_label = f"Time since the case began ({unit})"
    label_edges(panels)
    lay_out(picture, lambda row, wide: HEIGHT)
    return picture


def utilisation(sheet):
    sheet.sweep.require_part("utilisation.csv")
    cases = [case for case in sheet.sweep.cases if case.rows["utilisation.csv"]]
    return [picture_of(sheet, case, number) for number, case in enumerate(cases, 1)]
