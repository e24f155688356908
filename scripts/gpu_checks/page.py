"""Makes the table of docs/gpu.md from the result files alone."""

from checks import CHECKS
import figures

BEGIN = "<!-- table: scripts/gpu_check --write-page -->"
END = "<!-- end of table -->"


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def row(check, result):
    state = result["state"] if result else figures.NOT_RUN
    if state == figures.NOT_RUN:
        reason = f" ({result['reason']})" if result and result["reason"] else ""
        return f"| {check.slot} | {cell(check.title)} | not yet run{cell(reason) and ' ' + cell(reason)} | | | | |"
    shown = result["figure"] if state == figures.RUN else f"failed: {result['reason']}"
    return (f"| {check.slot} | {cell(check.title)} | {state} | {cell(shown)} | {cell(result['gpu'])}, driver {cell(result['driver'])} "
            f"| {cell(result['commit'])} | {cell(result['date'])} |")


def table(found):
    return "\n".join(["| slot | check | state | figure | GPU | commit | date |", "| --- | --- | --- | --- | --- | --- | --- |",
                      *(row(check, found.get(check.id)) for check in CHECKS)])


def with_table(text, found):
    """Returns `text` with a new table between its two markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no '{BEGIN}' before '{END}'")
    return f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}"


def write(path, found):
    path.write_text(with_table(path.read_text(encoding="utf-8"), found), encoding="utf-8")
