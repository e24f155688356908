#include "catch.h"
#include "compiled.h"

using namespace ddlbench;
using namespace ddlbench::strategies;
using program::MemoryClass;

namespace {

OptionValues in_backward(bool overlap = true) {
  OptionValues options{{"update_in_backward", true}};
  if (!overlap) options["overlap"] = false;
  return options;
}

std::int64_t gradient_bytes(const program::Plan& plan) {
  return program::account(plan, 0).peak_bytes_by_class[static_cast<std::size_t>(MemoryClass::gradients)];
}

/// Returns the indices of the body's instructions whose names begin with `name`: "update bucket", "reduce bucket".
std::vector<std::size_t> places(const program::Plan& plan, const std::string& name) {
  std::vector<std::size_t> places;
  const std::vector<program::Instruction>& body = plan.role(0).train.bodies.front();
  for (std::size_t i = 0; i < body.size(); ++i)
    if (body[i].name.starts_with(name)) places.push_back(i);
  return places;
}

std::string rejection_in_backward(const graph::Optimizer& optimizer, const OptionValues& options,
                                  const std::string& strategy = "single") {
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  try {
    kind.compile({fashion_model("lenet", 48), 48, strategy == "single" ? 1 : 2, optimizer, costs}, options);
  } catch (const Unsupported& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("update_in_backward compiles to valid plans, also with many buckets") {
  CHECK(findings(compiled("single", 1, 48, in_backward())) == "");
  CHECK(findings(compiled_layers("single", 5, 1, 48, in_backward())) == "");
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (const double mebibytes : {0.001, 25.0}) {
      INFO(ranks << " ranks, buckets of " << mebibytes);
      OptionValues options = in_backward();
      options["bucket_mebibytes"] = options["first_bucket_mebibytes"] = mebibytes;
      CHECK(findings(compiled("ddp", ranks, 48, options)) == "");
    }
}

TEST_CASE("with update_in_backward gradients exist bucket by bucket") {
  OptionValues options = in_backward();
  options["bucket_mebibytes"] = options["first_bucket_mebibytes"] = 0.001;
  const std::int64_t largest = 120 * 400 * 4;  // weight of the first linear layer, which no bucket limit splits
  const program::Plan kept = compiled("ddp", 2, 48), passing = compiled("ddp", 2, 48, options);
  CHECK(gradient_bytes(kept) == lenet_parameters * 4);
  CHECK(gradient_bytes(passing) < lenet_parameters * 4);
  CHECK(gradient_bytes(passing) >= largest / 2);
  CHECK(program::account(passing, 0).persistent_bytes_by_class[static_cast<std::size_t>(MemoryClass::gradients)] == 0);
  CHECK(sent_by_all(passing) == sent_by_all(kept));
}

TEST_CASE("a large model needs less memory with update_in_backward") {
  const auto peak = [](const OptionValues& options) {
    return program::account(compiled("single", 1, 8, options, "alexnet", {3, 224, 224}), 0).peak_bytes;
  };
  const std::int64_t gradients = 57044810 * 4, largest = 4096 * 9216 * 4;  // with 10 classes; the first linear layer
  CHECK(peak({}) - peak(in_backward()) > (gradients - largest) * 9 / 10);
}

TEST_CASE("an update runs during backward, after the reduction of the next bucket") {
  OptionValues options = in_backward();
  options["bucket_mebibytes"] = options["first_bucket_mebibytes"] = 0.001;
  const program::Plan plan = compiled("ddp", 2, 48, options);
  const std::vector<std::size_t> updates = places(plan, "update bucket"), reduces = places(plan, "reduce bucket");
  REQUIRE(updates.size() == reduces.size());
  REQUIRE(updates.size() >= 4);
  for (std::size_t bucket = 0; bucket + 1 < updates.size(); ++bucket) {
    CHECK(updates[bucket] > reduces[bucket + 1]);
    if (bucket + 2 < reduces.size()) CHECK(updates[bucket] < reduces[bucket + 2]);
  }
}

TEST_CASE("update_in_backward is rejected with the reason where it would be incorrect") {
  const graph::Optimizer sgd = graph::sgd({.momentum = 0.9F});
  CHECK(rejection_in_backward(sgd, in_backward()).empty());
  CHECK(rejection_in_backward(graph::lars({.momentum = 0.9F}), in_backward()).empty());
  OptionValues parts = in_backward();
  parts["microbatches"] = std::int64_t{2};
  CHECK_THAT(rejection_in_backward(sgd, parts), Catch::Matchers::Contains("micro-batch"));
  CHECK_THAT(rejection_in_backward(sgd, in_backward(false), "ddp"), Catch::Matchers::Contains("overlap"));
  graph::Optimizer guarded = sgd;
  guarded.guard.max_norm = 1;
  CHECK_THAT(rejection_in_backward(guarded, in_backward()), Catch::Matchers::Contains("clip_norm"));
  guarded.guard = {0, true};
  CHECK_THAT(rejection_in_backward(guarded, in_backward()), Catch::Matchers::Contains("fp16"));
}
