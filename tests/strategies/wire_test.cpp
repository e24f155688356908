#include "catch.h"
#include "compiled.h"
#include "failure.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t wire_batch = 48;

OptionValues on_the_wire(const std::string& type, OptionValues more = {}) {
  more["wire"] = type;
  return more;
}

}  // namespace

TEST_CASE("16-bit numbers on the wire compile to valid plans") {
  for (const std::string type : {"bf16", "fp16"})
    for (const int ranks : {1, 2, 3, 4, 8}) {
      INFO(type << " on " << ranks);

      CHECK(findings(compiled("ddp", ranks, wire_batch, on_the_wire(type))) == "");
      CHECK(findings(compiled("ddp", ranks, wire_batch,
                              on_the_wire(type, {{"microbatches", std::int64_t{2}}, {"overlap", false}}))) == "");
      for (const std::int64_t stage : {1, 2, 3})
        CHECK(findings(compiled("zero", ranks, wire_batch, on_the_wire(type, {{"stage", stage}}))) == "");
    }
  CHECK(findings(compiled("hierarchical", 4, wire_batch, on_the_wire("bf16", {{"node_ranks", std::int64_t{2}}}))) ==
        "");
  CHECK(findings(compiled("lbann", 3, wire_batch, on_the_wire("bf16"))) == "");
}

// An all-to-all and an all-gather of everything in 2 bytes send (n−1) · 2Ψ bytes each over all ranks: together half of
// an all-reduce in 4 bytes. Ψ = 44,426.
TEST_CASE("16-bit numbers on the wire halve the bytes of gradients") {
  for (const int n : {2, 3, 4, 8}) {
    const std::int64_t bytes = (n - 1) * lenet_parameters * 2;
    INFO(n);
    CHECK(sent_by_all(compiled("ddp", n, wire_batch, on_the_wire("bf16"))) ==
          std::map<std::string, std::int64_t>{{"all_to_all", bytes}, {"all_gather", bytes}});
    CHECK(sent_by_all(compiled("zero", n, wire_batch, on_the_wire("bf16"))) ==
          std::map<std::string, std::int64_t>{{"all_to_all", bytes}, {"all_gather", 2 * bytes}});
  }
}

TEST_CASE("gradients that are rounded on the wire are a promise with a rule") {
  const program::Promise none = compiled("ddp", 1, wire_batch, on_the_wire("bf16")).promise;
  CHECK(none.kind == program::Promise::Kind::exact);
  const program::Promise promise = compiled("ddp", 2, wire_batch, on_the_wire("bf16")).promise;
  CHECK(promise.kind == program::Promise::Kind::lossy);
  CHECK(promise.how == "gradients are rounded to bf16 before and after the sum over ranks");
  REQUIRE(promise.rule != nullptr);
  CHECK(promise.rule->ranks == 2);
  CHECK(promise.rule->steps.front().buckets.size() == 1);  // all of lenet is below 1 MiB
  CHECK(compiled("zero", 2, wire_batch, on_the_wire("bf16")).promise.rule->steps.front().buckets[0].encode_sum ==
        nullptr);
}

TEST_CASE("16-bit numbers on the wire are unsupported where their rule says nothing") {
  const auto said = [](const std::string& strategy, int ranks, OptionValues options,
                       const std::string& model = "lenet") {
    return test::failure_of(
        [&] { compiled(strategy, ranks, wire_batch, on_the_wire("bf16", std::move(options)), model); });
  };
  CHECK(said("hybrid", 4, mesh({{"data", 2}, {"tensor", 2}}, 1)) ==
        "wire needs a mesh whose axes all split the batch; leave it out, or the other axes");
  CHECK(said("hybrid", 2, mesh({{"tensor", 2}}, 1)) ==
        "wire has no effect where the mesh has no data axis; leave it out, or add the axis");
  CHECK(said("hierarchical", 2, {{"node_ranks", std::int64_t{1}}}) ==
        "wire needs several ranks on the data axis; raise node_ranks or the axis, or leave wire out");
  CHECK(said("ddp", 2, {{"update_in_backward", true}}) ==
        "wire needs memory for all gradients; leave out update_in_backward");
}

}  // namespace ddlbench::strategies
