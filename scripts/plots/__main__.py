"""scripts/plot, ddlbench-plot: figures from the tables of one or several runs. The first argument is the name of the command."""

import argparse
import sys
from pathlib import Path

from sweep import NoData, Sweep
from tables import InputError
from widths import NAMED, NARROWEST, WIDEST

NAMES = "epoch_time speedup weak_scaling memory learning budget prediction utilisation".split()
USUAL = NAMES[:-1]  # utilisation has a figure for each case
FORMATS = ["svg", "png", "pdf"]


def a_list_of(allowed):
    def parse(text):
        words = [word.strip() for word in text.split(",")]
        for word in words:
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"'{word}' is not one of {', '.join(allowed)}")
        return list(dict.fromkeys(words))

    return parse


def a_width(text):
    try:
        inches = NAMED[text] if text in NAMED else float(text)
    except ValueError:
        inches = 0.0
    if not NARROWEST <= inches <= WIDEST:
        raise argparse.ArgumentTypeError(
            f"'{text}' is neither {' nor '.join(NAMED)} nor a number of inches from {NARROWEST:g} to {WIDEST:g}")
    return inches


def arguments(name, words):
    parser = argparse.ArgumentParser(
        prog=name, usage="%(prog)s DIR… [--output DIR] [--format svg,png,pdf] [--width column|page|INCHES] [--only NAME,…]",
        description="Draws figures from the CSV files of one or more results folders.",
        epilog="Exit codes: 0 drawn; 2 usage, a damaged table, or nothing to draw; 4 Matplotlib is missing. "
        "A figure without data is skipped, and stderr gives the reason. docs/plots.md describes the figures.")
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a folder with cases.csv; several folders are drawn together")
    parser.add_argument("--output", metavar="DIR", type=Path, help="output folder (default for one DIR: DIR/plots)")
    parser.add_argument("--format", metavar="LIST", type=a_list_of(FORMATS), default=FORMATS[:2], dest="formats",
                        help="of svg, png, pdf (default: svg,png)")
    parser.add_argument("--width", metavar="WIDTH", type=a_width, default="page",
                        help="of the printed figure: column (3.4 in), page (7 in, the default), or inches")
    parser.add_argument("--only", metavar="LIST", type=a_list_of(NAMES), default=USUAL, dest="figures",
                        help="of " + ", ".join(NAMES) + " (default: all but utilisation)")
    chosen = parser.parse_args(words)
    if chosen.output is None:
        if len(chosen.folders) > 1:
            parser.error("several folders need an output folder: add --output DIR")
        chosen.output = Path(chosen.folders[0]) / "plots"
    return chosen


def draw_all(chosen, note):
    sweep = Sweep(chosen.folders)
    from style import SETTINGS, matplotlib  # after the tables: an error in them should not wait for Matplotlib

    matplotlib.rcParams.update(SETTINGS)
    from figures import FIGURES
    from sheet import Sheet

    sheet = Sheet(sweep, chosen.width)
    pictures = []
    for name in chosen.figures:
        try:
            pictures += FIGURES[name](sheet)
        except NoData as why:
            note(f"{name} is not drawn: {why}")
    if not pictures:
        raise InputError("no figure has data: nothing is drawn")
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            for path in picture.save(chosen.output, chosen.formats):
                print(path)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from None


def main(name, *words):
    def note(text):
        print(f"{name}: {text}", file=sys.stderr)

    try:
        draw_all(arguments(name, words), note)
    except InputError as error:
        note(error)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
