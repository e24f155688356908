#include "builder.h"
#include "catch.h"
#include "processor_time.h"
#include "program/happens_before.h"
#include "random_program.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

namespace {

using Ids = std::vector<InstructionId>;

Ids after(const Program& program, std::size_t instruction) {
  Ids ids;
  for (const Dependency& d : program.bodies.front()[instruction].after) ids.push_back(d.instruction);
  return ids;
}

}  // namespace

TEST_CASE("order finds read-after-write, write-after-read and write-after-write hazards by byte ranges") {
  Builder b;
  const BufferId x = b.persistent("x", 100);
  b.receive("0", {x, 0, 50}, 1, 0);
  b.receive("1", {x, 50, 50}, 1, 1);
  b.compute("2", {{x, 40, 5}}, {});
  b.compute("3", {{x, 49, 2}}, {});
  b.receive("4", {x, 0, 45}, 1, 2);
  b.receive("5", {x, 45, 5}, 1, 3);
  b.receive("6", {x, 60, 5}, 1, 4);
  b.send("7", {x, 0, 100}, 1, 5);
  b.compute("8", {}, {{x, 0, 100}});
  order(b.program);
  REQUIRE(after(b.program, 0).empty());
  REQUIRE(after(b.program, 1).empty());
  REQUIRE(after(b.program, 2) == Ids{0});
  REQUIRE(after(b.program, 3) == Ids{0, 1});
  REQUIRE(after(b.program, 4) == Ids{0, 2});  // partly read by 2; the rest was written by 0
  REQUIRE(after(b.program, 5) == Ids{0, 3});
  REQUIRE(after(b.program, 6) == Ids{1});
  REQUIRE(after(b.program, 7) == Ids{1, 4, 5, 6});
  REQUIRE(after(b.program, 8) == Ids{7});
}

TEST_CASE("order omits what the compute stream's order implies, and never assumes that communications are ordered") {
  Builder b;
  const BufferId x = b.persistent("x", 10), y = b.persistent("y", 10);
  b.compute("0", {}, {{x}});
  b.compute("1", {{x}}, {{y}});
  b.all_reduce("2", {x});
  b.all_reduce("3", {x});
  b.send("4", {y}, 1, 0);
  b.compute("5", {{x}, {y}}, {{y}});
  order(b.program);
  REQUIRE(after(b.program, 1).empty());
  REQUIRE(after(b.program, 2) == Ids{1});
  REQUIRE(after(b.program, 3) == Ids{2});
  REQUIRE(after(b.program, 4) == Ids{1});
  REQUIRE(after(b.program, 5) == Ids{3, 4});
}

TEST_CASE("an in-place instruction does not depend on itself") {
  Builder b;
  const BufferId x = b.persistent("x", 10);
  b.accumulate("0", {}, {{x}});
  b.all_reduce("1", {x});
  b.accumulate("2", {{x}}, {{x}});
  order(b.program);
  REQUIRE(after(b.program, 0).empty());
  REQUIRE(after(b.program, 1) == Ids{0});
  REQUIRE(after(b.program, 2) == Ids{1});
}

TEST_CASE("the versions of a ring are separate memory") {
  Builder b;
  const BufferId x = b.persistent("x", 10);
  b.program.buffers[0].versions = 3;
  b.all_reduce("0", {x, 0, 10, 0});
  b.compute("1", {{x, 0, 10, 1}}, {});
  b.compute("2", {}, {{x, 0, 10, -1}});
  b.compute("3", {{x, 0, 10, 0}}, {});
  order(b.program);
  REQUIRE(after(b.program, 1).empty());
  REQUIRE(after(b.program, 2).empty());
  REQUIRE(after(b.program, 3) == Ids{0});
}

TEST_CASE("sections are ordered separately") {
  Builder b;
  const BufferId x = b.persistent("x", 10);
  b.section = &b.program.prologue;
  b.receive("prologue", {x}, 1, 0);
  b.section = &b.program.epilogue;
  b.send("epilogue", {x}, 1, 0);
  b.section = nullptr;
  b.all_reduce("body", {x});
  order(b.program);
  REQUIRE(after(b.program, 0).empty());
  REQUIRE(b.program.epilogue[0].after.empty());
}

TEST_CASE("happens-before holds across compute, but between communications only along dependencies") {
  Builder b;
  const BufferId x = b.persistent("x", 10), y = b.persistent("y", 10), z = b.persistent("z", 10);
  b.receive("0", {x}, 1, 0);
  b.receive("1", {y}, 1, 1);
  b.send("2", {x}, 1, 2);
  b.compute("3", {{y}}, {{z}});
  b.compute("4", {}, {});
  b.send("5", {z}, 1, 3);
  order(b.program);
  const HappensBefore order(b.program.bodies.front());
  REQUIRE_FALSE(order.before(0, 1));
  REQUIRE(order.before(0, 2));
  REQUIRE_FALSE(order.before(1, 2));
  REQUIRE(order.before(1, 3));
  REQUIRE(order.before(1, 4));
  REQUIRE(order.before(1, 5));
  REQUIRE_FALSE(order.before(0, 3));
  REQUIRE_FALSE(order.before(0, 5));
  REQUIRE(order.before(3, 5));
  REQUIRE_FALSE(order.before(4, 5));
  REQUIRE_FALSE(order.before(2, 5));
}

TEST_CASE("happens-before is the transitive closure on random programs") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Program program = test::random_program(seed, 60);
    const auto& body = program.bodies.front();
    const std::size_t n = body.size();
    std::vector<std::vector<bool>> closure(n, std::vector<bool>(n, false));
    for (std::size_t later = 0; later < n; ++later) {
      const auto follow = [&](std::size_t earlier) {
        closure[later][earlier] = true;
        for (std::size_t k = 0; k < n; ++k)
          if (closure[earlier][k]) closure[later][k] = true;
      };
      for (const Dependency& d : body[later].after) follow(static_cast<std::size_t>(d.instruction));
      if (body[later].stream != graph::Stream::compute) continue;
      for (std::size_t k = later; k-- > 0;)
        if (body[k].stream == graph::Stream::compute) {
          follow(k);
          break;
        }
    }
    const HappensBefore order(body);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t c = 0; c < n; ++c)
        REQUIRE(order.before(static_cast<int>(a), static_cast<int>(c)) == closure[c][a]);
  }
}

TEST_CASE("every hazard in random programs is ordered") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Program program = test::random_program(seed, 60);
    const HappensBefore order(program.bodies.front());
    for (std::size_t c = 0; c < program.bodies.front().size(); ++c)
      for (std::size_t a = 0; a < c; ++a)
        if (test::conflict(program, program.bodies.front()[a], program.bodies.front()[c]))
          REQUIRE(order.before(static_cast<int>(a), static_cast<int>(c)));
  }
}

TEST_CASE("the time of ordering is nearly proportional to the number of instructions") {
  const auto seconds = [](int instructions) {
    Program program = test::random_program(7, instructions);
    const test::ProcessorTime time;
    order(program);
    const HappensBefore known(program.bodies.front());
    const double taken = time.seconds();
    REQUIRE(known.before(0, static_cast<int>(program.bodies.front().size()) - 1));
    return taken;
  };
  REQUIRE(seconds(48000) < 9 * seconds(12000));  // quadratic time would be 16 times as much
}
