"""Tests that nothing in the pictures of scripts/plot overlaps or leaves the frame: Matplotlib's renderer gives the place of
every text that it draws. usage: plot_frame.py"""

import pathlib
import tempfile
import unittest

from plot_harness import REFERENCE, use_plots
from plot_tables import STRATEGIES, Sweep

SLACK = 0.5  # points

LONG = ["single", "zero stage=3 update_in_backward=true prefetch=4 reshard=false bucket_bytes=33554432",
        "averylongnameofastrategythatnobodyhaswrittenyetbutthatsomebodymaywrite microbatches=16"]
HYBRID = STRATEGIES[-1]
FAILURES = {("tensor", 8, 64): "out_of_memory", ("tensor", 4, 128): "out_of_memory", ("tensor", 8, 128): "out_of_memory",
            ("gpipe microbatches=4", 2, 32): "non_finite", ("gpipe microbatches=4", 4, 32): "timed_out",
            ("gpipe microbatches=4", 8, 32): "lost_rank", ("fsdp", 8, 128): "unsupported", (HYBRID, 2, 128): "crashed"}
RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MANY_RANKS = {("tensor", ranks, batch): "interrupted" for ranks in RANKS[1:] for batch in (1, 2)}
COLUMN, PAGE, NARROWEST = 3.4, 7.0, 2.5  # inches
SWEEPS = {  # with their widths
    "facets": ([COLUMN, PAGE], [Sweep(batches=(32, 64, 128), precisions=("fp32", "bf16"), seeds=(1, 2, 3), epochs=2,
                                      failures=FAILURES)]),
    "one": ([COLUMN, PAGE], [Sweep(failures={("ddp", 2, 64): "failed"})]),
    "long names": ([NARROWEST, PAGE], [Sweep(name="a long name of an experiment that goes on and on " * 3,
                                             workload="model" * 12, strategies=LONG, precisions=("fp32", "bf16"))]),
    "many ranks": ([COLUMN], [Sweep(strategies=STRATEGIES[3:6], ranks=RANKS, batches=(1, 2), failures=MANY_RANKS, epochs=120)]),
    "weak": ([COLUMN], [Sweep(strategies=STRATEGIES[1:3], batches=(16, 32, 64), per_rank=True, epochs=2)]),
    "models": ([PAGE], [Sweep(strategies=STRATEGIES[:3]),
                        Sweep(name="b", workload="vgg16", strategies=STRATEGIES[3:], seeds=(2, 3)),
                        Sweep(name="c", workload="vgg16", dataset="imagenet", strategies=STRATEGIES[:1])]),
    "dollars": ([NARROWEST], [Sweep(name="$\\frac$", workload="$a_b$", strategies=STRATEGIES[:2], ranks=(1, 2))]),
}


def renderer_for(figure):
    """Returns a renderer that measures texts as Matplotlib's own one does, and draws nothing."""
    from matplotlib.backends.backend_agg import RendererAgg

    renderer = RendererAgg(figure.bbox.width, figure.bbox.height, figure.dpi)
    for name in ("image", "markers", "path", "path_collection", "quad_mesh", "text", "mathtext"):
        setattr(renderer, f"draw_{name}", lambda *words, **more: None)
    return renderer


def drawn_texts(figure):
    """Returns (text, box in points) for each text that the renderer draws."""
    from matplotlib.text import Text

    found, draw = [], Text.draw

    def record(text, renderer, *words, **more):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(renderer)
            found.append((text.get_text(), [edge * 72 / figure.dpi for edge in box.extents]))
        return draw(text, renderer, *words, **more)

    Text.draw = record
    try:
        figure.draw(renderer_for(figure))
    finally:
        Text.draw = draw
    return found


def faults(figure):
    width, height = (72 * inches for inches in figure.get_size_inches())
    texts, found = drawn_texts(figure), []
    for number, (text, (left, low, right, high)) in enumerate(texts):
        if left < -SLACK or low < -SLACK or right > width + SLACK or high > height + SLACK:
            found.append(f"{text!r} leaves the frame")
        for other, (left2, low2, right2, high2) in texts[:number]:
            if min(right, right2) - max(left, left2) > SLACK and min(high, high2) - max(low, low2) > SLACK:
                found.append(f"{text!r} overlaps {other!r}")
    return found


class Frame(unittest.TestCase):
    def check(self, cases, width):
        """Returns the number of pictures."""
        from figures import FIGURES
        from sheet import Sheet
        from sweep import NoData

        drawn, sheet = 0, Sheet(cases, width)
        for name, function in FIGURES.items():
            try:
                pictures = function(sheet)
            except NoData:
                continue
            drawn += len(pictures)
            for picture in pictures:
                self.assertEqual(faults(picture.figure), [], (name, width))
        return drawn

    def test_texts_have_a_place_of_their_own(self):
        from sweep import Sweep as Cases

        for name, (widths, sweeps) in SWEEPS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as top:
                folders = [sweep.write(pathlib.Path(top) / str(number)) for number, sweep in enumerate(sweeps)]
                for width in widths:
                    self.assertGreater(self.check(Cases(folders), width), 4)

    def test_so_they_have_in_pictures_of_utilisation(self):
        from sweep import Sweep as Cases

        self.assertEqual(self.check(Cases([REFERENCE]), NARROWEST), 6 + 13)

    def test_an_overlap_and_a_text_outside_are_found(self):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2, 2))
        for x, text in ((0.1, "one"), (0.15, "two"), (0.95, "three")):
            figure.text(x, 0.5, text)
        self.assertEqual(faults(figure), ["'two' overlaps 'one'", "'three' leaves the frame"])


if __name__ == "__main__":
    use_plots()
    from style import SETTINGS, matplotlib

    matplotlib.rcParams.update(SETTINGS)
    unittest.main()
