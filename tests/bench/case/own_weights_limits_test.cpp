#include <cmath>
#include <string>

#include "catch.h"
#include "exact_models.h"
#include "exact_runs.h"

using namespace ddlbench;

namespace {

using strategies::WeightsSpec;

test::Outcome trained(const WeightsSpec& weights, int ranks, graph::Optimizer optimizer) {
  strategies::StrategySpec spec;
  spec.mesh.batch = ranks;
  spec.weights = weights;
  return test::outcome_of({test::images(8, 2), std::move(optimizer)}, spec);
}

/// Returns the parameters and statistics that rank `rank` of `found` has, by their plain names.
test::Outcome of_rank(const test::Outcome& found, int rank) {
  const std::string suffix = "@" + std::to_string(rank);
  const auto strip = [&](const runtime::Tensors& from) {
    runtime::Tensors to;
    for (const auto& [name, values] : from)
      if (name.ends_with(suffix)) to[name.substr(0, name.size() - suffix.size())] = values;
    return to;
  };
  test::Outcome result = found;
  result.parameters = strip(found.parameters);
  result.gradients = {};
  result.statistics = {};
  return result;
}

}  // namespace

TEST_CASE("averaging after every step is synchronous training, where the update is linear") {
  const graph::Optimizer sgd = graph::sgd({});
  test::Outcome whole = trained({}, 1, sgd);
  whole.gradients = {};
  whole.statistics = {};
  for (const int ranks : {2, 4})
    for (const auto& [weights, name] : {std::pair{WeightsSpec{.kind = WeightsSpec::Kind::mean}, "mean"},
                                        {WeightsSpec{.kind = WeightsSpec::Kind::block_momentum}, "block_momentum"}}) {
      const test::Outcome found = trained(weights, ranks, sgd);
      for (int rank = 0; rank < ranks; ++rank)
        CHECK(test::difference(of_rank(found, rank), whole, 1e-5, name + std::string(" on ") + std::to_string(rank)) ==
              "");
    }
}

TEST_CASE("averaging states, too, is synchronous training with momentum") {
  const graph::Optimizer momentum = graph::sgd({.momentum = 0.9F});
  test::Outcome whole = trained({}, 1, momentum);
  whole.gradients = {};
  whole.statistics = {};
  const test::Outcome found = trained({.kind = WeightsSpec::Kind::mean, .averages_states = true}, 2, momentum);
  for (int rank = 0; rank < 2; ++rank)
    CHECK(test::difference(of_rank(found, rank), whole, 1e-5, "rank " + std::to_string(rank)) == "");
}

TEST_CASE("ranks that gossip end with different weights, and evaluate their mean") {
  for (const int ranks : {2, 4}) {
    const test::Outcome found = trained({.kind = WeightsSpec::Kind::exponential}, ranks, graph::sgd({}));
    const test::Outcome first = of_rank(found, 0), last = of_rank(found, ranks - 1);
    REQUIRE(first.parameters.size() == last.parameters.size());
    CHECK(first.parameters != last.parameters);  // the last update is each rank's own
    for (const double loss : found.losses) CHECK(std::isfinite(loss));
    CHECK(std::isfinite(found.evaluation));
  }
}
