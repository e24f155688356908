"""scripts/plot, ddlbench-plot: figures from the tables of one or several runs. The first argument is the name of the command."""

import argparse
import sys
from pathlib import Path

from sweep import NoData, Sweep
from tables import InputError

NAMES = "epoch_time speedup memory learning budget prediction utilisation".split()
FORMATS = ["svg", "png"]


def a_list_of(allowed):
    def parse(text):
        words = [word.strip() for word in text.split(",")]
        for word in words:
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"'{word}' is not one of {', '.join(allowed)}")
        return list(dict.fromkeys(words))

    return parse


def arguments(name, words):
    parser = argparse.ArgumentParser(
        prog=name, usage="%(prog)s DIR… [--output DIR] [--format svg,png] [--only NAME,…]",
        description="Draws figures from the CSV files of one or more results folders.",
        epilog="Exit codes: 0 drawn; 2 usage, a damaged table, or nothing to draw; 4 Matplotlib is missing. "
        "A figure without data is skipped, and stderr gives the reason. docs/plots.md describes the figures.")
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a folder with cases.csv; several folders are drawn together")
    parser.add_argument("--output", metavar="DIR", type=Path, help="output folder (default for one DIR: DIR/plots)")
    parser.add_argument("--format", metavar="LIST", type=a_list_of(FORMATS), default=FORMATS, dest="formats",
                        help="svg, png, or both (default: both)")
    parser.add_argument("--only", metavar="LIST", type=a_list_of(NAMES), default=NAMES, dest="figures",
                        help="of " + ", ".join(NAMES))
    chosen = parser.parse_args(words)
    if chosen.output is None:
        if len(chosen.folders) > 1:
            parser.error("several folders need an output folder: add --output DIR")
        chosen.output = Path(chosen.folders[0]) / "plots"
    return chosen


def draw_all(chosen, note):
    sweep = Sweep(chosen.folders)
    from figures import FIGURES  # after the tables: an error in them should not wait for Matplotlib
    from style import SETTINGS, Looks, matplotlib

    matplotlib.rcParams.update(SETTINGS)
    looks = Looks([case.strategy for case in sweep.cases])
    pictures = []
    for name in chosen.figures:
        try:
            pictures += FIGURES[name](sweep, looks)
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
