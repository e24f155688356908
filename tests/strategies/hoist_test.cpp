#include "strategies/passes/hoist.h"

#include "catch.h"
#include "program/builder.h"

using namespace ddlbench;
using program::BufferId;
using program::MemoryClass;
using test::Builder;

namespace {

/// A training program of two layers: their weights, their gradients, and the tensor that flows between them.
struct Training : Builder {
  BufferId w1 = persistent("w1", 8), w2 = persistent("w2", 8);
  BufferId g1 = transient("g1", 8, MemoryClass::gradients), g2 = transient("g2", 8, MemoryClass::gradients);
  BufferId x = persistent("x", 8, MemoryClass::inputs), flow = transient("flow", 8);

  void update(const std::string& name, BufferId weights, BufferId gradient) {
    compute(name, {{weights}, {gradient}}, {{weights}}).phase = program::Phase::optimizer;
  }

  std::string hoisted() {
    strategies::hoist_updates(program);
    std::string names;
    for (const program::Instruction& instruction : program.bodies.front())
      names += (names.empty() ? "" : ", ") + instruction.name;
    return names;
  }
};

}  // namespace

TEST_CASE("an update comes directly after its gradient") {
  Training t;
  t.compute("dw2", {{t.x}}, {{t.g2}});
  t.compute("dw1", {{t.x}}, {{t.g1}});
  t.update("u2", t.w2, t.g2);
  t.update("u1", t.w1, t.g1);
  CHECK(t.hoisted() == "dw2, u2, dw1, u1");
}

TEST_CASE("an update stays after the last reader of its weights") {
  Training t;
  t.compute("dw2", {{t.x}}, {{t.g2}});
  t.compute("dx2", {{t.w2}}, {{t.flow}});
  t.compute("dw1", {{t.flow}}, {{t.g1}});
  t.update("u2", t.w2, t.g2);
  t.update("u1", t.w1, t.g1);
  CHECK(t.hoisted() == "dw2, dx2, u2, dw1, u1");
}

TEST_CASE("accesses to other elements of a buffer do not hold an update back") {
  Training t;
  t.compute("upper half", {{t.x}}, {{t.g1, 4, 4}});
  t.compute("lower half", {{t.w1, 0, 4}}, {{t.g1, 0, 4}});
  for (const std::int64_t first : {4, 0})
    t.compute("u" + std::to_string(first), {{t.w1, first, 4}, {t.g1, first, 4}}, {{t.w1, first, 4}}).phase =
        program::Phase::optimizer;
  CHECK(t.hoisted() == "upper half, u4, lower half, u0");
}

TEST_CASE("an optimizer computation comes before the update that reads its result") {
  Training t;
  const BufferId norm = t.transient("norm", 1);
  t.compute("dw1", {{t.x}}, {{t.g1}});
  t.compute("dw2", {{t.x}}, {{t.g2}});
  t.compute("measure", {{t.g1}}, {{norm}}).phase = program::Phase::optimizer;
  t.compute("u1", {{t.w1}, {t.g1}, {norm}}, {{t.w1}}).phase = program::Phase::optimizer;
  CHECK(t.hoisted() == "dw1, measure, u1, dw2");
}

TEST_CASE("an update of reduced gradients stays after the next gradient reduction and ignores other communication") {
  Training t;
  t.compute("dw2", {{t.x}}, {{t.g2}});
  t.all_reduce("sum g2", {t.g2});
  t.compute("dx2", {{t.w2}}, {{t.flow}});
  t.all_reduce("statistics", {t.flow});
  t.compute("dw1", {{t.flow}}, {{t.g1}});
  t.all_reduce("sum g1", {t.g1});
  t.compute("dx1", {{t.flow}}, {{t.x}});
  t.update("u2", t.w2, t.g2);
  t.update("u1", t.w1, t.g1);
  CHECK(t.hoisted() == "dw2, sum g2, dx2, statistics, dw1, sum g1, u2, dx1, u1");
}
