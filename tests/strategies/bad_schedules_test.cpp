#include <algorithm>
#include <functional>

#include "catch.h"
#include "compiled.h"
#include "strategies/compile.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

using Kind = Work::Kind;
using Orders = std::vector<std::vector<Work>>;

Orders planted;

/// Returns what compile says of `orders` on a network of 8 layers; "" if it accepts them.
std::string said_of(Orders orders, const PipelineSpec& pipeline) {
  const Integers hidden(7, 8);
  const graph::Graph graph =
      workloads::find_model("mlp").build({{{{8}, graph::DType::f32}, {}, 8}, 16, {{"hidden", hidden}}});
  StrategySpec spec;
  spec.mesh.stages = static_cast<int>(orders.size());
  spec.batch.microbatches = 4;
  spec.pipeline = pipeline;
  spec.pipeline.schedule = Schedule([](const Pipeline&) { return planted; });
  planted = std::move(orders);
  const program::CostTable costs;
  try {
    program::Plan plan = compile({graph, 16, spec.mesh.stages, graph::sgd({}), costs}, spec);
    program::complete(plan, costs);
    return findings(plan);
  } catch (const ContractError& error) {
    return error.what();
  }
}

std::size_t entry_of(const std::vector<Work>& order, const Work& work) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), work) - order.begin());
}

void erase(std::vector<Work>& order, const Work& work) {
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(entry_of(order, work)));
}

/// Moves `work` to directly before `other`.
void move_before(std::vector<Work>& order, const Work& work, const Work& other) {
  erase(order, work);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(entry_of(order, other)), work);
}

constexpr Work forward(int microbatch, int chunk = 0) {
  return {Kind::forward, chunk, microbatch};
}

constexpr Work input(int microbatch, int chunk = 0) {
  return {Kind::backward_input, chunk, microbatch};
}

constexpr Work weight(int microbatch, int chunk = 0) {
  return {Kind::backward_weight, chunk, microbatch};
}

struct Planted {
  const char* schedule;
  std::function<void(Orders&)> mutate;
  const char* said;
};

}  // namespace

TEST_CASE("bad schedules are rejected with the rank and the entry of its order") {
  const Planted all[] = {
      {"zb_h1", [](Orders& o) { erase(o[1], forward(0)); },
       "a schedule omits the forward of micro-batch 0 on chunk 0, on rank 1, in 11 entries"},
      {"zb_h1", [](Orders& o) { erase(o[2], forward(3)); }, "omits the forward of micro-batch 3 on chunk 0, on rank 2"},
      {"zb_h1", [](Orders& o) { erase(o[0], input(2)); },
       "omits the input half of micro-batch 2 on chunk 0, on rank 0"},
      {"zb_h1", [](Orders& o) { erase(o[1], weight(3)); },
       "omits the weight half of micro-batch 3 on chunk 0, on rank 1"},
      {"zb_h1", [](Orders& o) { o[2].clear(); },
       "omits the forward of micro-batch 0 on chunk 0, on rank 2, in 0 entries"},
      {"1f1b", [](Orders& o) { o[1].pop_back(); }, "omits the input half of micro-batch 3 on chunk 0, on rank 1"},
      {"zb_v", [](Orders& o) { erase(o[0], forward(1, 1)); },
       "omits the forward of micro-batch 1 on chunk 1, on rank 0"},
      {"zb_h1", [](Orders& o) { o[0].push_back(forward(0)); },
       "runs the forward of micro-batch 0 on chunk 0 twice, on rank 0, again at entry 12"},
      {"zb_h1", [](Orders& o) { o[2].push_back(input(1)); },
       "runs the input half of micro-batch 1 on chunk 0 twice, on rank 2, again at entry 12"},
      {"zb_h1", [](Orders& o) { o[1].push_back(weight(0)); },
       "runs the weight half of micro-batch 0 on chunk 0 twice, on rank 1, again at entry 12"},
      {"zb_h1",
       [](Orders& o) {
         o[1].push_back({Kind::backward, 0, 0});
       },
       "runs the input half of micro-batch 0 on chunk 0 twice, on rank 1, again at entry 12"},
      {"1f1b", [](Orders& o) { o[0].insert(o[0].begin(), forward(4)); },
       "has work on chunk 0 and micro-batch 4, of 1 and 4, on rank 0, at entry 0"},
      {"1f1b", [](Orders& o) { o[2].push_back(forward(-1)); },
       "has work on chunk 0 and micro-batch -1, of 1 and 4, on rank 2, at entry 8"},
      {"gpipe", [](Orders& o) { o[1].push_back(forward(0, 1)); },
       "has work on chunk 1 and micro-batch 0, of 1 and 4, on rank 1, at entry 8"},
      {"gpipe", [](Orders& o) { o[0].push_back(forward(0, -1)); },
       "has work on chunk -1 and micro-batch 0, of 1 and 4, on rank 0, at entry 8"},
      {"gpipe", [](Orders& o) { std::reverse(o[1].begin(), o[1].end()); },
       "a schedule waits for itself: rank 0 at entry 4, rank 1 at entry 0, rank 2 at entry 0"},
      {"zb_h1", [](Orders& o) { move_before(o[2], input(1), forward(1)); },
       "a schedule waits for itself: rank 0 at entry 6, rank 1 at entry 4, rank 2 at entry 2"},
      {"zb_h1", [](Orders& o) { move_before(o[0], weight(2), input(2)); },
       "a schedule waits for itself: rank 0 at entry 8"},
      // Rank 0 waits for a gradient before it sends an activation for which rank 1 waits before it sends the gradient.
      {"1f1b",
       [](Orders& o) {
         move_before(o[0], {Kind::backward, 0, 0}, forward(1));
       },
       "a schedule waits for itself: rank 0 at entry 1, rank 1 at entry 1, rank 2 at entry 2"},
      {"1f1b",
       [](Orders& o) {
         move_before(o[2], forward(3), {Kind::backward, 0, 0});
       },
       "a schedule waits for itself: rank 0 at entry 3, rank 1 at entry 2, rank 2 at entry 1"},
      {"1f1b",
       [](Orders& o) {
         move_before(o[1], forward(3), {Kind::backward, 0, 0});
       },
       "a schedule waits for itself: rank 0 at entry 3, rank 1 at entry 2, rank 2 at entry 4"},
      {"zb_v", [](Orders& o) { move_before(o[2], forward(0, 1), forward(0)); },
       "a schedule waits for itself: rank 0 at entry 4, rank 1 at entry 3, rank 2 at entry 0"},
      {"zb_v", [](Orders& o) { move_before(o[1], input(0), input(0, 1)); },
       "a schedule waits for itself: rank 0 at entry 9, rank 1 at entry 6, rank 2 at entry 6"},
      {"chimera", [](Orders& o) { o[1].push_back(forward(1)); },
       "has work on micro-batch 1 and chunk 0, which belong to different copies of the model, on rank 1, at entry 8"},
      {"gems", [](Orders& o) { o[0].pop_back(); },
       "omits the input half of micro-batch 3 on chunk 1, on rank 0, in 7 entries"},
      {"chimera",
       [](Orders& o) {
         move_before(o[2], {Kind::backward, 0, 2}, {Kind::backward, 0, 0});
       },
       "a schedule waits for itself"},
  };
  for (const Planted& one : all) {
    const ScheduleKind& kind = find_schedule(one.schedule);
    const PipelineSpec pipeline = pipeline_of(kind, 2);
    const Pipeline timing = kind.pipeline(3, pipeline.chunks, 4);
    Orders orders = kind.schedule.orders(timing);
    CHECK(said_of(orders, pipeline) == "");
    one.mutate(orders);
    CHECK_THAT(said_of(orders, pipeline), Catch::Matchers::Contains(one.said));
  }
}
