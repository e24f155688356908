#include "runtime/calibrate.h"

#include "catch.h"
#include "graph/ops/embedding.h"
#include "plans.h"
#include "program/actions.h"
#include "ranks.h"
#include "runtime/op_timer.h"
#include "runtime/queue_channels.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;

namespace {

std::vector<Calibration> calibrated(
    const Plan& written, const CostTable& known, int at_once,
    const test::MakeDevice& make_device = [](int) { return kernels::make_device("reference", {}); }) {
  const Plan plan = test::completed(written);
  std::vector<Calibration> results(static_cast<std::size_t>(plan.ranks()));
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& communicator) {
    const auto device = make_device(communicator.rank());
    const test::TestChannels channels(*device, communicator);
    CalibrationOptions options;
    options.at_once = at_once;
    options.seconds_per_op = 1e-5;
    results[static_cast<std::size_t>(communicator.rank())] = calibrate(plan, *device, channels, known, options);
  });
  return results;
}

void check_all_known(const Plan& plan, const CostTable& costs) {
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (const Instruction& instruction : plan.role(rank).train.bodies.front()) {
      std::string key;
      if (const auto* compute = std::get_if<Compute>(&instruction.action)) key = cost_key(*compute);
      if (const CollectiveCall* call = collective(instruction.action)) {
        key = cost_key(*call, member_count(call->group, plan.meshes));
      }
      if (key.empty()) continue;
      INFO(key);
      REQUIRE(costs.find(key) != nullptr);
      CHECK(costs.find(key)->seconds.value_or(0) > 0);
    }
  }
}

}  // namespace

TEST_CASE("every computation and collective of a plan is timed, with the same result on all ranks") {
  for (const int at_once : {1, 2, 4}) {
    const auto results = calibrated(test::data_parallel_plan(4), {}, at_once);
    check_all_known(test::data_parallel_plan(4), results[0].costs);
    for (const Calibration& other : results) {
      for (const auto& [key, cost] : results[0].costs.all()) CHECK(other.costs.find(key)->seconds == cost.seconds);
      CHECK(other.link_bytes_per_second == results[0].link_bytes_per_second);
    }
    CHECK(results[0].link_latency_seconds > 0);
    CHECK(results[0].link_bytes_per_second > 0);
    CHECK(results[0].start_seconds > 0);
  }
}

TEST_CASE("timed labels and tokens are valid for the model, whatever device memory held before", "[streams]") {
  test::QueueDevice device({});
  const Compute compute{{std::make_shared<graph::Embedding>()},
                        {test::operand(0, {4}, 0, graph::DType::i32), test::operand(1, {3, 2})},
                        {test::operand(2, {4, 2})}};
  CHECK(time_computations({{"embedding", &compute}}, device, 1e-5).at("embedding") > 0);
}

TEST_CASE("ranks with different roles time the work that only they have") {
  check_all_known(test::pipeline_plan(), calibrated(test::pipeline_plan(), {}, 2)[1].costs);
}

TEST_CASE("known costs are not timed again") {
  CostTable known;
  const auto first = calibrated(test::pipeline_plan(), {}, 1);
  for (const auto& [key, cost] : first[0].costs.all()) known.insert(key, {7.0, 0});
  const auto again = calibrated(test::pipeline_plan(), known, 1);
  for (const auto& [key, cost] : again[0].costs.all()) CHECK(*cost.seconds == Approx(7.0));
}

TEST_CASE("a plan with one rank has no link") {
  const auto results = calibrated(test::two_layer_plan(), {}, 1);
  check_all_known(test::two_layer_plan(), results[0].costs);
  CHECK(results[0].link_bytes_per_second == 0);
}

TEST_CASE("an asynchronous device is timed by events, and its messages over their own channel") {
  for (const bool on_stream : {false, true}) {
    const auto make = [on_stream](int) {
      test::QueueOptions options;
      options.on_stream = on_stream;
      return std::make_unique<test::QueueDevice>(options);
    };
    const auto results = calibrated(test::data_parallel_plan(2), {}, 2, make);
    check_all_known(test::data_parallel_plan(2), results[0].costs);
    CHECK(results[0].link_latency_seconds > 0);
    CHECK(results[0].link_bytes_per_second > 0);
    CHECK(results[0].start_seconds > 0);
  }
}
