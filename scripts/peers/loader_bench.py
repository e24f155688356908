"""Compares ddlbench's loader alone with torchvision's pipeline (Pillow) of the same transforms, one thread each.

Photographs are decoded, a random part is resized to 224 x 224, mirrored or not, and normalised. Both take turns, each
time in a fresh process. Prints the median of the rounds' ratios. See docs/performance.md.

Exit codes: 0 measured; 1 one side failed; 2 usage; 77 there is no torchvision.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from versus import command, launch, machine, tables
from versus.estimates import median, paired
from versus.sides import PEERS

SYNTHETIC = ("224x224", "500x375")
BATCH, SIZE = 32, 224


def parse():
    parser = argparse.ArgumentParser(prog="loader_bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", action="append", type=Path, metavar="DIR",
                        help="a folder with train/CLASS/*.jpg; repeatable (default: synthetic photographs of "
                             f"{' and '.join(SYNTHETIC)}, made for the time of the run)")
    parser.add_argument("--rounds", type=command.positive, default=7, help="rounds of each folder (default: 7)")
    parser.add_argument("--seconds", type=float, default=3.0, help="minimum of each side in a round (default: 3)")
    command.add_out(parser, "loader_bench")
    parser.add_argument("--build", type=Path, default=machine.ROOT / "build", metavar="DIR",
                        help="build folder of loader_rate and make_photos (default: build)")
    parser.add_argument("--python", action="append", metavar="FILE",
                        help="a Python with torchvision; the first one with it is used")
    return command.completed(parser.parse_args(), ("ddlbench", "loader_rate", "make_photos"))


def synthetic(build, folder):
    for size in SYNTHETIC:
        launch.run([build / "make_photos", folder / f"synthetic-{size}", "--classes", 3, "--per-class", 40, "--size", size])
        yield folder / f"synthetic-{size}"


def commands(folder, python, arguments):
    told = {"folder": str(folder), "batch": BATCH, "size": SIZE, "seconds": arguments.seconds}
    return ([arguments.build / "loader_rate", folder, "--size", SIZE, "--batch", BATCH, "--seconds", arguments.seconds],
            [python, "-B", PEERS / "torch_photos.py", json.dumps(told, separators=(",", ":"))])


def measure_rounds(folder, python, arguments):
    """Returns a row for each round: images per second of both sides."""
    rows = []
    for number in range(1, arguments.rounds + 1):
        load = os.getloadavg()[0]
        ours, theirs = (json.loads(launch.run(words, {"OMP_NUM_THREADS": "1"}).output)["samples_per_second"]
                        for words in commands(folder, python, arguments))
        rows.append({"photographs": folder.name, "round": number, "ours_per_second": ours, "torchvision_per_second": theirs,
                     "load_average": load})
        print(f"{folder.name}, round {number}: {ours:.0f} and {theirs:.0f} images/s", file=sys.stderr, flush=True)
    return rows


def table_row(rows):
    ratio = paired([row["ours_per_second"] for row in rows], [row["torchvision_per_second"] for row in rows])
    return [rows[0]["photographs"], tables.number(median([row["ours_per_second"] for row in rows])),
            tables.number(median([row["torchvision_per_second"] for row in rows])), f"**{tables.bounded(ratio)}**"]


def main():
    arguments = parse()
    pythons = command.pythons(arguments.python)
    python = next(iter(pythons))
    with tempfile.TemporaryDirectory(prefix="loader_bench-") as temporary:
        folders = ([folder.resolve() for folder in arguments.photos] if arguments.photos
                   else list(synthetic(arguments.build, Path(temporary))))
        try:
            held = [measure_rounds(folder, python, arguments) for folder in folders]
        except launch.Failed as error:
            print(f"loader_bench: {error}", file=sys.stderr)
            return 1
    written = {str(folder): [launch.written(words) for words in commands(folder, python, arguments)] for folder in folders}
    environment = machine.environment(arguments.build / "ddlbench", arguments, {python: pythons[python]}, written)
    environment["pillow"] = launch.run([python, "-c", "import PIL; print(PIL.__version__)"]).output.strip()
    text = tables.markdown(["photographs", "ddlbench, images/s", "torchvision", "ddlbench / torchvision"],
                           [table_row(rows) for rows in held])
    loads = [row["load_average"] for rows in held for row in rows]
    text += "\n" + tables.conditions(environment, arguments.rounds, loads)
    tables.write_csv(arguments.out / "rounds.csv", [row for rows in held for row in rows])
    tables.write(arguments.out, text, environment)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
