"""Draws epoch time and speedup against ranks: one line per strategy, below it what did not run, and the ideal if there
is one."""

from matplotlib.lines import Line2D

import sweep
from lines import conditions, lines_of
from picture import Picture
from scales import TIMES, linear_from_zero, logarithmic, ranks_axis, scaled, unit_for, wide
from style import BLACK, GREY, face, state_entries

WORDS = {"out_of_memory": "OOM", "timed_out": "time-out", "non_finite": "not finite", "lost_rank": "lost rank",
         "bad_data": "bad data", "unsupported": "unsup.", "interrupted": "stopped"}
STRIP_INCHES, HEIGHT, WIDTH = 0.17, 3.1, 4.3


def shift(number, of):
    """Returns the factor by which a line is shifted so that equal values do not hide each other: at most a twelfth of
    an octave."""
    return 2 ** ((number - (of - 1) / 2) * min(0.035, 0.17 / max(of, 1)))


def draw_lines(picture, axes, looks, lines, column, interval=None):
    """Draws points, error bars and the lines between points. Returns all values that were drawn."""
    drawn = []
    for number, line in enumerate(lines):
        colour, marker = looks.colour(line.strategy), looks.marker(line.strategy)
        points = []
        for case in line.cases:
            value = case.positive(column)
            if value is None:
                continue
            x = case.ranks * shift(number, len(lines))
            picture.point(axes, case, x, value, column, colour, marker, ranks=case.ranks)
            ends = interval(case, value) if interval else None
            if ends:
                picture.interval(axes, case, [x, x], ends, ["step_seconds_low", "step_seconds_high"], colour)
            points.append((x, value, case.state))
        join(axes, points, colour, line.dash)
        drawn += [value for _, value, _ in points]
    return drawn


def join(axes, points, colour, dash):
    """Draws a full line between ranked points, a thin one to oversubscribed and shared ones, and none to others."""
    for (x0, y0, first), (x1, y1, second) in zip(points, points[1:]):
        if {first, second} <= {sweep.RANKED, sweep.OVERSUBSCRIBED, sweep.SHARED}:
            ranked = {first, second} == {sweep.RANKED}
            axes.plot([x0, x1], [y0, y1], color=colour, linestyle=dash, linewidth=1.4 if ranked else 0.7,
                      alpha=1 if ranked else 0.6, zorder=3)


def strip_rows(lines, column):
    """Returns (line, cases without a value because they did not end well) for the strip below the axes."""
    rows = [(line, [c for c in line.cases if c.state == sweep.NOT_OK and c.positive(column) is None]) for line in lines]
    return [(line, cases) for line, cases in rows if cases]


def draw_strip(picture, axes, looks, rows):
    """Draws a row per line, with a word at each number of ranks at which the case did not run to its end."""
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [line.label for line, _ in rows], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for y, (line, cases) in enumerate(rows):
        axes.get_yticklabels()[y].set_color(looks.colour(line.strategy))
        for case in cases:
            quiet = case.status in ("unsupported", "skipped")
            axes.text(case.ranks, y, WORDS.get(case.status, case.status), ha="center", va="center", fontsize=6.5,
                      color=GREY if quiet else BLACK, weight="normal" if quiet else "bold",
                      gid=picture.mark(case, "status", case.status, ranks=case.ranks))


def layout(picture, rows):
    """Returns axes of a fixed size, and the axes of the strip below or None."""
    height = HEIGHT + STRIP_INCHES * len(rows)
    figure = picture.figure
    figure.set_size_inches(WIDTH, height)
    axes = figure.add_axes([0, 1 - HEIGHT / height, 1, HEIGHT / height])
    if not rows:
        axes.set_xlabel("Ranks")
        return axes, None
    strip = figure.add_axes([0, -0.42 / height, 1, STRIP_INCHES * len(rows) / height], sharex=axes)
    strip.set_xlabel("did not run to the end", fontsize=7.5, labelpad=-1)
    strip.xaxis.set_tick_params(length=0, labelbottom=False)
    axes.set_xlabel("Ranks")
    return axes, strip


def legends(picture, axes, looks, lines, extra=()):
    entries = []
    for line in lines:
        colour = looks.colour(line.strategy)
        only = len(line.cases) == 1
        entries.append((Line2D([], [], color=colour, linestyle="" if only else line.dash, markeredgewidth=0.6,
                               marker=looks.marker(line.strategy), markeredgecolor="white"), line.label))
    picture.legend(axes, entries + list(extra) + state_entries({case.state for line in lines for case in line.cases}))


def picture_of(sweep_, looks, name, title, column, finish, interval=None):
    sweep_.require_columns(column)
    lines = lines_of(sweep_.cases)
    drawn_lines = [line for line in lines if any(case.positive(column) for case in line.cases)]
    if not drawn_lines:
        raise sweep.NoData(f"no case has a value of {column}")
    rows = strip_rows(lines, column)
    picture = Picture(name, title, WIDTH, HEIGHT)
    axes, strip = layout(picture, rows)
    drawn = draw_lines(picture, axes, looks, drawn_lines, column, interval)
    ranks_axis(axes, [case.ranks for case in sweep_.cases])
    extra = finish(axes, drawn)
    if strip:
        draw_strip(picture, strip, looks, rows)
    axes.set_title(conditions(sweep_.cases), color="#555555", fontsize=8)
    legends(picture, axes, looks, drawn_lines, extra)
    return [picture]


def scaled_interval(case, value):
    """Returns the interval of step_seconds, scaled to the epoch."""
    step, low, high = (case.positive(name) for name in ("step_seconds", "step_seconds_low", "step_seconds_high"))
    return [value * low / step, value * high / step] if step and low and high else None


def epoch_time(sweep_, looks):
    def finish(axes, drawn):
        factor, unit = unit_for(max(drawn), TIMES)
        logarithmic(axes, "y", factor, drawn) if wide(drawn) else linear_from_zero(axes, "y", factor)
        axes.set_ylabel(f"Epoch time ({unit})")
        return []

    return picture_of(sweep_, looks, "epoch_time", "Epoch time against ranks", "epoch_seconds", finish, scaled_interval)


def ideals(cases):
    """Returns for each distinct curve {ranks: speedup with all busy threads in use}, which is speedup divided by
    efficiency."""
    curves = {}
    for case in cases:
        speedup, efficiency = case.positive("speedup_ratio"), case.positive("efficiency_ratio")
        if speedup and efficiency:
            ideal = curves.setdefault(case.text("contract_id") + case.experiment, {}).setdefault(case.ranks, set())
            ideal.add(float(f"{speedup / efficiency:.9g}"))
    single = [{ranks: found.pop() for ranks, found in curve.items() if len(found) == 1} for curve in curves.values()]
    return [curve for number, curve in enumerate(single) if len(curve) > 1 and curve not in single[:number]]


def speedup(sweep_, looks):
    sweep_.require_columns("speedup_ratio")

    def finish(axes, drawn):
        curves = ideals(sweep_.cases)
        for curve in curves:
            axes.plot(sorted(curve), [curve[ranks] for ranks in sorted(curve)], color=GREY, linestyle=(0, (4, 3)),
                      linewidth=1.1, zorder=2)
        values = drawn + [value for curve in curves for value in curve.values()]
        if wide(values, 12):
            logarithmic(axes, "y", 1, values)
        else:
            linear_from_zero(axes, "y", 1)
        axes.set_ylabel("Speedup over the best one-rank case")
        scaled(axes.yaxis, 1)
        plain = all(ranks == value for curve in curves for ranks, value in curve.items())
        handle = Line2D([], [], color=GREY, linestyle=(0, (4, 3)), linewidth=1.1)
        return [(handle, "ideal" if plain else "ideal for the busy threads")] if curves else []

    return picture_of(sweep_, looks, "speedup", "Speedup against ranks", "speedup_ratio", finish)
