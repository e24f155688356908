"""Units and axes that are easy to read."""

from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from style import SETTINGS
from text import DPI, width

TIMES = [(3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]
SIZES = [(2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")]
POWERS = [(1e3, "kW"), (1, "W")]
EDGE_OCTAVES = 0.35  # of an axis of ranks, beyond the first and the last


def unit_for(largest, units):
    """Returns the (factor, name) in which the largest value is at least 1. Minutes and hours are used from two on."""
    for factor, name in units:
        if largest >= factor * (2 if name in ("min", "h") else 1):
            return factor, name
    return units[-1]


def plain(value):
    return f"{value:.10g}"


def scaled(axis, factor):
    """Shows the ticks of an axis, whose values are in base units, in the unit of `factor`."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value / factor)))


def wide(values, ratio=8):
    """Returns whether values are so far apart that a linear axis would hide the small ones."""
    values = list(values)
    return max(values) > ratio * min(values)


def logarithmic(axes, which, factor, values):
    """Makes an axis logarithmic with ticks at 1, 2 and 5, or only at powers of ten if values differ by more than a
    factor of 1000."""
    axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    decades = max(values) / min(values) > 1e3
    axis.set_major_locator(Scaled(factor, (1.0,) if decades else (1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    scaled(axis, factor)


class Scaled(LogLocator):
    """Ticks at round numbers of the displayed unit (minutes, MiB), not of the base unit."""

    def __init__(self, factor, subs):
        super().__init__(base=10.0, subs=subs, numticks=50)
        self.factor = factor

    def tick_values(self, low, high):
        return [tick * self.factor for tick in super().tick_values(low / self.factor, high / self.factor)]


def linear_from_zero(axes, which, factor, ticks=6):
    axis = getattr(axes, f"{which}axis")
    end = getattr(axes, f"get_{which}lim")()[1]
    getattr(axes, f"set_{which}lim")(0, end if end > factor / 10 else factor)  # all zero: one unit
    axis.set_major_locator(Round(factor, ticks))
    scaled(axis, factor)


class Round(MaxNLocator):
    """Ticks at round numbers of the displayed unit on a linear axis."""

    def __init__(self, factor, ticks):
        super().__init__(nbins=ticks, steps=[1, 2, 2.5, 5, 10])
        self.factor = factor

    def tick_values(self, low, high):
        return [tick * self.factor for tick in super().tick_values(low / self.factor, high / self.factor)]


def ranks_axis(axes, ranks):
    """Makes an axis logarithmic with base 2, with ticks at the ranks that occur (at powers of two if they are too
    many)."""
    ticks = sorted(set(ranks))
    if len(ticks) > 10:
        ticks = [tick for tick in ticks if tick & (tick - 1) == 0] or ticks[:: len(ticks) // 8]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.set_xlim(min(ranks) / 2**EDGE_OCTAVES, max(ranks) * 2**EDGE_OCTAVES)


def is_crowded(axis, locations, texts):
    """Returns whether labels of ticks would touch each other."""
    axes, along = axis.axes, 0 if axis.axis_name == "x" else 1
    points = [(location, 1) if along == 0 else (1, location) for location in locations]
    places = [axes.transData.transform(point)[along] / DPI for point in points]
    size = SETTINGS[f"{axis.axis_name}tick.labelsize"]
    halves = [(width(text, size) + 0.06 if along == 0 else size * 1.1 / 72) / 2 for text in texts]
    order = sorted(range(len(places)), key=places.__getitem__)
    return any(places[b] - places[a] < halves[a] + halves[b] for a, b in zip(order, order[1:]))


def thin(axes):
    """Leaves out ticks of axes with numbers until their labels do not touch each other."""
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), FixedFormatter):
            continue
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        texts = axis.get_major_formatter().format_ticks(ticks)
        for step in range(1, len(ticks)):
            if not is_crowded(axis, ticks[::step], texts[::step]):
                break
        else:
            step = max(len(ticks), 1)
        if step > 1:
            axis.set_major_locator(FixedLocator(ticks[::step]))
