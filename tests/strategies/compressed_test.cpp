#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "graph/ops/codec.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t samples = 48;

OptionValues by(const std::string& codec, OptionValues more = {}) {
  more["codec"] = Nested{{codec, {}}};
  return more;
}

std::int64_t state_bytes(const program::Plan& plan) {
  const auto state = static_cast<std::size_t>(program::MemoryClass::optimizer_state);
  return program::account(plan, 0).persistent_bytes_by_class[state];
}

}  // namespace

// Every rank sends its payload to the n − 1 others. Buckets end where they have at least 1 KiB and 4 KiB.
TEST_CASE("compressed sends the payloads of a codec, with every codec") {
  for (const graph::CodecKind& kind : graph::codec_kinds())
    for (const int n : {1, 2, 3, 4, 8}) {
      INFO(kind.name << " on " << n);
      const program::Plan plan =
          compiled("compressed", n, samples,
                   by(kind.name, {{"first_bucket_mebibytes", 1.0 / 1024}, {"bucket_mebibytes", 4.0 / 1024}}));
      CHECK(findings(plan) == "");
      if (n == 1) {
        CHECK(plan.promise.kind == program::Promise::Kind::exact);
        CHECK(sent_by_all(plan).empty());
        continue;
      }
      REQUIRE(plan.promise.rule != nullptr);
      CHECK(plan.promise.rule->steps.front().buckets.size() > 1);
      const graph::Codec codec = graph::make_codec({kind.name, {}});
      std::int64_t payloads = 0, elements = 0;
      for (const program::BucketRule& bucket : plan.promise.rule->steps.front().buckets) {
        std::int64_t size = 0;
        for (const program::GradientElements& part : bucket.parts) size += part.elements.size();
        payloads += codec.payload_bytes(size);
        elements += size;
      }
      CHECK(elements == lenet_parameters);
      CHECK(sent_by_all(plan) == std::map<std::string, std::int64_t>{{"all_gather", n * (n - 1) * payloads}});
    }
}

TEST_CASE("the residual of a codec with feedback is counted, and only with feedback") {
  const std::int64_t plain = state_bytes(compiled("ddp", 2, samples)), residual = 4 * lenet_parameters;
  CHECK(state_bytes(compiled("compressed", 2, samples, by("one_bit"))) == plain + residual);
  CHECK(state_bytes(compiled("compressed", 2, samples, by("one_bit", {{"error_feedback", std::string("no")}}))) ==
        plain);
  CHECK(state_bytes(compiled("compressed", 2, samples, by("qsgd"))) == plain);
  CHECK(state_bytes(compiled("compressed", 2, samples, by("qsgd", {{"error_feedback", std::string("yes")}}))) ==
        plain + residual);
  CHECK(state_bytes(compiled("compressed", 1, samples, by("one_bit"))) == plain);
}

TEST_CASE("a warm-up sends a quarter of the elements, then a sixteenth, and so on") {
  OptionValues options{{"codec", Nested{{"top_k", {{"density", 0.01}}}}}, {"warm_up_steps", std::int64_t{10}}};
  const program::Plan plan = compiled("compressed", 2, samples, options);
  CHECK(findings(plan) == "");
  CHECK(plan.cadence == program::Cadence{{{0, 4}, {1, 3}, {2, 3}}, {{3, 1}}});
  const auto sent = [&plan](std::int64_t step) { return sent_in_steps(plan, 0, step, 1).at("all_gather"); };
  const auto payload = [&plan](double density) {
    std::int64_t bytes = 0;
    for (const program::BucketRule& bucket : plan.promise.rule->steps.front().buckets) {
      std::int64_t size = 0;
      for (const program::GradientElements& part : bucket.parts) size += part.elements.size();
      bytes += graph::make_codec({"top_k", {{"density", density}}}).payload_bytes(size);
    }
    return bytes;
  };
  CHECK(sent(0) == payload(0.25));
  CHECK(sent(3) == payload(0.25));
  CHECK(sent(4) == payload(0.0625));
  CHECK(sent(9) == payload(0.015625));
  CHECK(sent(10) == payload(0.01));
  CHECK(sent(1000) == payload(0.01));
}

TEST_CASE("momentum correction keeps a velocity, and needs what makes it exact") {
  // The optimizer of these plans has momentum.
  OptionValues options = by("top_k", {{"momentum_correction", 0.9}});
  CHECK(test::failure_of([&] { compiled("compressed", 2, samples, options); }) ==
        "momentum_correction needs an optimizer without states, because it has the momentum; use sgd with momentum 0");
  options["codec"] = Nested{{"one_bit", {}}};
  CHECK(test::failure_of([&] { compiled("compressed", 2, samples, options); }) ==
        "momentum_correction needs a codec that sends some elements exactly, with error feedback; use top_k");
  options = by("one_bit", {{"warm_up_steps", std::int64_t{3}}});
  CHECK(test::failure_of([&] { compiled("compressed", 2, samples, options); }) ==
        "warm_up_steps needs a codec with a density, and one_bit has none; leave it out, or use top_k or "
        "sparse_binary");
}

TEST_CASE("a codec is rejected where its rule says nothing") {
  const auto said = [](const std::string& strategy, int ranks, OptionValues options) {
    return test::failure_of([&] { compiled(strategy, ranks, samples, by("top_k", std::move(options))); });
  };
  CHECK(said("hybrid", 4, mesh({{"data", 2}, {"pipeline", 2}})) ==
        "codec needs a mesh whose axes all split the batch; leave it out, or the other axes");
  OptionValues sharded = mesh({{"data", 2}}, 1);
  sharded["zero"] = std::int64_t{1};
  CHECK(said("hybrid", 2, sharded) == "a codec compresses whole gradients; leave out zero and hierarchical");
  OptionValues both = mesh({{"data", 2}}, 1);
  both["wire"] = std::string("bf16");
  CHECK(said("hybrid", 2, both) == "a codec decides what is on the wire; leave out wire, or codec");
  OptionValues without = mesh({{"data", 2}}, 1);
  without["codec"] = Nested{{"none", {}}};
  without["error_feedback"] = std::string("yes");
  CHECK(test::failure_of([&] { compiled("hybrid", 2, samples, without); }) ==
        "error_feedback has no effect without a codec; leave it out, or add one");
}

}  // namespace ddlbench::strategies
