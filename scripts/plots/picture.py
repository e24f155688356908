"""A figure with named marks: in the SVG, what is drawn for a value of the tables names that value."""

import io
import os
import re
from xml.sax.saxutils import escape, quoteattr

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import sweep
from style import BLACK, OVERLAYS, face
from text import DPI

METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None}}


class Picture:
    """`name` becomes the file's name; `title` and, smaller, `subtitle` are written above the panels, the entries of the
    legend and `notes` below them (layout.py). `width` is in inches."""

    def __init__(self, name, title, subtitle, width):
        self.name, self.title, self.subtitle, self.width = name, title, subtitle, width
        self.figure = Figure(figsize=(width, width), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self.panels, self.entries, self.notes = [], [], []
        self.marks = []

    def mark(self, cases, columns, rows=None, **more):
        """Returns the id of a new mark, for an artist's `gid`. Its value is the text of the cells: of `rows`, or of the
        cases' own."""
        rows = rows or [case.row for case in cases]
        value = " ".join(row.text(column) for row in rows for column in columns)
        data = {"case": " ".join(case.id for case in cases), "column": " ".join(columns), "value": value,
                "experiment": cases[0].experiment}
        self.marks.append(data | more)
        return f"mark-{len(self.marks)}"

    def point(self, axes, x, y, state, colour, marker, gid, size=5.5):
        edge = "white" if state == sweep.RANKED else colour
        axes.plot([x], [y], marker=marker, markersize=size, color=colour, markerfacecolor=face(state, colour),
                  markeredgecolor=edge, markeredgewidth=0.5 if state == sweep.RANKED else 1.0, linestyle="",
                  gid=gid, zorder=4)
        if state in OVERLAYS:
            axes.plot([x], [y], marker=OVERLAYS[state], markersize=size * 0.6, color=BLACK, linestyle="", zorder=5)

    def interval(self, axes, xs, ys, colour, gid):
        """Draws an error bar from the first point to the second."""
        cap = "_" if xs[0] == xs[1] else "|"
        axes.plot(xs, ys, color=colour, linewidth=0.9, marker=cap, markersize=4, gid=gid, zorder=3.5)

    def save(self, folder, formats):
        """Writes `name.FORMAT` for each format, completely or not at all. Returns the paths. Equal tables give equal
        bytes."""
        paths = []
        for form in formats:
            buffer = io.BytesIO()
            metadata = METADATA[form] | ({} if form == "png" else {"Title": self.title})
            self.figure.savefig(buffer, format=form, metadata=metadata)
            data = buffer.getvalue()
            if form == "svg":
                data = self.name_marks(data.decode("utf-8")).encode("utf-8")
            path = folder / f"{self.name}.{form}"
            partial = folder / f".{path.name}.partial"
            partial.write_bytes(data)
            os.replace(partial, path)
            paths.append(path)
        return paths

    def name_marks(self, svg):
        named = set()

        def name(match):
            number = int(match.group(1))
            named.add(number)
            data = self.marks[number - 1]
            attributes = "".join(f" data-{key}={quoteattr(str(text))}" for key, text in data.items())
            short = data["value"] if len(data["value"]) < 80 else f"{data['value'].count(' ') + 1} values"
            return f'<g id="mark-{number}"{attributes}><title>{escape(data["case"])}: {data["column"]} {escape(short)}</title>'

        svg = re.sub(r'<g id="mark-(\d+)">', name, svg)
        assert len(named) == len(self.marks), f"{self.name}: {len(self.marks)} marks, but {len(named)} are in the SVG"
        return svg
