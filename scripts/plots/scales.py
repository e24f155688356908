"""Units and axes that are easy to read."""

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

TIMES = [(3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]
SIZES = [(2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")]
POWERS = [(1e3, "kW"), (1, "W")]


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
    axes.set_xlim(min(ranks) / 2**0.35, max(ranks) * 2**0.35)
