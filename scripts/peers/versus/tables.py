"""Writes rounds and ratios to files: CSV for programs, Markdown for people."""

import csv
import json

from versus import machine
from versus.estimates import interval_confidence


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def columns(name, estimate):
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def markdown(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def bounded(estimate):
    return f"{estimate.value:.2f} ({estimate.low:.2f}–{estimate.high:.2f})"


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def gigabytes(value):
    return f"{value / 1e9:.2f}"


def probes(comparison):
    return [f"{comparison.median_of(lambda held: held.probe.matmul_flops) / 1e9:.0f}",
            f"{comparison.median_of(lambda held: held.probe.memory_bytes) / 1e9:.1f}"]


def tournament(comparisons):
    """Returns a table of every way of running PyTorch that was tried, with its own results, not paired with
    anything."""
    rows = []
    for row in (row for one in comparisons for row in one.tournament_rows()):
        rate = f"{number(row['units_per_second'])} {row['unit']}/s" if row["units_per_second"] else "failed"
        memory = gigabytes(row["peak_resident_bytes"]) if row["peak_resident_bytes"] else ""
        rows.append([row["model"], row["precision"], row["side"], rate, memory])
    return markdown(["model", "precision", "tournament: way", "rate", "peak resident GB"], rows)


def conditions(environment, rounds, loads):
    """Returns the lines below a table."""
    of = environment["ddlbench"]
    beside = f"; {environment['torch']}" if environment["torch"] else ""
    changed = " with changes" if of["build.git_dirty"] == "true" else ""
    return (f"{environment['when'][:10]}, {of['cpu']}, {environment['cores']} cores; ddlbench {of['build.version']} "
            f"({of['build.git_commit'][:12]}{changed}), oneDNN {of['libraries.oneDNN']}, {of['build.compiler']}{beside}. "
            f"{rounds} rounds; in brackets what bounds the median with "
            f"{interval_confidence(rounds):.0%} confidence. Load average as a round began: {min(loads):.1f} to "
            f"{max(loads):.1f}.\n")


def write(out, text, environment):
    """Writes table.md and environment.json."""
    described = machine.without_this_machine(json.dumps(environment, indent=2, ensure_ascii=False))
    (out / "environment.json").write_text(described + "\n", encoding="utf-8")
    (out / "table.md").write_text(text, encoding="utf-8")


def write_all(comparisons, summary, text, arguments, pythons):
    """Writes rounds.csv, tournament.csv, summary.csv, environment.json and table.md."""
    out = arguments.out
    write_csv(out / "rounds.csv", [row for one in comparisons for row in one.round_rows()])
    write_csv(out / "tournament.csv", [row for one in comparisons for row in one.tournament_rows()])
    write_csv(out / "summary.csv", summary)
    commands = {one.title: one.commands() for one in comparisons}
    environment = machine.environment(arguments.build / "ddlbench", arguments, pythons, commands)
    loads = [held.probe.load for one in comparisons for held in one.rounds]
    below = conditions(environment, arguments.rounds, loads)
    write(out, "\n".join([text, below, tournament(comparisons)]), environment)


def printed(out):
    """Returns the tables, if there are any."""
    path = out / "table.md"
    return path.read_text(encoding="utf-8") if path.is_file() else "nothing was measured"
