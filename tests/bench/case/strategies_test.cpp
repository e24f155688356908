#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "all_strategies.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a case of the convolutional network on oneDNN's kernels.
SmallCase lenet(const std::string& strategy, int ranks, const OptionValues& options) {
  SmallCase small = four_layers(strategy, ranks, options);
  small.experiment.workload.model = {"lenet", {}};
  small.experiment.workload.dataset.options["shape"] = std::string("1x28x28");
  small.experiment.devices.kind = "cpu";
  return small;
}

/// Runs a case that must be certified. run_case itself rejects a case if, on any rank, the bytes that the transport
/// counted or the memory that the device allocated differ from the plan's.
RecordedProgress run_certified(const SmallCase& small, double largest_loss = 1e-4) {
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  INFO(small.which.id << " on " << small.which.ranks << ": " << found.certificate_reason);
  CHECK(found.certified);
  CHECK(found.certificate_loss.value() <= largest_loss);
  CHECK(found.certificate_update.value() <= 1e-3);
  CHECK(found.budget.total() == Approx(found.step_seconds).epsilon(0.01));
  return heard;
}

double flops(const RecordedProgress& heard, std::size_t rank) {
  return heard.ranks.at(rank).flops_per_step;
}

}  // namespace

TEST_CASE("Every strategy on 1 to 4 ranks is certified, and its bytes and memory equal the plan's", "[case]") {
  for (const StrategyRun& way : all_strategies()) {
    SmallCase small = four_layers(way.strategy, way.ranks, way.options);
    small.experiment.measure.predict = true;
    run_certified(small);
  }
}

TEST_CASE("Every strategy trains lenet as one rank does", "[case]") {
  for (const StrategyRun& way : all_strategies()) run_certified(lenet(way.strategy, way.ranks, way.options));
}

TEST_CASE("Every strategy trains a transformer with tied head and embedding as one rank does", "[case]") {
  const test::TemporaryFolder folder;
  for (const StrategyRun& way : all_strategies())
    if (way.ranks > 1) run_certified(tiny_gpt(folder, way, true), 1e-6);
}

TEST_CASE("Strategies train a transformer with a head of its own as one rank does", "[case]") {
  const test::TemporaryFolder folder;
  for (const StrategyRun& way :
       std::vector<StrategyRun>{{"tensor", 2, parts(1)},
                                {"zero", 3, zero(3, 2)},
                                {"gpipe", 4, {{"microbatches", std::int64_t{3}}, {"recompute", Strings{"full"}}}},
                                {"1f1b", 3, parts(6)},
                                {"hybrid", 8, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}, 2)}})
    run_certified(tiny_gpt(folder, way, false), 1e-6);
}

TEST_CASE("A text's labels are counted, and its perplexity is per label", "[case]") {
  const test::TemporaryFolder folder;
  const SmallCase small = tiny_gpt(folder, {"single", 1, parts(1)}, true);
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  REQUIRE(heard.epochs.size() == 1);
  CHECK(heard.epochs[0].perplexity.value() == Approx(std::exp(heard.epochs[0].validation_loss)));
  CHECK(found.final_perplexity == heard.epochs[0].perplexity);
  CHECK(heard.epochs[0].train_loss < std::log(256.0));
  CHECK(heard.epochs[0].accuracy_ratio <= 1);
}

// A model that knows nothing of the order of bytes can at best reach the entropy of their frequencies.
TEST_CASE("A transformer learns more of a text than the frequencies of its bytes", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = tiny_gpt(folder, {"tensor", 2, parts(1)}, true);
  small.experiment.devices.kind = "cpu";
  small.experiment.training.epochs = 20;
  small.experiment.training.optimizer = {"adam", {{"learning_rate", 0.01}}};
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  std::ifstream file(folder / "text");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::array<double, 256> counts{};
  for (const char byte : text) counts[static_cast<unsigned char>(byte)] += 1;
  double entropy = 0;
  for (const double count : counts)
    if (count > 0)
      entropy -= count / static_cast<double>(text.size()) * std::log(count / static_cast<double>(text.size()));
  CHECK(found.certified);
  CHECK(found.final_validation_loss < entropy - 0.5);
}

// Every replica runs the whole optimizer step: with momentum 4 operations for each of the 43,916 parameters that lenet
// has for 4 classes.
TEST_CASE("The FLOPs that kernels count fall as 1/n under data parallelism", "[case]") {
  const double update = 4.0 * 43916;
  const double whole = flops(run_certified(lenet("single", 1, parts(1))), 0) - update;
  for (const int n : {2, 3, 4}) {
    const RecordedProgress heard = run_certified(lenet("ddp", n, parts(1)));
    for (int rank = 0; rank < n; ++rank)
      CHECK(flops(heard, static_cast<std::size_t>(rank)) == Approx(update + whole / n));
  }
}

TEST_CASE("The FLOPs that kernels count are divided by a pipeline, and repeated by recomputation", "[case]") {
  const double whole = flops(run_certified(lenet("single", 1, parts(1))), 0);
  const RecordedProgress kept = run_certified(lenet("gpipe", 4, parts(4)));
  double total = 0;
  for (std::size_t rank = 0; rank < 4; ++rank) total += flops(kept, rank);
  CHECK(total == Approx(whole));
  const RecordedProgress again =
      run_certified(lenet("gpipe", 4, {{"microbatches", std::int64_t{4}}, {"recompute", Strings{"full"}}}));
  CHECK(flops(again, 0) > flops(kept, 0));
}

// Uses the minimum of three rounds: another process that takes the core between two instructions can only add time.
TEST_CASE("The unattributed rest of a budget is at most 5 % of the step", "[case]") {
  for (const StrategyRun& way :
       {StrategyRun{"single", 1, parts(1)}, StrategyRun{"ddp", 2, parts(1)}, StrategyRun{"gpipe", 2, parts(4)}}) {
    SmallCase small = lenet(way.strategy, way.ranks, way.options);
    small.experiment.measure = without_prediction({3, 20, 1, 0, 30});
    double least = 1;
    for (int round = 0; round < 3; ++round) {
      RecordedProgress heard;
      const Measurement found = run_case(small.experiment, small.which, "", heard);
      least = std::min(least, found.budget.rest / found.step_seconds);
    }
    CHECK(least <= 0.05);
  }
}
