#include "bench/case/predict.h"
#include "catch.h"
#include "small_case.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

double computing(const RankRecord& rank) {
  return rank.budget.forward + rank.budget.backward + rank.budget.optimizer;
}

}  // namespace

TEST_CASE("a slow rank computes longer, the others wait for it, and the training is the same") {
  SmallCase small("ddp", 2);
  small.experiment.devices.collectives = "ring";
  const RecordedProgress usual = recorded_run(small);
  small.experiment.measure.predict = true;
  small.experiment.devices.throttle.slowdown = 20;  // so much that a busy machine cannot hide it
  RecordedProgress slowed;
  const Measurement measured = run_case(small.experiment, small.which, "", slowed);
  CHECK(measured.certified);
  REQUIRE(slowed.ranks.size() == 2);
  CHECK(computing(slowed.ranks[1]) > 2 * computing(slowed.ranks[0]));
  CHECK(slowed.ranks[1].budget.forward > 2 * slowed.ranks[0].budget.forward);
  CHECK(slowed.ranks[0].budget.bubble > computing(slowed.ranks[0]));
  REQUIRE(measured.rank_speeds);
  CHECK(measured.rank_speeds->ends_with(",100"));
  CHECK(std::stod(*measured.rank_speeds) > 200);
  REQUIRE(slowed.epochs.size() == usual.epochs.size());
  for (std::size_t i = 0; i < usual.epochs.size(); ++i) {
    CHECK(slowed.epochs[i].train_loss == usual.epochs[i].train_loss);
  }
  REQUIRE(measured.prediction);
  CHECK(measured.prediction->budget.bubble > 0.2 * measured.prediction->step_seconds);
}
