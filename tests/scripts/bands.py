"""Tests the band in which a training's losses must lie, scripts/peers/torch_peer/bands.py."""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "peers"))
from torch_peer import bands  # noqa: E402


def falling(offset, steps=50):
    return [2 + offset - step / 50 for step in range(steps)]


class Band(unittest.TestCase):
    def test_means_are_over_five_steps(self):
        self.assertEqual(bands.means([1, 2, 3, 4, 5, 11]), [3, 5])

    def test_the_margin_is_the_largest_span_nearby(self):
        trainings = [falling(0.0), falling(0.1), falling(0.2)]
        low, high = bands.band(trainings)[0]
        mean = bands.means(falling(0.0))[0]
        self.assertAlmostEqual(low, mean - 0.2)
        self.assertAlmostEqual(high, mean + 0.4)

    def test_a_wide_window_widens_only_the_band_nearby(self):
        wild = [loss + (1 if step == 25 else 0) for step, loss in enumerate(falling(0.0))]
        limits = bands.band([falling(0.0), falling(0.0), wild])
        widths = [high - low for low, high in limits]
        self.assertAlmostEqual(widths[11], 0.4)  # the margin 0.2, twice: windows 21 to 25 span 0.2
        self.assertLess(widths[10], 0.1)
        self.assertAlmostEqual(widths[21], 0.6)
        self.assertAlmostEqual(widths[35], 0.4)
        self.assertLess(widths[36], 0.1)

    def test_trainings_that_agree_leave_a_hundredth_of_the_loss(self):
        limits = bands.band([falling(0.0)] * 3)
        self.assertEqual(bands.outside(falling(0.008), limits), [])
        self.assertEqual(bands.outside(falling(0.03), limits), list(range(46)))

    def test_windows_outside_the_band_are_listed(self):
        limits = bands.band([falling(0.0), falling(0.1), falling(0.2)])
        self.assertEqual(bands.outside(falling(0.35), limits), [])
        self.assertEqual(bands.outside(falling(0.1)[:45] + [9.0] * 5, limits), [41, 42, 43, 44, 45])

    def test_not_a_number_is_outside(self):
        limits = bands.band([falling(0.0), falling(0.1), falling(0.2)])
        self.assertEqual(bands.outside(falling(0.1)[:49] + [math.nan], limits), [45])


if __name__ == "__main__":
    unittest.main()
