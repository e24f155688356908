"""The appearance of figures: one colour and one marker for a strategy in all figures, and the colours of parts and
classes.

Colours are those of Okabe and Ito, which people with any colour vision can distinguish. Markers, dashes and hatches
repeat the distinction for print in grey. Figures have their printed size, so the sizes of letters are those on paper.
"""

import re

import matplotlib

matplotlib.use("Agg")

from matplotlib.lines import Line2D  # noqa: E402  (the backend comes first)

import sweep  # noqa: E402

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, PALE, BROWN, QUIET = "#808080", "#DDDDDD", "#7A4B1E", "#555555"

TITLE, TEXT, SMALL = 9, 8, 7  # sizes of letters, in points

SETTINGS = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": TEXT,
    "axes.titlesize": TEXT, "axes.titlelocation": "left", "axes.titlepad": 4, "axes.labelsize": TEXT,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#E3E3E3", "grid.linewidth": 0.6,
    "xtick.labelsize": SMALL, "ytick.labelsize": SMALL, "legend.fontsize": SMALL, "legend.frameon": False,
    "legend.borderaxespad": 0, "legend.borderpad": 0, "legend.handlelength": 2.4, "legend.labelspacing": 0.4,
    "lines.linewidth": 1.3, "lines.markersize": 5.5, "hatch.linewidth": 0.5,
    "figure.facecolor": "white", "savefig.facecolor": "white", "savefig.dpi": 200,
    "svg.fonttype": "none", "svg.hashsalt": "ddlbench", "pdf.fonttype": 42, "path.simplify": False,
}
if "text.parse_math" in matplotlib.rcParams:
    SETTINGS["text.parse_math"] = False  # "$" in a name is a dollar

KIND_COLOURS = {
    "single": BLACK, "ddp": BLUE, "zero": ORANGE, "fsdp": BROWN, "tensor": VERMILLION, "gpipe": GREEN, "1f1b": SKY,
    "interleaved": PURPLE, "hybrid": GREY,
}
OTHER_COLOURS = [YELLOW, "#332288", "#999933", "#882255", "#44AA99", "#AA4499", "#66CCEE"]
MARKERS = ["o", "s", "^", "D", "v", "P", "<", "p", ">", "h", "d", "*", "8", "H"]
DASHES = ["-", (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (5, 1.4, 1.2, 1.4)), (0, (8, 3)), (0, (3, 1, 1, 1, 1, 1))]

# Drawn over the hollow marker of a state.
OVERLAYS = {sweep.APPROXIMATE: "_", sweep.NO_CERTIFICATE: ".", sweep.FAILED_CERTIFICATE: "x", sweep.NOT_OK: "+"}


def kind(strategy):
    return strategy.split(" ")[0]


def pretty(strategy):
    """Returns 'hybrid mesh=data2xtensor2' as 'hybrid (data 2 × tensor 2)', 'zero stage=3' as 'zero (stage 3)', with no-break
    spaces between a setting and its value."""
    name, *settings = strategy.split(" ")
    words = []
    for setting in settings:
        key, _, value = setting.partition("=")
        axes = re.fullmatch(r"[a-z_]+\d+(x[a-z_]+\d+)*", value) and re.findall(r"([a-z_]+?)(\d+)(?:x|$)", value)
        words.append(" × ".join("\u00a0".join(axis) for axis in axes) if axes and key == "mesh" else f"{key}\u00a0{value}".strip())
    return f"{name} ({', '.join(words)})" if words else name


class Looks:
    """The colour, the marker and the dashes of every strategy of a sweep."""

    def __init__(self, strategies):
        strategies = list(dict.fromkeys(strategies))
        unknown = list(dict.fromkeys(kind(s) for s in strategies if kind(s) not in KIND_COLOURS))
        self.colours = KIND_COLOURS | {k: OTHER_COLOURS[i % len(OTHER_COLOURS)] for i, k in enumerate(unknown)}
        self.markers = {s: MARKERS[i % len(MARKERS)] for i, s in enumerate(strategies)}
        self.dashes = {}
        for strategy in strategies:
            same = sum(kind(other) == kind(strategy) for other in self.dashes)
            self.dashes[strategy] = DASHES[same % len(DASHES)]

    def colour(self, strategy):
        return self.colours[kind(strategy)]

    def marker(self, strategy):
        return self.markers[strategy]

    def dash(self, strategy):
        return self.dashes[strategy]

    def handle(self, strategy, line=True):
        """Returns the sign of a strategy in a legend."""
        return Line2D([], [], color=self.colour(strategy), marker=self.marker(strategy), markeredgecolor="white",
                      markeredgewidth=0.6, linestyle=self.dash(strategy) if line else "")


def face(state, colour):
    return colour if state == sweep.RANKED else "white"


def state_entries(states):
    """Returns legend entries of the states that occur, except the ordinary one; each is a tuple of handles and a
    label."""
    entries = []
    for state in sweep.STATES[1:]:
        if state in states:
            handles = [Line2D([], [], linestyle="", marker="o", color=GREY, markerfacecolor="white")]
            if state in OVERLAYS:
                handles.append(Line2D([], [], linestyle="", marker=OVERLAYS[state], color=BLACK, markersize=4))
            entries.append((tuple(handles), state))
    return entries
