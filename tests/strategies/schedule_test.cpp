#include "strategies/passes/schedule.h"

#include <algorithm>

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

}  // namespace

/// Covers every schedule in the list, so that a new schedule only needs a test of its own order.
TEST_CASE("every schedule runs each micro-batch of each chunk once forward, then once backward") {
  for (const ScheduleKind& kind : schedules())
    for (int stages = 1; stages <= 4; ++stages)
      for (int chunks = 1; chunks <= (kind.has_chunks ? 3 : 1); ++chunks)
        for (int microbatches = 1; microbatches <= 9; ++microbatches)
          for (int stage = 0; stage < stages; ++stage) {
            INFO(kind.name << " p=" << stages << " v=" << chunks << " m=" << microbatches << " stage " << stage);
            std::vector<int> forwards(static_cast<std::size_t>(microbatches * chunks), 0), inputs = forwards,
                                                                                           weights = forwards;
            for (const Work& work : kind.schedule({stages, chunks, microbatches}, stage)) {
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
            const std::vector<int> once(forwards.size(), 1);
            CHECK(forwards == once);
            CHECK(inputs == once);
            CHECK(weights == once);
          }
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

TEST_CASE("gpipe runs all forwards, then all backwards in reverse order") {
  const std::vector<Work> order = find_schedule("gpipe").schedule({3, 1, 2}, 1);
  CHECK(order == std::vector<Work>{
                     {Kind::forward, 0, 0}, {Kind::forward, 0, 1}, {Kind::backward, 0, 1}, {Kind::backward, 0, 0}});
}

TEST_CASE("1f1b has min(m, p−i) micro-batches in flight, gpipe all of them") {
  for (int p = 1; p <= 8; ++p)
    for (int m = 1; m <= 32; ++m)
      for (int i = 0; i < p; ++i) {
        CHECK(most_in_flight(find_schedule("1f1b").schedule({p, 1, m}, i)) == std::min(m, p - i));
        CHECK(most_in_flight(find_schedule("gpipe").schedule({p, 1, m}, i)) == m);
      }
}

// Megatron-LM: the first stage holds 1 + (p−1)/(p·v) times the activations of 1F1B without chunks; a chunk has 1/v of
// them.
TEST_CASE("interleaved runs p micro-batches through one chunk, then through the next") {
  const auto order = [](int rank) { return find_schedule("interleaved").schedule({2, 2, 4}, rank); };
  const std::vector<Work> first{{Kind::forward, 0, 0}, {Kind::forward, 0, 1}, {Kind::forward, 1, 0},
                                {Kind::forward, 1, 1}, {Kind::forward, 0, 2}, {Kind::backward, 1, 0}};
  const std::vector<Work> all = order(0);
  CHECK(std::vector<Work>(all.begin(), all.begin() + 6) == first);
  for (const int p : {2, 4, 8})
    for (const int v : {2, 3})
      CHECK(most_in_flight(find_schedule("interleaved").schedule({p, v, 4 * p}, 0)) == p * v + p - 1);
}
