#include "bench/case/feed.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using workloads::Slice;

namespace {

program::Plan plan_of(std::vector<program::Axis> axes, std::int64_t batch, int microbatches) {
  program::Plan plan;
  plan.meshes.emplace_back(std::move(axes));
  plan.roles.resize(1);
  plan.role_of_rank.assign(static_cast<std::size_t>(plan.meshes[0].size()), 0);
  plan.global_batch = batch;
  plan.microbatches = microbatches;
  return plan;
}

program::InputSlot slot_of(std::int64_t samples, std::vector<std::string> axes) {
  program::InputSlot slot;
  slot.tensor = "images";
  slot.operand.type = {{samples, 4}, graph::DType::f32};
  slot.axes = std::move(axes);
  return slot;
}

}  // namespace

TEST_CASE("A rank's samples follow from its coordinates", "[feed]") {
  const program::Plan plan = plan_of({{"data", 2}, {"tensor", 2}}, 10, 1);
  for (const int rank : {0, 1}) CHECK(bench::slices_of(plan, rank, slot_of(5, {"data"})) == std::vector<Slice>{{0, 5}});
  for (const int rank : {2, 3})
    CHECK(bench::slices_of(plan, rank, slot_of(5, {"data"})) == std::vector<Slice>{{5, 10}});
  CHECK(bench::slices_of(plan, 3, slot_of(10, {})) == std::vector<Slice>{{0, 10}});
  CHECK(bench::slices_of(plan, 1, slot_of(3, {"data", "tensor"})) == std::vector<Slice>{{3, 6}});
  CHECK(bench::slices_of(plan, 2, slot_of(2, {"data", "tensor"})) == std::vector<Slice>{{6, 8}});
}

TEST_CASE("A slot requests only the sample contents that it uses", "[feed]") {
  using workloads::Contents;
  const auto contents = [](graph::Role role, graph::DType dtype) {
    program::InputSlot slot;
    slot.role = role;
    slot.operand.type.dtype = dtype;
    return bench::contents_of(slot);
  };
  CHECK(contents(graph::Role::input, graph::DType::f32) == Contents::all);
  CHECK(contents(graph::Role::input, graph::DType::i32) == Contents::all);
  CHECK(contents(graph::Role::input, graph::DType::u8) == Contents::all_in_bytes);
  CHECK(contents(graph::Role::label, graph::DType::i32) == Contents::labels);
  CHECK(contents(graph::Role::sample, graph::DType::i32) == Contents::numbers);
}

TEST_CASE("Shares of the ranks are parts of each micro-batch", "[feed]") {
  program::Plan plan = plan_of({{"pipeline", 2}, {"replica", 2}, {"data", 2}}, 20, 2);
  plan.shares = {1, 2, 3, 4};
  const std::vector<std::string> axes{"replica", "data"};
  for (const int stage : {0, 4}) {
    CHECK(bench::slices_of(plan, stage, slot_of(2, axes)) == std::vector<Slice>{{0, 1}, {10, 11}});
    CHECK(bench::slices_of(plan, stage + 2, slot_of(6, axes)) == std::vector<Slice>{{3, 6}, {13, 16}});
    CHECK(bench::slices_of(plan, stage + 3, slot_of(8, axes)) == std::vector<Slice>{{6, 10}, {16, 20}});
  }
  CHECK_THROWS_AS(bench::slices_of(plan, 0, slot_of(10, {"data"})), ContractError);
}

TEST_CASE("Each micro-batch is split over the ranks", "[feed]") {
  const program::Plan plan = plan_of({{"data", 2}}, 9, 2);
  CHECK(bench::slices_of(plan, 0, slot_of(5, {"data"})) == std::vector<Slice>{{0, 3}, {5, 7}});
  CHECK(bench::slices_of(plan, 1, slot_of(4, {"data"})) == std::vector<Slice>{{3, 5}, {7, 9}});
  CHECK_THROWS_AS(bench::slices_of(plan, 1, slot_of(5, {"data"})), ContractError);
}
