#include <map>

#include "base/error.h"
#include "builder.h"
#include "catch.h"
#include "processor_time.h"
#include "program/happens_before.h"
#include "random_program.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

namespace {

const std::vector<Mesh> meshes{Mesh({{"data", 2}})};

void place(Program& program, const CostTable& costs = {}, Placing placing = Placing::reuse) {
  order(program);
  plan_memory(program, meshes, costs, placing);
}

std::map<BufferId, std::vector<InstructionId>> users(const Program& program) {
  std::map<BufferId, std::vector<InstructionId>> found;
  for (std::size_t i = 0; i < program.bodies.front().size(); ++i)
    for (const Access& access : accesses(program, program.bodies.front()[i]))
      if (!program.buffers[static_cast<std::size_t>(access.view.buffer)].persistent)
        found[access.view.buffer].push_back(static_cast<InstructionId>(i));
  return found;
}

bool all_before(const HappensBefore& order, const std::vector<InstructionId>& a, const std::vector<InstructionId>& b) {
  for (InstructionId x : a)
    for (InstructionId y : b)
      if (!order.before(x, y)) return false;
  return true;
}

const Buffer& at(const Program& program, BufferId id) {
  return program.buffers[static_cast<std::size_t>(id)];
}

bool overlap(const Buffer& a, const Buffer& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::int64_t largest_live_sum(const Program& program) {
  std::vector<std::int64_t> change(program.bodies.front().size() + 1, 0);
  for (const auto& [buffer, ids] : users(program)) {
    change[static_cast<std::size_t>(ids.front())] += at(program, buffer).bytes;
    change[static_cast<std::size_t>(ids.back()) + 1] -= at(program, buffer).bytes;
  }
  std::int64_t now = 0, most = 0;
  for (std::int64_t c : change) most = std::max(most, now += c);
  return most;
}

}  // namespace

TEST_CASE("buffers with ordered lifetimes share memory") {
  Builder b;
  const BufferId a = b.transient("a", 100), c = b.transient("c", 10), d = b.transient("d", 100);
  b.compute("0", {}, {{a}});
  b.compute("1", {{a}}, {{c}});
  b.compute("2", {{c}}, {{d}});
  b.compute("3", {{d}}, {});
  place(b.program);
  REQUIRE(at(b.program, a).offset == at(b.program, d).offset);
  REQUIRE(at(b.program, c).offset == 448);  // 400 bytes, aligned
  REQUIRE(at(b.program, c).bytes == 40);
  REQUIRE(b.program.arena_bytes == 448 + 64);
}

TEST_CASE("memory that is being sent is not reused by compute, even if compute no longer uses it") {
  Builder b;
  const BufferId a = b.transient("a", 100), d = b.transient("d", 100);
  b.compute("0", {}, {{a}});
  b.send("1", {a}, 1, 0);
  b.compute("2", {}, {{d}});
  b.compute("3", {{d}}, {});
  place(b.program);
  REQUIRE_FALSE(overlap(at(b.program, a), at(b.program, d)));
  for (std::size_t i : {2, 3}) REQUIRE(b.program.bodies.front()[i].after.empty());
}

TEST_CASE("memory that compute no longer uses is given to a later communication by adding a dependency") {
  Builder b;
  const BufferId a = b.transient("a", 100), c = b.transient("c", 1), d = b.transient("d", 100);
  b.compute("0", {}, {{a}});
  b.compute("1", {{a}}, {{c}});
  b.compute("2", {{c}}, {});
  b.receive("3", {d}, 1, 0);
  b.compute("4", {{d}}, {});
  place(b.program);
  REQUIRE(overlap(at(b.program, a), at(b.program, d)));
  REQUIRE(b.program.bodies.front()[3].after == std::vector<Dependency>{{1, 0}});
  REQUIRE(b.program.bodies.front()[4].after == std::vector<Dependency>{{3, 0}});
}

TEST_CASE("memory of a joined communication can be reused") {
  Builder b;
  const BufferId a = b.transient("a", 100), c = b.transient("c", 1), d = b.transient("d", 100);
  b.receive("0", {a}, 1, 0);
  b.compute("1", {{a}}, {{c}});
  b.receive("2", {d}, 1, 1);
  b.compute("3", {{d}, {c}}, {});
  place(b.program);
  REQUIRE(overlap(at(b.program, a), at(b.program, d)));
  REQUIRE(b.program.bodies.front()[2].after == std::vector<Dependency>{{1, 0}});
}

TEST_CASE("inputs live from the beginning of the step, and metrics until its end") {
  Builder b;
  const BufferId input = b.transient("input", 100, MemoryClass::inputs), a = b.transient("a", 100),
                 loss = b.transient("loss", 1, MemoryClass::metrics), c = b.transient("c", 100);
  b.compute("0", {}, {{a}});
  b.compute("1", {{a}}, {{loss}});
  b.compute("2", {{input}}, {{c}});
  b.compute("3", {{c}}, {});
  b.program.inputs.push_back({"x", graph::Role::input, b.operand({input}), {"data"}});
  b.program.metrics.push_back({"loss", {loss, 0, 4, 0}, {}});
  place(b.program);
  REQUIRE_FALSE(overlap(at(b.program, input), at(b.program, a)));
  REQUIRE_FALSE(overlap(at(b.program, loss), at(b.program, c)));
}

TEST_CASE("workspaces are sized by the cost table, and planning twice adds them once") {
  Builder b;
  const BufferId x = b.persistent("x", 100);
  b.compute("work", {{x}}, {{x}});
  b.all_reduce("reduce", {x});
  CostTable costs;
  costs.insert(cost_key(std::get<Compute>(b.program.bodies.front()[0].action)), {0, 1000});
  costs.insert(cost_key(std::get<CollectiveCall>(b.program.bodies.front()[1].action), 2), {0, 500});
  for (int time = 0; time < 2; ++time) {
    place(b.program, costs);
    REQUIRE(b.program.buffers.size() == 3);
    REQUIRE(b.program.buffers[1].memory_class == MemoryClass::workspace);
    REQUIRE(b.program.buffers[1].bytes == 1000);
    REQUIRE(b.program.buffers[2].memory_class == MemoryClass::communication);
    REQUIRE(b.program.buffers[2].bytes == 500);
    REQUIRE(std::get<Compute>(b.program.bodies.front()[0].action).workspace == View{1, 0, 1000, 0});
    REQUIRE(b.program.arena_bytes == 1024);
  }
  place(b.program);
  REQUIRE(b.program.buffers.size() == 1);
  REQUIRE(b.program.arena_bytes == 0);
}

TEST_CASE("a transient buffer used in two sections is rejected") {
  Builder b;
  const BufferId x = b.transient("x", 100);
  b.compute("body", {}, {{x}});
  b.section = &b.program.epilogue;
  b.compute("epilogue", {{x}}, {});
  REQUIRE_THROWS_AS(place(b.program), ContractError);
}

TEST_CASE("cost keys identify the work that a device would run") {
  Builder b;
  const BufferId x = b.persistent("x", 3);
  b.compute("a", {{x}}, {{x, 0, 2}});
  b.accumulate("b", {{x}}, {{x, 0, 2}});
  b.all_reduce("c", {x});
  REQUIRE(cost_key(std::get<Compute>(b.program.bodies.front()[0].action)) == "any||f32[3]|f32[2]|write");
  REQUIRE(cost_key(std::get<Compute>(b.program.bodies.front()[1].action)) == "any||f32[3]|f32[2]|accumulate");
  REQUIRE(cost_key(std::get<CollectiveCall>(b.program.bodies.front()[2].action), 4) == "all_reduce|sum|ring|f32|3|4");
}

TEST_CASE("memory plans of random programs are valid") {
  std::int64_t shared = 0, apart = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Program program = test::random_program(seed, 120);
    const std::vector<Instruction> ordered = program.bodies.front();
    place(program);
    const HappensBefore order(program.bodies.front());
    const auto used = users(program);
    for (const auto& [a, a_ids] : used) {
      REQUIRE(at(program, a).offset % 64 == 0);
      REQUIRE(at(program, a).offset + at(program, a).bytes <= program.arena_bytes);
      for (const auto& [c, c_ids] : used)
        if (a < c && overlap(at(program, a), at(program, c)))
          REQUIRE((all_before(order, a_ids, c_ids) || all_before(order, c_ids, a_ids)));
    }
    REQUIRE(program.arena_bytes >= largest_live_sum(program));
    for (std::size_t i = 0; i < program.bodies.front().size(); ++i) {
      if (program.bodies.front()[i].stream == graph::Stream::compute)
        REQUIRE(program.bodies.front()[i].after == ordered[i].after);
      for (const Dependency& d : program.bodies.front()[i].after) {
        const auto& before = ordered[i].after;
        const bool added = std::find(before.begin(), before.end(), d) == before.end();
        if (added)
          REQUIRE(program.bodies.front()[static_cast<std::size_t>(d.instruction)].stream == graph::Stream::compute);
      }
    }
    shared += program.arena_bytes;
    place(program, {}, Placing::unique);
    apart += program.arena_bytes;
  }
  REQUIRE(shared < apart);
}

TEST_CASE("planning memory for twenty thousand instructions takes well under a second") {
  Program program = test::random_program(3, 20000);
  const test::ProcessorTime time;
  plan_memory(program, meshes, {});
  REQUIRE(program.arena_bytes > 0);
  REQUIRE(time.seconds() < 5.0);  // some tenths of a second without sanitizers
}
