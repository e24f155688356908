"""Runs `ddlbench layers` for a workload."""

import csv

from versus import launch


def command(binary, workload, threads):
    size = str(workload.units_per_sample) if workload.is_text else "3x224x224"
    options = [word for name, value in workload.options.items() for word in ("--option", f"{name}={value}")]
    return [binary, "layers", "--quiet", "--model", workload.model, "--batch", workload.batch, "--input", size,
            "--threads", threads, *options]


def rows(binary, workload, threads, folder):
    """Returns [(layer, forward seconds, backward seconds)] of one run."""
    path = folder / "layers.csv"
    launch.run([*command(binary, workload, threads), "--csv", path])
    with open(path, newline="", encoding="utf-8") as file:
        return [(row["layer"], *(sum(float(row[name] or 0) for name in names) for names in
                                 (["forward_seconds"], ["backward_input_seconds", "backward_weight_seconds"])))
                for row in csv.DictReader(file) if row["layer"] != "total"]
