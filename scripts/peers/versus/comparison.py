"""Compares ddlbench with PyTorch's best way for one model in one precision, in rounds."""

import sys

from versus import launch, rounds, tables, tournament
from versus.estimates import estimate, median, paired


class Comparison:
    """`ours` are ways to run ddlbench, which are the first columns of a round. The best of PyTorch's ways, `theirs`, is
    the last; with `stock_in_rounds`, the best of its stock ways is the column before, and must run. `schedule` is what
    distinguishes comparisons of one model and precision, if there are several."""

    def __init__(self, workload, precision, ours, theirs, arguments, schedule="", stock_in_rounds=False):
        self.workload, self.precision, self.arguments, self.ours = workload, precision, arguments, ours
        self.schedule = schedule
        print(f"{self.title}: tournament", file=sys.stderr, flush=True)
        self.entries = tournament.measure_rounds(theirs, workload, precision, arguments.passes, arguments.seconds / 2)
        best = tournament.best_of(self.entries, stock=False)
        if best is None:
            raise launch.Failed("none of the PyTorch configurations that were tried can train it")
        self.best, self.stock = best.side, tournament.best_of(self.entries, stock=True)
        self.theirs = [self.best]
        if stock_in_rounds:
            if self.stock is None:
                raise launch.Failed("PyTorch as it is by default cannot train it")
            self.theirs.insert(0, self.stock.side)
        # The first run also lets ddlbench choose its kernels, which it keeps for the rounds.
        self.steps = [rounds.steps_for(arguments.seconds, side.measure(workload, precision, 3).step_seconds)
                      for side in ours]
        self.measure_rounds(ours[0].ranks * ours[0].threads)

    @property
    def title(self):
        return " ".join(word for word in (self.workload.model, self.precision, self.schedule) if word)

    def measure_rounds(self, threads):
        workload, precision, arguments = self.workload, self.precision, self.arguments
        print(f"{self.title}: {', '.join(self.names())}", file=sys.stderr, flush=True)
        takes = [lambda side=side, steps=steps: side.measure(workload, precision, steps)
                 for side, steps in zip(self.ours, self.steps)]
        takes += [lambda side=side: side.measure(workload, precision, arguments.seconds) for side in self.theirs]
        self.rounds = rounds.measure_rounds(
            arguments.rounds, lambda: rounds.probe(arguments.build / "machine_probe", precision, threads), takes)

    def names(self):
        return [side.name for side in self.ours + self.theirs]

    def median_of(self, value):
        return median([value(held) for held in self.rounds])

    def rate(self, side):
        return self.workload.rate(self.median_of(lambda held: held.measured[side].step_seconds))

    def stock_rate(self):
        """Returns None if it did not run. Where it is not in the rounds, the rate is that of the tournament."""
        return self.workload.rate(self.stock.step_seconds) if self.stock else None

    def handed_out(self, side):
        return self.median_of(lambda held: held.measured[side].allocated_bytes)

    def resident(self, side):
        return self.median_of(lambda held: held.measured[side].peak_resident_bytes)

    def part_seconds(self, side, part):
        return self.median_of(lambda held: held.measured[side].parts[part])

    def speedup(self, side, over):
        return paired([held.measured[over].step_seconds for held in self.rounds],
                      [held.measured[side].step_seconds for held in self.rounds])

    def memory(self, side, over):
        return paired([held.measured[side].peak_resident_bytes for held in self.rounds],
                      [held.measured[over].peak_resident_bytes for held in self.rounds])

    def share_of_peak(self, side):
        """Returns the FLOP rate of the whole step relative to the fastest matrix product of the same round."""
        return estimate([held.measured[side].flops / held.measured[side].step_seconds / held.probe.matmul_flops
                         for held in self.rounds])

    def round_rows(self):
        for number, held in enumerate(self.rounds, 1):
            for name, measured in zip(self.names(), held.measured):
                yield {"model": self.workload.model, "precision": self.precision, "round": number, "side": name,
                       "step_seconds": measured.step_seconds,
                       "units_per_second": self.workload.rate(measured.step_seconds), "unit": self.workload.unit,
                       "steps": measured.steps, "peak_resident_bytes": measured.peak_resident_bytes,
                       "handed_out_bytes": measured.allocated_bytes or "",
                       "flops_per_step": measured.flops or "", "matmul_flops_per_second": held.probe.matmul_flops,
                       "memory_bytes_per_second": held.probe.memory_bytes, "load_average": held.probe.load,
                       **{f"{part}_seconds": seconds for part, seconds in measured.parts.items()}}

    def tournament_rows(self):
        for entry in self.entries:
            seconds = entry.step_seconds
            yield {"model": self.workload.model, "precision": self.precision, "side": entry.side.name,
                   "step_seconds": seconds or "", "units_per_second": self.workload.rate(seconds) if seconds else "",
                   "unit": self.workload.unit, "passes": len(entry.seconds),
                   "peak_resident_bytes": int(median(entry.resident)) if entry.resident else "",
                   "refused": entry.refused}

    def commands(self):
        ours = {side.name: launch.written(side.command(self.workload, self.precision)) for side in self.ours}
        theirs = {side.name: launch.written(side.command(self.workload, self.precision, self.arguments.seconds),
                                            side.variables()) for side in self.theirs}
        return {**ours, **theirs}


def compare_all(arguments, pythons, subjects, make, summary_row, text_of):
    """`make(*subject)` compares. The tables are written after each comparison, so that its results are kept if a later
    one fails. `summary_row(one)` and `text_of(all)` make the tables. Prints them, and returns the exit code."""
    held, all_held = [], True
    for subject in subjects:
        try:
            held.append(make(*subject))
        except launch.Failed as error:
            print(f"{' '.join(subject)}: {error}", file=sys.stderr, flush=True)
            all_held = False
            continue
        tables.write_all(held, [summary_row(one) for one in held], text_of(held), arguments, pythons)
    print(tables.printed(arguments.out))
    return 0 if all_held else 1
