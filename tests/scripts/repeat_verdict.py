"""Tests what scripts/repeat_verdict counts, and runs it once."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "repeat_verdict"
LOADER = SourceFileLoader("repeat_verdict", str(SCRIPT))
repeat_verdict = importlib.util.module_from_spec(importlib.util.spec_from_loader("repeat_verdict", LOADER))
sys.modules["repeat_verdict"] = repeat_verdict
LOADER.exec_module(repeat_verdict)


def case(low, high, letters="", speedup=None, contract="c"):
    return repeat_verdict.Case(contract, (low, high), speedup, letters)


class CountTest(unittest.TestCase):
    def test_intervals_of_two_runs_are_compared_case_by_case(self):
        runs = [{"a": case(1, 2, speedup=(1, 1.1)), "b": case(5, 6)}, {"a": case(2, 3, speedup=(1.2, 1.3)), "b": case(7, 8)},
                {"a": case(3.5, 4, speedup=(1.05, 1.25))}]
        steps, speedups, _ = repeat_verdict.contradictions(runs)
        self.assertEqual((steps.compared, steps.contradicted), (4, 3))
        self.assertEqual((speedups.compared, speedups.contradicted), (3, 1))

    def test_an_order_counts_as_flipped_only_if_both_runs_claim_it(self):
        claims = {"<": (case(1, 2, "a"), case(3, 4, "b")), ">": (case(3, 4, "b"), case(1, 2, "a")),
                  "tie": (case(1, 2, "a"), case(3, 4, "ab")), "overlap": (case(1, 3), case(2, 4)),
                  "without rounds": (case(1, 2), case(3, 4)), "contracts": (case(1, 2, "a"), case(3, 4, "b", contract="d"))}

        def flips(one, other):
            runs = [dict(zip("ab", claims[name])) for name in (one, other)]
            orders = repeat_verdict.contradictions(runs)[2]
            return orders.compared, orders.contradicted

        self.assertEqual(flips("<", "<"), (1, 0))
        self.assertEqual(flips("<", ">"), (1, 1))
        self.assertEqual(flips(">", "without rounds"), (1, 1))
        for silent in ("tie", "overlap", "contracts"):
            self.assertEqual(flips("<", silent), (0, 0))
        self.assertEqual(repeat_verdict.orders_claimed([dict(zip("ab", claims[name])) for name in claims]).contradicted, 3)


class RunTest(unittest.TestCase):
    def repeat(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([SCRIPT, ROOT / "configs" / "example.json", *words], check=False, capture_output=True,
                                  text=True, cwd=folder, env={**os.environ, "DDLBENCH": BINARY})

    def test_two_runs_are_compared(self):
        ended = self.repeat("--runs", "2", "--neighbour", "--", "--filter", "single|ddp", "--set", "/training/epochs=1",
                            "--set", "/measure/interleave=false", "--set", "/measure/steps=5")
        self.assertIn(ended.returncode, (0, 1), ended.stderr)
        self.assertRegex(ended.stdout, r"example\.json, 2 runs, beside a neighbour\n"
                                       r"step-time intervals of two runs that exclude each other: [012] of 2 \(")
        self.assertRegex(ended.stdout, r"speedup intervals .* [01] of 1 \(")

    def test_what_cannot_be_compared_is_an_error(self):
        self.assertEqual(self.repeat("--runs", "1").returncode, 2)
        ended = self.repeat("--runs", "2", "--", "--filter", "nothing")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("ddlbench ended with exit code 2", ended.stderr)


if __name__ == "__main__":
    BINARY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
