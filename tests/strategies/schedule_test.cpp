#include "strategies/passes/schedule.h"

#include <algorithm>
#include <random>

#include "catch.h"
#include "compiled.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

using Kind = Work::Kind;

int most_in_flight(const std::vector<Work>& order) {
  int now = 0, most = 0;
  for (const Work& work : order) {
    now += work.kind == Kind::forward ? 1 : work.kind == Kind::backward_input ? 0 : -1;
    most = std::max(most, now);
  }
  return most;
}

std::vector<Work> order_of(const std::string& schedule, const Pipeline& pipeline, int rank) {
  return find_schedule(schedule).schedule.orders(pipeline)[static_cast<std::size_t>(rank)];
}

std::vector<std::string> order_of(const program::Plan& plan) {
  std::vector<std::string> order;
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) order.push_back(instruction.name);
  return order;
}

}  // namespace

/// Covers every schedule in the list, so that a new schedule only needs a test of its own order.
TEST_CASE(
    "every schedule runs each micro-batch of each chunk of its copy of the model once forward, then once backward") {
  for (const ScheduleKind& kind : schedules())
    for (int ranks = 1; ranks <= 4; ++ranks)
      for (int chunks = 1; chunks <= 4; ++chunks)
        for (int microbatches = 1; microbatches <= 9; ++microbatches) {
          if (kind.has_chunks() ? chunks % kind.chunks_multiple != 0 : chunks != kind.chunks) continue;
          const Pipeline pipeline = kind.pipeline(ranks, chunks, microbatches);
          const auto orders = kind.schedule.orders(pipeline);
          for (int rank = 0; rank < ranks; ++rank) {
            INFO(kind.name << " p=" << ranks << " v=" << chunks << " m=" << microbatches << " rank " << rank);
            std::vector<int> forwards(static_cast<std::size_t>(microbatches * chunks), 0), inputs = forwards,
                                                                                           weights = forwards;
            for (const Work& work : orders[static_cast<std::size_t>(rank)]) {
              REQUIRE(work.chunk < chunks);
              REQUIRE(work.microbatch < microbatches);
              const auto m = static_cast<std::size_t>(work.chunk * microbatches + work.microbatch);
              if (work.kind == Kind::forward) {
                ++forwards[m];
                continue;
              }
              CHECK(forwards[m] == 1);
              if (work.kind != Kind::backward_weight) ++inputs[m];
              if (work.kind != Kind::backward_input) ++weights[m];
            }
            std::vector<int> once;
            for (int chunk = 0; chunk < chunks; ++chunk)
              for (int m = 0; m < microbatches; ++m)
                once.push_back(pipeline.runs(pipeline.stage_of(chunk, rank), m) ? 1 : 0);
            CHECK(forwards == once);
            CHECK(inputs == once);
            CHECK(weights == once);
          }
        }
}

TEST_CASE("each stage is a chunk of one rank") {
  for (const ChunkOrder chunk_order : {ChunkOrder::round_robin, ChunkOrder::wave})
    for (int ranks = 1; ranks <= 4; ++ranks) {
      const Pipeline pipeline{ranks, 3, 1, chunk_order};
      std::vector<int> found(static_cast<std::size_t>(pipeline.stages()), 0);
      for (int chunk = 0; chunk < 3; ++chunk)
        for (int rank = 0; rank < ranks; ++rank) {
          const int stage = pipeline.stage_of(chunk, rank);
          CHECK(pipeline.rank_of(stage) == rank);
          ++found[static_cast<std::size_t>(stage)];
        }
      CHECK(found == std::vector<int>(found.size(), 1));
    }
  CHECK(Pipeline{3, 2, 1, ChunkOrder::wave}.stage_of(1, 0) == 5);
}

TEST_CASE("every schedule compiles to valid plans, alone and in hybrids") {
  constexpr std::int64_t batch = 48;
  for (const ScheduleKind& kind : schedules()) {
    INFO(kind.name);
    for (int stages = 1; stages <= 4; ++stages)
      for (const Strings& recompute : {Strings{}, Strings{"full"}}) {
        INFO(stages << " stages, recompute " << recompute.size());
        CHECK(findings(compiled_layers(kind.name, 8, stages, batch, {{"recompute", recompute}})) == "");
      }
    for (const char* axis : {"data", "tensor"}) {
      auto options = mesh({{axis, 2}, {"pipeline", 2}});
      options["schedule"] = kind.name;
      CHECK(findings(compiled("hybrid", 4, batch, options)) == "");
      if (axis != std::string("data")) continue;
      for (const std::int64_t stage : {1, 2, 3}) {
        options["zero"] = stage;
        CHECK(findings(compiled("hybrid", 4, batch, options)) == "");
      }
    }
  }
}

TEST_CASE("no number of ranks and micro-batches deadlocks") {
  for (const ScheduleKind& kind : schedules())
    for (const int stages : {2, 3, 5, 8})
      for (const std::int64_t microbatches : {1, 2, 3, 5, 8, 11, 16, 32}) {
        INFO(kind.name << " p=" << stages << " m=" << microbatches);
        CHECK(findings(compiled_layers(kind.name, 2 * stages, stages, microbatches,
                                       {{"microbatches", microbatches}})) == "");
      }
}

// With the times of ops, messages come in another order, and zb_v and hanayo have another order of work.
TEST_CASE("no times of stages deadlock") {
  std::mt19937 random(7);
  bool changed = false;
  for (const ScheduleKind& kind : schedules())
    for (const int stages : {2, 3, 4})
      for (const std::int64_t microbatches : {1, 2, 4, 7}) {
        INFO(kind.name << " p=" << stages << " m=" << microbatches);
        const OptionValues options{{"microbatches", microbatches}};
        program::CostTable costs;
        const program::Plan plan = compiled_layers(kind.name, 2 * stages, stages, 2 * microbatches, options);
        for (int rank = 0; rank < stages; ++rank)
          for (const program::Instruction& instruction : plan.role(rank).train.bodies.front())
            if (const auto* compute = std::get_if<program::Compute>(&instruction.action))
              costs.insert(program::cost_key(*compute), {std::exponential_distribution<double>(1e3)(random), 0});
        const program::Plan timed = compiled_layers(kind.name, 2 * stages, stages, 2 * microbatches, options, costs);
        CHECK(findings(timed) == "");
        changed = changed || order_of(timed) != order_of(plan);
      }
  CHECK(changed);
}

TEST_CASE("gpipe runs all forwards, then all backwards in reverse order") {
  const std::vector<Work> order = order_of("gpipe", {3, 1, 2}, 1);
  CHECK(order == std::vector<Work>{
                     {Kind::forward, 0, 0}, {Kind::forward, 0, 1}, {Kind::backward, 0, 1}, {Kind::backward, 0, 0}});
}

TEST_CASE("1f1b has min(m, p−i) micro-batches in flight, gpipe all of them") {
  for (int p = 1; p <= 8; ++p)
    for (int m = 1; m <= 32; ++m)
      for (int i = 0; i < p; ++i) {
        CHECK(most_in_flight(order_of("1f1b", {p, 1, m}, i)) == std::min(m, p - i));
        CHECK(most_in_flight(order_of("gpipe", {p, 1, m}, i)) == m);
      }
}

// Megatron-LM: the first stage holds 1 + (p−1)/(p·v) times the activations of 1F1B without chunks; a chunk has 1/v of
// them.
TEST_CASE("interleaved runs p micro-batches through one chunk, then through the next") {
  const auto order = [](int rank) { return order_of("interleaved", {2, 2, 4}, rank); };
  const std::vector<Work> first{{Kind::forward, 0, 0}, {Kind::forward, 0, 1}, {Kind::forward, 1, 0},
                                {Kind::forward, 1, 1}, {Kind::forward, 0, 2}, {Kind::backward, 1, 0}};
  const std::vector<Work> all = order(0);
  CHECK(std::vector<Work>(all.begin(), all.begin() + 6) == first);
  for (const int p : {2, 4, 8})
    for (const int v : {2, 3}) CHECK(most_in_flight(order_of("interleaved", {p, v, 4 * p}, 0)) == p * v + p - 1);
}
