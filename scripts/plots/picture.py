"""A figure with named marks: in the SVG, what is drawn for a value of the tables names that value."""

import io
import os
import re
from xml.sax.saxutils import escape, quoteattr

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple

import sweep
from style import BLACK, OVERLAYS, face


class Picture:
    """`name` becomes the file's name, `title` the SVG's title."""

    def __init__(self, name, title, width, height):
        self.name, self.title = name, title
        self.figure = Figure(figsize=(width, height))
        FigureCanvasAgg(self.figure)
        self.marks = []

    def mark(self, case, column, value, **more):
        """Returns the id of a new mark, for an artist's `gid`. `value` is the cell's text (or several, joined by
        blanks)."""
        data = {"case": case.id, "column": column, "value": value, "experiment": case.experiment} | more
        self.marks.append(data)
        return f"mark-{len(self.marks)}"

    def point(self, axes, case, x, y, column, colour, marker, size=6.5, row=None, **more):
        """Draws a marker at (x, y) for the cell `column` of the case, or of `row`, a row of the case in another
        table."""
        state = case.state
        gid = self.mark(case, column, (row or case.row).text(column), **more)
        edge = "white" if state == sweep.RANKED else colour
        axes.plot([x], [y], marker=marker, markersize=size, color=colour, markerfacecolor=face(state, colour),
                  markeredgecolor=edge, markeredgewidth=0.6 if state == sweep.RANKED else 1.2, linestyle="",
                  gid=gid, zorder=4)
        if state in OVERLAYS:
            axes.plot([x], [y], marker=OVERLAYS[state], markersize=size * 0.6, color=BLACK, linestyle="", zorder=5)

    def interval(self, axes, case, xs, ys, columns, colour):
        """Draws an error bar from the first point to the second, for a column with the lower end and one with the upper
        end."""
        gid = self.mark(case, " ".join(columns), " ".join(case.text(c) for c in columns))
        cap = "_" if xs[0] == xs[1] else "|"
        axes.plot(xs, ys, color=colour, linewidth=0.9, marker=cap, markersize=4, gid=gid, zorder=3.5)

    def legend(self, axes, entries, title=None, anchor=(1.03, 1.0), location="upper left", columns=1):
        """Draws a legend outside the data, from pairs (handle or tuple of handles, label)."""
        if not entries:
            return
        axes.legend([handle for handle, _ in entries], [label for _, label in entries], title=title, loc=location,
                    bbox_to_anchor=anchor, ncol=columns, handler_map={tuple: HandlerTuple(ndivide=1)},
                    alignment="left")

    def save(self, folder, formats):
        """Writes `name.FORMAT` for each format, completely or not at all. Returns the paths. Equal tables give equal
        bytes."""
        paths = []
        for form in formats:
            buffer = io.BytesIO()
            metadata = {"Date": None, "Creator": None, "Title": self.title} if form == "svg" else {"Software": None}
            self.figure.savefig(buffer, format=form, metadata=metadata, bbox_inches="tight", pad_inches=0.06)
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
