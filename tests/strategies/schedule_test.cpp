#include "strategies/passes/schedule.h"

#include "catch.h"
#include "compiled.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench::strategies;

/// Holds for every schedule that there is, so that a new one is tested by its own order alone.
TEST_CASE("every schedule does each micro-batch once forward, then once backward") {
  for (const ScheduleKind& kind : schedules())
    for (int stages = 1; stages <= 4; ++stages)
      for (int microbatches = 1; microbatches <= 9; ++microbatches)
        for (int stage = 0; stage < stages; ++stage) {
          INFO(kind.name << " p=" << stages << " m=" << microbatches << " stage " << stage);
          std::vector<int> forwards(static_cast<std::size_t>(microbatches), 0), inputs = forwards, weights = forwards;
          for (const Work& work : kind.schedule({stages, 1, microbatches}, stage)) {
            const auto m = static_cast<std::size_t>(work.microbatch);
            REQUIRE(m < forwards.size());
            if (work.kind == Work::Kind::forward) {
              ++forwards[m];
              continue;
            }
            CHECK(forwards[m] == 1);
            if (work.kind != Work::Kind::backward_weight) ++inputs[m];
            if (work.kind != Work::Kind::backward_input) ++weights[m];
          }
          const std::vector<int> once(static_cast<std::size_t>(microbatches), 1);
          CHECK(forwards == once);
          CHECK(inputs == once);
          CHECK(weights == once);
        }
}

TEST_CASE("every schedule makes sound plans, alone and in hybrids") {
  constexpr std::int64_t batch = 48;
  for (const ScheduleKind& kind : schedules()) {
    INFO(kind.name);
    for (int stages = 1; stages <= 4; ++stages)
      for (const bool recompute : {false, true}) {
        INFO(stages << " stages, recompute " << recompute);
        CHECK(findings(compiled(kind.name, stages, batch, {{"recompute", recompute}})) == "");
      }
    for (const char* axis : {"data", "tensor"}) {
      auto options = mesh({{axis, 2}, {"pipeline", 2}});
      options["schedule"] = kind.name;
      CHECK(findings(compiled("hybrid", 4, batch, options)) == "");
    }
  }
}

TEST_CASE("gpipe goes forward through all and backward through all in reverse") {
  const std::vector<Work> order = find_schedule("gpipe").schedule({3, 1, 2}, 1);
  CHECK(order == std::vector<Work>{{Work::Kind::forward, 0, 0},
                                   {Work::Kind::forward, 0, 1},
                                   {Work::Kind::backward, 0, 1},
                                   {Work::Kind::backward, 0, 0}});
}
