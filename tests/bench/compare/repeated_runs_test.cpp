#include <cmath>
#include <string>

#include "../statistics/normal_draws.h"
#include "bench/compare/compare_runs.h"
#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

// Synthetic pairs of runs, of which the truth is known.
namespace {

/// How much runs vary, as logarithms.
struct Variation {
  double own = 0.006;     ///< from visit to visit of a case, in each round
  double common = 0.008;  ///< from round to round of all cases
  double machine = 0;     ///< from run to run: of the machine's speed, which the probes show
  bool heavy_tails = false;
  bool probes = true;  ///< whether there are probes
};

class Runs {
 public:
  Runs(const Variation& variation, std::uint64_t seed) : variation_(variation), draws_(seed) {}

  /// Returns a run of two cases with six rounds, whose steps take `factor` times as long as others.
  RunResults next(double factor) {
    const double machine = variation_.machine * draws_.next();
    std::vector<VisitRecord> visits;
    for (int round = 1; round <= 6; ++round) {
      const double common = variation_.common * deviation();
      for (const auto& [id, milliseconds, control] :
           {std::tuple("single-r1", 20.0, false), {"single-r1", 20.0, true}, {"ddp-r2", 12.0, false}}) {
        const double time = milliseconds * factor * std::exp(machine + common + variation_.own * deviation());
        for (int turn = 0; turn < visits_in_order; ++turn) {
          visits.push_back(test::visit(id, round, time, control));
          if (!variation_.probes) continue;
          visits.back().compute_probe_seconds = 2e-3 * std::exp(machine + 0.01 * deviation());
          visits.back().memory_probe_seconds = 4e-3 * std::exp(machine + 0.01 * deviation());
        }
      }
    }
    return test::run_of({test::finished_case("single", 1, 20, 0.1), test::finished_case("ddp", 2, 12, 0.1)}, visits);
  }

 private:
  double deviation() {
    const double normal = draws_.next();
    return variation_.heavy_tails && std::abs(draws_.next()) > 1.645 ? 4 * normal : normal;  // one in ten
  }

  Variation variation_;
  test::NormalDraws draws_;
};

bool claims(const RunComparison& comparison, Verdict verdict) {
  for (const ComparedCase& one : comparison.cases) {
    if (one.verdict == verdict) return true;
  }
  return false;
}

/// Returns how many of `pairs` pairs of runs of the same program are claimed to differ.
int false_claims(const Variation& variation, int pairs, double margin) {
  Runs runs(variation, 5);
  int found = 0;
  for (int i = 0; i < pairs; ++i) {
    const RunResults before = runs.next(1), after = runs.next(1);
    const RunComparison comparison = compare_runs(before, after, margin);
    found += claims(comparison, Verdict::faster) || claims(comparison, Verdict::slower);
  }
  return found;
}

}  // namespace

TEST_CASE("of 400 pairs of equal runs at most 5 % are claimed to differ") {
  CHECK(false_claims({0.006, 0.008, 0.03}, 200, 0.02) <= 10);
  CHECK(false_claims({0.006, 0.008, 0.03, true}, 200, 0.02) <= 10);
}

TEST_CASE("noise beyond the margin leads to few claims, too") {
  CHECK(false_claims({0.06, 0.08, 0, true}, 100, 0) <= 5);
}

TEST_CASE("without the speed probes a slower machine would look like a slower program") {
  Variation blind{0.006, 0.008, 0.03};
  blind.probes = false;
  CHECK(false_claims(blind, 40, 0.02) > 10);
}

TEST_CASE("a true difference of 5 % is found in at least 19 of 20 pairs of runs") {
  Runs runs({}, 7);
  int found = 0;
  for (int i = 0; i < 40; ++i) {
    const RunResults before = runs.next(1), after = runs.next(1.05);
    const RunComparison comparison = compare_runs(before, after, 0.02);
    found += claims(comparison, Verdict::slower);
    CHECK(!claims(comparison, Verdict::faster));
  }
  INFO(found << " of 40");
  CHECK(found >= 38);
}
