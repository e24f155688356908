"""Groups cases into lines: the same strategy under the same contract, or with the same batch per rank."""

from collections import defaultdict
from dataclasses import dataclass

from style import DASHES, pretty

CONDITIONS = ["experiment", "workload", "dataset", "device", "transport", "precision", "optimizer", "seed"]


@dataclass
class Line:
    strategy: str
    context: str  # distinguishes it from other lines of the same strategy; empty if nothing has to
    cases: list  # in ascending order of ranks, none twice
    dash: object = "-"

    @property
    def label(self):
        return pretty(self.strategy) + (f", {self.context}" if self.context else "") + self.promise

    @property
    def promise(self):
        promise = self.cases[0].text("promise")
        return f" [{promise}]" if promise not in ("", "exact") else ""


def condition(case, name):
    return case.experiment if name == "experiment" else case.text(name)


def varying(cases):
    return [name for name in CONDITIONS if len({condition(case, name) for case in cases if condition(case, name)}) > 1]


def spell(name, value):
    return f"seed {value}" if name == "seed" else value


def split_doubles(cases):
    """Splits cases into lists without repeated numbers of ranks, by threads per rank if that suffices."""
    def is_simple(group):
        return len({case.ranks for case in group}) == len(group)

    if is_simple(cases):
        return [("", cases)]
    by_threads = defaultdict(list)
    for case in cases:
        by_threads[case.text("threads_per_rank")].append(case)
    if all(map(is_simple, by_threads.values())):
        return [(f"{threads} thread{'s' * (threads != '1')}", group) for threads, group in by_threads.items()]
    return [(case.id, [case]) for case in cases]


def strong_and_weak(cases):
    """Splits the cases of one strategy and scaling_id into (context, cases): by contract, and the rest by batch per
    rank."""
    contracts, weak = defaultdict(list), defaultdict(list)
    for case in cases:
        contracts[case.text("contract_id")].append(case)
    lines = []
    for group in contracts.values():
        if len({case.ranks for case in group}) > 1 or len(contracts) == 1:
            lines.append((f"batch {group[0].text('global_batch')}", group))
        else:
            batch = group[0].number("global_batch")
            weak[batch / group[0].ranks if batch else None].extend(group)
    lines += [(f"batch {per_rank:g} per rank" if per_rank else "", group) for per_rank, group in weak.items()]
    return lines if len(lines) > 1 or weak else [("", lines[0][1])]


def lines_of(cases):
    """Returns all cases as lines, in the order of their first cases."""
    different = varying(cases)
    groups = defaultdict(list)
    for case in cases:
        words = [spell(name, condition(case, name)) for name in different]
        groups[case.strategy, ", ".join(filter(None, words)), case.text("scaling_id")].append(case)
    places = [(strategy, context) for strategy, context, _ in groups]
    lines = []
    for (strategy, context, scaling), group in groups.items():
        hidden = f"scaling {scaling[:4]}" if places.count((strategy, context)) > 1 else ""
        for batch, contract in strong_and_weak(group):
            for threads, same in split_doubles(contract):
                words = ", ".join(filter(None, [context, hidden, batch, threads]))
                lines.append(Line(strategy, words, sorted(same, key=lambda case: case.ranks)))
    contexts = list(dict.fromkeys(line.context for line in lines))
    for line in lines:
        line.dash = DASHES[contexts.index(line.context) % len(DASHES)]
    return lines


def conditions(cases):
    """Returns one line of text with what all cases share."""
    different = varying(cases)
    first = cases[0]
    words = [spell(name, condition(first, name)) for name in CONDITIONS if name not in different]
    batches = {case.text("global_batch") for case in cases if case.text("global_batch")}
    if len(batches) == 1:
        words.append(f"batch {batches.pop()}")
    return ", ".join(filter(None, words))
