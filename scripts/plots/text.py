"""Measures and wraps text. Lengths are in inches, sizes of letters in points."""

from functools import lru_cache

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

DPI = 100
LINE = 1.25  # distance of lines, as a multiple of the letters' size
RENDERER = RendererAgg(1, 1, DPI)


@lru_cache(maxsize=None)
def width(text, size, weight="normal"):
    return RENDERER.get_text_width_height_descent(text, FontProperties(size=size, weight=weight), False)[0] / DPI


def height(text, size):
    """Returns the height of text of one or more lines; 0 if it is empty."""
    return (text.count("\n") + 1) * size * LINE / 72 if text else 0


def wrapped(text, most, size, weight="normal"):
    """Returns the text in lines of at most `most` inches: broken at blanks, and within words that are longer. A no-break
    space is part of a word."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, weight) <= most:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and width(lines[-1] + letter, size, weight) > most:
                lines.append("")
            lines[-1] += letter
    return "\n".join(lines)
