#include "bench/report/predicted.h"

#include "catch.h"
#include "contains.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::contains;

namespace {

PredictedCase predicted(const std::string& id, double seconds) {
  PredictedCase entry;
  entry.which.id = id;
  entry.which.strategy.label = id;
  entry.which.contract_id = "c0ffee";
  entry.which.ranks = 2;
  entry.mesh = "data=2";
  entry.prediction.step_seconds = seconds;
  entry.prediction.budget.bubble = seconds / 4;
  entry.batches = 100;
  return entry;
}

}  // namespace

TEST_CASE("predicted cases are ranked by step time, and the best is recommended as a prediction") {
  const std::string text = format_predictions({predicted("slow", 3e-3), predicted("fast", 2e-3)});
  INFO(text);
  CHECK(text.find("fast") < text.find("slow"));
  CHECK(contains(text, "Predicted best: fast on 2 ranks, 2.00 ms per step, 1.50 times as fast as the runner-up, slow"));
  CHECK(contains(text, "25.0 %"));
  CHECK(contains(text, "200 ms"));  // an epoch
}

TEST_CASE("a case that shares cores or is not exact is not recommended") {
  PredictedCase shared = predicted("shared", 1e-3), stale = predicted("stale", 1e-3);
  shared.which.oversubscribed = true;
  stale.exact = false;
  const std::string text = format_predictions({shared, stale, predicted("plain", 2e-3)});
  INFO(text);
  CHECK(contains(text, "Predicted best: plain on 2 ranks, 2.00 ms per step. This"));
  CHECK(text.find("plain") < text.find("shared"));
  CHECK(contains(format_predictions({shared}), "no case can be recommended"));
}

TEST_CASE("contracts are ranked separately") {
  PredictedCase other = predicted("other", 1e-3);
  other.which.contract_id = "beef";
  const std::string text = format_predictions({predicted("one", 2e-3), other});
  CHECK(contains(text, "Predicted best: one"));
  CHECK(contains(text, "Predicted best: other"));
}

TEST_CASE("predictions that take long report their progress") {
  CHECK(format_prediction_progress("001-single-r1", 1, 4, 9.9) == "");
  CHECK(format_prediction_progress("001-single-r1", 1, 4, 20) ==
        "001-single-r1: predicted (1 of 4), about 1:00 min left");
  CHECK(format_prediction_progress("003-ddp-r2", 3, 4, 30) == "003-ddp-r2: predicted (3 of 4), about 10 s left");
  CHECK(format_prediction_progress("004-zero-r2", 4, 4, 40) == "");
}
