"""Tests what scripts/prediction says of cases that were measured."""

import contextlib
import importlib.util
import io
import statistics
import sys
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
LOADER = SourceFileLoader("prediction", str(Path(__file__).resolve().parents[2] / "scripts" / "prediction"))
prediction = importlib.util.module_from_spec(importlib.util.spec_from_loader("prediction", LOADER))
LOADER.exec_module(prediction)


def entry(case, measured, predicted, shares_cores):
    row = {"step_seconds": str(measured), "predicted_step_seconds": str(predicted), "contract_id": "c", "ranks": "2",
           "threads_per_rank": "1", "oversubscribed": "1" if shares_cores else "0"}
    return prediction.Entry("small.json", case, [row])


def verdict(entries):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        prediction.print_verdict(entries, "Medians", statistics.median)
    return text.getvalue()


class Verdict(unittest.TestCase):
    def test_names_the_fastest_case_and_the_one_predicted_to_be(self):
        text = verdict([entry("ddp", 1.0, 2.0, False), entry("zero", 1.5, 1.4, False), entry("tensor", 0.1, 0.1, True)])
        self.assertIn("Fastest, with cores of its own: small ddp; predicted: small zero, 1.50 times as slow.", text)

    def test_says_nothing_of_the_fastest_where_all_cases_share_cores(self):
        text = verdict([entry("ddp", 1.0, 1.1, True)])
        self.assertIn("1 of 1 that share cores", text)
        self.assertNotIn("Fastest", text)


if __name__ == "__main__":
    unittest.main()
