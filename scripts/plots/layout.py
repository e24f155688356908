"""Places a picture's texts, panels and legend in a frame of fixed width, whose height follows. The space around panels is
measured, so nothing overlaps or leaves the frame."""

from dataclasses import dataclass, field

from matplotlib.legend_handler import HandlerTuple

from scales import thin
from style import BLACK, QUIET, SETTINGS, SMALL, TEXT, TITLE
from text import DPI, RENDERER, height, width, wrapped

PAD, GAP = 0.06, 0.12
LINE_SPACING = 1.1
NARROWEST = 1.35  # a panel with its share of the labels
HANDLE = (SETTINGS["legend.handlelength"] + 0.8) * SMALL / 72
COLUMN_SPACE = 1.5 * SMALL / 72


@dataclass
class Panel:
    """Axes at a place of the grid. `outside` are artists beyond the axes other than their texts."""
    axes: object
    row: int
    column: int
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    outside: list = field(default_factory=list)


def most_columns(inches):
    return max(1, int(inches / NARROWEST / 1.15))


def add_panel(picture, row, column, title=""):
    panel = Panel(picture.figure.add_axes([0.3, 0.3, 0.4, 0.4], label=f"{row} {column}"), row, column, title)
    picture.panels.append(panel)
    return panel


def label_edges(panels, share_x=True, share_y=True):
    """Removes labels of axes with a common scale from all panels but those at the left and the lower edges of the grid."""
    taken = {(panel.row, panel.column) for panel in panels}
    for panel in panels:
        if share_x and (panel.row + 1, panel.column) in taken:
            panel.axes.tick_params(labelbottom=False)
            panel.x_label = ""
        if share_y and panel.column:
            panel.axes.tick_params(labelleft=False)
            panel.y_label = ""


def write_texts(panel, wide, high):
    axes = panel.axes
    axes.set_title(wrapped(panel.title, wide, TEXT), color=QUIET)
    axes.set_xlabel(wrapped(panel.x_label, wide, TEXT))
    axes.set_ylabel(wrapped(panel.y_label, high, TEXT))


def margins(panel):
    """Returns the inches left of, right of, below and above the axes that their texts take."""
    around, inner = panel.axes.get_tightbbox(RENDERER, bbox_extra_artists=panel.outside), panel.axes.bbox
    ends = inner.x0 - around.x0, around.x1 - inner.x1, inner.y0 - around.y0, around.y1 - inner.y1
    return [max(0.0, end / DPI) for end in ends]


def most(picture, along, side, measured):
    """Returns for each row or column the largest margin at a side."""
    found = {}
    for panel in picture.panels:
        place = getattr(panel, along)
        found[place] = max(found.get(place, 0.0), measured[id(panel)][side])
    return [found.get(place, 0.0) for place in range(max(found) + 1)]


def fit_panels(picture, height_of):
    """Finds the width of the panels. Returns it with the margins of all rows and columns."""
    figure, columns = picture.figure, 1 + max(panel.column for panel in picture.panels)
    wide = picture.width / columns - 0.5
    for attempt in range(4):
        for panel in picture.panels:
            high = height_of(panel.row, wide)
            write_texts(panel, wide, high)
            panel.axes.set_position([0.3, 0.3, wide / figure.get_figwidth(), high / figure.get_figheight()])
            thin(panel.axes)
        measured = {id(panel): margins(panel) for panel in picture.panels}
        left, right = most(picture, "column", 0, measured), most(picture, "column", 1, measured)
        free = picture.width - 2 * PAD - sum(left) - sum(right) - GAP * (columns - 1)
        fitted = max(free / columns, 0.4)
        if abs(fitted - wide) < 0.01 and attempt:
            break
        wide = fitted
    wide = min(wide, fitted)
    return wide, left, right, most(picture, "row", 2, measured), most(picture, "row", 3, measured)


def place_panels(picture, height_of, top, fit):
    wide, left, right, below, above = fit
    figure = picture.figure
    xs, x = [], PAD
    for before, after in zip(left, right):
        xs.append(x + before)
        x += before + wide + after + GAP
    ys, y = [], top
    for row, (under, over) in enumerate(zip(below, above)):
        y -= over + height_of(row, wide)
        ys.append(y)
        y -= under + GAP
    for panel in picture.panels:
        panel.axes.set_position([xs[panel.column] / picture.width, ys[panel.row] / figure.get_figheight(),
                                 wide / picture.width, height_of(panel.row, wide) / figure.get_figheight()])


def texts_above(picture):
    inches = picture.width - 2 * PAD
    return [(wrapped(picture.title, inches, TITLE, "bold"), TITLE, "bold", BLACK),
            (wrapped(picture.subtitle, inches, SMALL), SMALL, "normal", QUIET)]


def width_in_columns(widths, count):
    """Returns the width of entries that Matplotlib distributes over columns: the first ones have one more."""
    rows, longer = divmod(len(widths), count)
    ends = [column * rows + min(column, longer) for column in range(count + 1)]
    return sum(max(widths[a:b]) for a, b in zip(ends, ends[1:])) + COLUMN_SPACE * (count - 1)


def add_legend(picture):
    """Returns the legend with as many columns as fit, or None."""
    if not picture.entries:
        return None
    inches = picture.width - 2 * PAD
    labels = [wrapped(label, inches - HANDLE, SMALL) for _, label in picture.entries]
    widths = [HANDLE + max(width(line, SMALL) for line in label.split("\n")) for label in labels]
    columns = next((count for count in range(len(labels), 1, -1) if width_in_columns(widths, count) < inches), 1)
    return picture.figure.legend([handle for handle, _ in picture.entries], labels, ncol=columns,
                                 loc="upper left", handler_map={tuple: HandlerTuple(ndivide=1)}, columnspacing=1.5)


def lay_out(picture, height_of):
    """Places everything. height_of(row, width) is the height of a row's panels, in inches."""
    figure, legend = picture.figure, add_legend(picture)
    fit = fit_panels(picture, height_of)
    wide, _, _, below, above = fit
    heads = [text for text in texts_above(picture) if text[0]]
    notes = wrapped(" ".join(picture.notes), picture.width - 2 * PAD, SMALL)
    head = sum(height(text, size) for text, size, _, _ in heads) + GAP / 2
    grid = sum(below) + sum(above) + sum(height_of(row, wide) + GAP for row in range(len(below)))
    legend_height = legend.get_window_extent(RENDERER).height / DPI + GAP / 2 if legend else 0
    whole = 2 * PAD + head + grid + legend_height + (height(notes, SMALL) + GAP / 2 if notes else 0)
    figure.set_size_inches(picture.width, whole)
    y = whole - PAD
    for text, size, weight, colour in heads:
        figure.text(PAD / picture.width, y / whole, text, size=size, weight=weight, color=colour, va="top",
                    linespacing=LINE_SPACING)
        y -= height(text, size)
    place_panels(picture, height_of, y - GAP / 2, fit)
    y -= GAP / 2 + grid
    if legend:
        legend.set_bbox_to_anchor((PAD / picture.width, y / whole), transform=figure.transFigure)
        y -= legend_height
    if notes:
        figure.text(PAD / picture.width, (y - GAP / 2) / whole, notes, size=SMALL, color=QUIET, va="top",
                    linespacing=LINE_SPACING)

