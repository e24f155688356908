"""Draws the resources that each case uses over time, one picture per case: processor shares, memory, threads and
network, and of its GPUs utilisation, memory and power."""

from matplotlib.patches import Patch

import sweep
from picture import Picture
from scales import POWERS, SIZES, TIMES, linear_from_zero, unit_for
from style import BLACK, BLUE, GREEN, ORANGE, PALE, PURPLE, SKY, VERMILLION, pretty
from matplotlib.lines import Line2D

SHARES = [("cpu_user_ratio", "user", BLUE), ("cpu_system_ratio", "system", VERMILLION),
          ("cpu_iowait_ratio", "waiting for I/O", ORANGE), ("cpu_idle_ratio", "idle", PALE)]
NETWORK = [("network_received_bytes", "received", SKY), ("network_sent_bytes", "sent", BLUE),
           ("loopback_bytes", "loopback", PURPLE)]
GPUS = [("gpu_utilisation_ratio", "GPUs busy", VERMILLION, None), ("gpu_memory_bytes", "GPU memory", GREEN, SIZES),
        ("gpu_power_watts", "GPU power", PURPLE, POWERS)]
WIDTH, PANEL = 4.6, 1.25


def samples(rows, column):
    pairs = [(row.number("elapsed_seconds"), row.number(column)) for row in rows]
    return [pair for pair in pairs if None not in pair]


def curve(picture, axes, case, column, colour, step=False):
    """Draws one line with all samples of a column; its mark has them all. Returns the largest value."""
    found = samples(case.rows["utilisation.csv"], column)
    if not found:
        return 0
    texts = " ".join(row.text(column) for row in case.rows["utilisation.csv"] if row.number(column) is not None)
    gid = picture.mark(case, column, texts)
    axes.plot([x for x, _ in found], [y for _, y in found], color=colour, linewidth=1.3, marker=".", markersize=3,
              drawstyle="steps-pre" if step else "default", gid=gid)
    return max(y for _, y in found)


def shares(picture, axes, case):
    """Draws shares stacked up to 1. The shares of an interval apply from the sample before it on. Returns legend
    entries."""
    rows = [row for row in case.rows["utilisation.csv"] if row.number("cpu_user_ratio") is not None]
    if not rows:
        return []
    times = [case.rows["utilisation.csv"][0].number("elapsed_seconds")] + [row.number("elapsed_seconds") for row in rows]
    below = [0.0] * len(rows)
    for column, _, colour in SHARES:
        above = [low + (row.number(column) or 0) for low, row in zip(below, rows)]
        gid = picture.mark(case, column, " ".join(row.text(column) for row in rows))
        axes.fill_between(times, below[:1] + below, above[:1] + above, step="pre", color=colour, linewidth=0, gid=gid)
        below = above
    axes.set_ylim(0, 1)
    return [(Patch(color=colour), text) for _, text, colour in SHARES]


def add_panels(picture, count):
    """Adds panels below each other, over the same time."""
    panels, gap = [], 0.14 / count
    for index in range(count):
        panels.append(picture.figure.add_axes([0, 1 - (index + 1) / count + gap / 2, 1, 1 / count - gap],
                                              sharex=panels[0] if panels else None))
    return panels


def draw_gpus(picture, panels, case, columns):
    for axes, (column, name, colour, units) in zip(panels, columns):
        most = curve(picture, axes, case, column, colour)
        factor, unit = unit_for(most, units) if units else (1, "")
        linear_from_zero(axes, "y", factor, 3)
        if column.endswith("_ratio"):
            axes.set_ylim(0, 1)
        axes.set_ylabel(f"{name}\n({unit})" if unit else name)


def picture_of(case, number, several):
    gpus = [entry for entry in GPUS if samples(case.rows["utilisation.csv"], entry[0])]
    count = 4 + len(gpus)
    picture = Picture(f"utilisation-{number:03d}-{case.id}", f"What {case.id} takes of its machine", WIDTH, count * PANEL)
    panels = add_panels(picture, count)
    picture.legend(panels[0], shares(picture, panels[0], case))
    panels[0].set_ylabel("Processors")
    name = f"{case.experiment}: " if several else ""
    panels[0].set_title(f"{name}{pretty(case.strategy)}, {case.ranks} rank{'s' * (case.ranks != 1)} ({case.status})",
                        color="#555555", fontsize=8)

    most = curve(picture, panels[1], case, "resident_bytes", GREEN)
    factor, unit = unit_for(most, SIZES)
    linear_from_zero(panels[1], "y", factor, 3)
    panels[1].set_ylabel(f"Resident\n({unit})")

    curve(picture, panels[2], case, "threads", BLACK, step=True)
    curve(picture, panels[2], case, "processes", ORANGE, step=True)
    linear_from_zero(panels[2], "y", 1, 3)
    panels[2].set_ylabel("Count")
    picture.legend(panels[2], [(Line2D([], [], color=BLACK), "threads"), (Line2D([], [], color=ORANGE), "processes")])

    most = max(curve(picture, panels[3], case, column, colour) for column, _, colour in NETWORK)
    factor, unit = unit_for(most, SIZES)
    linear_from_zero(panels[3], "y", factor, 3)
    panels[3].set_ylabel(f"Network\n({unit})")
    picture.legend(panels[3], [(Line2D([], [], color=colour), text) for _, text, colour in NETWORK])
    draw_gpus(picture, panels[4:], case, gpus)

    times = [row.number("elapsed_seconds") for row in case.rows["utilisation.csv"]]
    factor, unit = unit_for(max(times), TIMES)
    linear_from_zero(panels[-1], "x", factor)
    panels[-1].set_xlabel(f"Time since the case began ({unit})")
    for axes in panels[:-1]:
        axes.tick_params(labelbottom=False)
    return picture


def utilisation(sweep_, _):
    sweep_.require_part("utilisation.csv")
    cases = [case for case in sweep_.cases if case.rows["utilisation.csv"]]
    several = len(sweep_.experiments) > 1
    return [picture_of(case, number, several) for number, case in enumerate(cases, 1)]
