#include "program/account.h"

#include "builder.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

namespace {

using Bytes = std::vector<std::int64_t>;

CollectiveCall call_of(graph::Collective kind, std::int64_t count, collectives::Algorithm algorithm = {}) {
  CollectiveCall call;
  call.kind = kind;
  call.algorithm = algorithm;
  call.input.type = call.output.type = {{count}, graph::DType::f32};
  return call;
}

Bytes sent_by_each(const CollectiveCall& call, int members) {
  Bytes sent;
  for (int i = 0; i < members; ++i) sent.push_back(sent_bytes(call, members, i));
  return sent;
}

}  // namespace

TEST_CASE("a ring all-reduce of 1000 f32 on 3 ranks sends uneven chunks") {
  // Chunks have 334, 333 and 333 elements. Rank 0 sends 333 + 333 to reduce and 334 + 333 to gather; rank 1 sends 667
  // and 667; rank 2 sends 667 and 666.
  const auto call = call_of(graph::Collective::all_reduce, 1000);
  REQUIRE(sent_by_each(call, 3) == Bytes{4 * (666 + 667), 4 * (667 + 667), 4 * (667 + 666)});
  REQUIRE(sent_by_each(call, 1) == Bytes{0});
  REQUIRE(sent_by_each(call, 4) == Bytes{6000, 6000, 6000, 6000});  // 2 (n − 1) / n S
}

TEST_CASE("reduce-scatter and all-gather send parts of the sizes in counts") {
  auto call = call_of(graph::Collective::reduce_scatter, 10);
  call.counts = {5, 3, 2};
  REQUIRE(sent_by_each(call, 3) == Bytes{20, 28, 32});
  call.kind = graph::Collective::all_gather;
  REQUIRE(sent_by_each(call, 3) == Bytes{28, 32, 20});
}

TEST_CASE("recursive doubling sends whole buffers and pairs up the ranks beyond a power of two") {
  const auto call = call_of(graph::Collective::all_reduce, 25, collectives::find_algorithm("recursive_doubling"));
  REQUIRE(sent_by_each(call, 2) == Bytes{100, 100});
  REQUIRE(sent_by_each(call, 3) == Bytes{200, 100, 100});
  REQUIRE(sent_by_each(call, 4) == Bytes{200, 200, 200, 200});
  REQUIRE(sent_by_each(call, 6) == Bytes{300, 100, 300, 100, 200, 200});
  REQUIRE(sent_by_each(call, 8) == Bytes(8, 300));
}

TEST_CASE("a broadcast is a binomial tree, and an all-to-all does not send a rank's own part") {
  const auto broadcast = call_of(graph::Collective::broadcast, 25);
  REQUIRE(sent_by_each(broadcast, 3) == Bytes{200, 0, 0});
  REQUIRE(sent_by_each(broadcast, 4) == Bytes{200, 0, 100, 0});
  REQUIRE(sent_by_each(broadcast, 8) == Bytes{300, 0, 100, 0, 200, 0, 100, 0});
  auto all_to_all = call_of(graph::Collective::all_to_all, 10);
  REQUIRE(sent_by_each(all_to_all, 3) == Bytes{24, 28, 28});
}

TEST_CASE("account sums a rank's step by phase, operation and memory class") {
  const auto program = [](int other) {
    Builder b;
    const BufferId w = b.persistent("w", 100), g = b.persistent("g", 100, MemoryClass::gradients);
    const BufferId a = b.transient("a", 30), c = b.transient("c", 50), d = b.transient("d", 30);
    b.compute("forward", {{w}}, {{a}});
    b.compute("more", {{a}}, {{c}});
    b.compute("backward", {{c}}, {{g}, {d}}).phase = Phase::backward_weight;
    b.exchange("swap", {{{d, 0, 10}, other, 0}}, {{{d, 10, 10}, other, 0}});
    b.all_reduce("reduce", {g});
    return std::move(b.program);
  };
  const Plan plan = test::completed({program(1), program(0)});
  const Account a = account(plan, 1);
  REQUIRE(a.flops == std::map<Phase, double>{{Phase::forward, 80.0}, {Phase::backward_weight, 130.0}});
  REQUIRE(a.total_flops() == 210);
  REQUIRE(a.sent_bytes == std::map<std::string, std::int64_t>{{"all_reduce", 400}, {"send", 40}});
  REQUIRE(a.total_sent_bytes() == 440);
  const auto peak = [&](MemoryClass c) { return a.peak_bytes_by_class[static_cast<std::size_t>(c)]; };
  REQUIRE(peak(MemoryClass::parameters) == 400);
  REQUIRE(peak(MemoryClass::gradients) == 400);
  REQUIRE(peak(MemoryClass::activations) == 4 * (30 + 50));
  REQUIRE(plan.role(1).train.arena_bytes == 128 + 256);  // a and c; d reuses the memory of a
  REQUIRE(a.peak_bytes == 800 + 128 + 256);
  const auto at_peak = [&](MemoryClass c) { return a.bytes_by_class_at_peak[static_cast<std::size_t>(c)]; };
  REQUIRE(at_peak(MemoryClass::parameters) == 400);
  REQUIRE(at_peak(MemoryClass::gradients) == 400);
  REQUIRE(at_peak(MemoryClass::activations) == 4 * (30 + 50));
}

TEST_CASE("the classes at the peak are those of one instant") {
  Builder b;
  const BufferId w = b.persistent("w", 10);
  const BufferId a = b.transient("a", 100), c = b.transient("c", 60);
  const BufferId g = b.transient("g", 70, MemoryClass::gradients);
  b.compute("forward", {{w}}, {{a}});
  b.compute("shrink", {{a}}, {{c}});
  b.compute("backward", {{c}}, {{g}});
  const Account found = account(test::completed({b.program}), 0);
  const auto of = [](const auto& bytes, MemoryClass k) { return bytes[static_cast<std::size_t>(k)]; };
  CHECK(of(found.peak_bytes_by_class, MemoryClass::gradients) == 4 * 70);
  CHECK(of(found.bytes_by_class_at_peak, MemoryClass::gradients) == 0);
  CHECK(of(found.bytes_by_class_at_peak, MemoryClass::activations) == 4 * (100 + 60));
  CHECK(of(found.bytes_by_class_at_peak, MemoryClass::parameters) == 4 * 10);
}

TEST_CASE("the account of a ring includes every version") {
  Builder b;
  b.persistent("w", 100);
  b.program.buffers[0].versions = 3;
  REQUIRE(account(test::completed({b.program}), 0).peak_bytes == 1200);
}
