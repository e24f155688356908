"""Faults under every data-parallel strategy and transport: a rank that is killed or stopped, and a link that stalls. Every
case must end in time with a row that names the rank, and leave no process.

    strategy_faults.py BINARY TRANSPORTS [TRIALS [SEED]]

TRANSPORTS are separated by commas. Without TRIALS, every combination is tried, else as many random ones.
"""

import itertools
import os
import random
import re
import signal
import sys
import time
import unittest

TRANSPORTS = sys.argv.pop(2).split(",")
TRIALS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else None
SEED = int(sys.argv.pop(2)) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)

from harness import CommandTest, lasting, wait_until  # noqa: E402 (the import takes the binary from the arguments)

TIMEOUT_SECONDS = 8
TIME_TO_END_SECONDS = 10
STRATEGIES = [
    "ddp", "lbann", {"kind": "ddp", "wire": "bf16"}, {"kind": "hierarchical", "node_ranks": 1},
    {"kind": "horovod", "cycle_milliseconds": 0.1}, {"kind": "priority", "link_gigabits": 0.1},
    {"kind": "balanced", "speeds": [2, 1]},
    *({"kind": "zero", "stage": stage} for stage in (1, 2, 3)),
    *({"kind": "compressed", "codec": codec} for codec in ("one_bit", "ternary", "qsgd", "two_bit", "top_k")),
    "power_sgd", {"kind": "local_sgd", "every": 2}, "gossip",
]
# Ranks that are threads end with their process, which other tests kill and stop.
FAULTS = {"threads": ["stalled"], "mpi": ["killed", "stopped", "stalled"], "gloo": ["killed", "stopped", "stalled"]}
ALL = [(strategy, transport, fault) for strategy, transport in itertools.product(STRATEGIES, TRANSPORTS)
       for fault in FAULTS[transport]]


class Faults(CommandTest):
    def try_one(self, strategy, transport, fault):
        config = lasting()
        config["strategies"] = [{"ranks": 2, **({"kind": strategy} if isinstance(strategy, str) else strategy)}]
        config["training"]["epochs"] = 100000
        config["devices"]["transport"] = transport
        config["measure"]["timeout_seconds"] = TIMEOUT_SECONDS
        if fault == "stalled":
            config["devices"]["throttle"] = {"stall": {"rank": 1, "after_bytes": 20000}}
        run = self.start(config)
        if fault != "stalled":
            os.kill(self.rank_1(run), signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        disturbed = time.monotonic()
        ended = run.end()
        self.assertLess(time.monotonic() - disturbed, TIMEOUT_SECONDS + TIME_TO_END_SECONDS)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assert_no_orphan(run)
        row = self.rows()[0]
        self.assertEqual(row["status"], "timed_out" if fault == "stalled" else "lost_rank", row["status_reason"])
        self.assertRegex(row["status_reason"], r"\brank 1\b")

    def rank_1(self, run):
        """Returns the process of rank 1 once the case trains."""
        def process():
            self.assertIsNone(run.process.poll(), "the run ended before it was disturbed")
            for log in (self.folder / "out/log").glob("*.log"):
                told = log.read_text()
                found = re.search(r"^rank 1: process (\d+) on", told, re.MULTILINE)
                if found and "measure:" in told:
                    return int(found[1])
            return None
        return wait_until(process, "rank 1 in training")

    def test_every_fault_is_named(self):
        trials = ALL if TRIALS is None else random.Random(SEED).sample(ALL, min(TRIALS, len(ALL)))
        for number, (strategy, transport, fault) in enumerate(trials):
            with self.subTest(seed=SEED, strategy=strategy, transport=transport, fault=fault):
                if number > 0:
                    self.doCleanups()
                    self.setUp()
                self.try_one(strategy, transport, fault)


if __name__ == "__main__":
    unittest.main()
