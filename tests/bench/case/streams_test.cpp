#include "all_strategies.h"
#include "bench/case/measure.h"
#include "bench/case/trainer.h"
#include "catch.h"
#include "on_streams.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr std::int64_t streamed_steps = 4;

/// Returns the error of a training whose learning rate is far too high; empty if there is none.
std::string ending_on(const SmallCase& small, const Setup& setup, const MakeDevice& make_device) {
  try {
    epochs_on(small, setup, make_device);
  } catch (const NonFinite& error) {
    return error.what();
  }
  return "";
}

/// Checks a case on a device of queues, with an order of its streams that depends on the seed: staged, and on the
/// communication stream, where all steps but the first two are recorded.
void check_streams(const SmallCase& small, unsigned seed) {
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  const runtime::Trace expected = trace_on(small, setup, reference(), streamed_steps);
  for (const bool on_stream : {false, true}) {
    INFO(small.which.id << " on " << small.which.ranks << ", seed " << seed
                        << (on_stream ? ", on stream" : ", staged"));
    const runtime::Trace found = trace_on(small, setup, queues(seed, on_stream), streamed_steps);
    CHECK(found.losses == expected.losses);
    CHECK(found.first_gradients == expected.first_gradients);
    CHECK(found.final == expected.final);
  }
}

}  // namespace

TEST_CASE("Every strategy on streams trains as on the host, to the bit", "[streams]") {
  unsigned seed = 0;
  for (const auto& ways : {all_strategies(), strategies_with_rules()})
    for (const StrategyRun& way : ways) check_streams(four_layers(way.strategy, way.ranks, way.options), seed++);
}

TEST_CASE("Strategies on streams train a transformer as on the host, to the bit", "[streams]") {
  const test::TemporaryFolder folder;
  unsigned seed = 0;
  for (const StrategyRun& way : all_strategies()) {
    if (way.ranks == 2) check_streams(tiny_gpt(folder, way, true), seed++);
  }
}

TEST_CASE("Epoch metrics reported a step behind equal those of synchronous steps", "[streams]") {
  for (const int ranks : {1, 2}) {
    SmallCase small = four_layers(ranks == 1 ? "single" : "ddp", ranks, {});
    small.experiment.training.epochs = 2;
    const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
    const std::vector<double> expected = epochs_on(small, setup, reference());
    CHECK(expected.size() == 6);
    for (const bool on_stream : {false, true}) CHECK(epochs_on(small, setup, queues(5, on_stream)) == expected);
  }
}

TEST_CASE("A non-finite loss is reported with its own step, a step behind", "[streams]") {
  SmallCase small = four_layers("single", 1, {});
  small.experiment.training.optimizer.options["learning_rate"] = 1e30;
  small.experiment.workload.dataset.options["train_samples"] = std::int64_t{480};
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  const std::string expected = ending_on(small, setup, reference());
  CHECK(expected.find("of phase train epoch 1, on rank 0") != std::string::npos);
  CHECK(ending_on(small, setup, queues(5, false)) == expected);
}

TEST_CASE("All measured steps are kept, in order, a step behind", "[streams]") {
  const SmallCase small = four_layers("ddp", 2, {});
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  for (const bool on_stream : {false, true}) {
    std::vector<Counted> counted(2);
    on_ranks(small, setup, queues(5, on_stream), [&](Trainer& trainer) {
      counted[static_cast<std::size_t>(trainer.rank())] = run_measured_steps(trainer, nullptr);
    });
    for (const Counted& rank : counted) {
      REQUIRE(rank.steps.size() == 3);
      for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        const MeasuredStep& step = rank.steps[i];
        CHECK(step.timeline.step == static_cast<std::int64_t>(i) + 1);  // after one warm-up step
        CHECK(step.timeline.spans.size() > 1);
        CHECK(step.previous_end <= step.timeline.begin);
        if (i > 0) CHECK(step.previous_end == rank.steps[i - 1].timeline.end);
      }
    }
  }
}
