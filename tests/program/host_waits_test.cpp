#include "program/host_waits.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::program;

namespace {

Instruction compute(std::vector<Dependency> after = {}) {
  Instruction instruction;
  instruction.name = "compute";
  instruction.action = Compute{};
  instruction.after = std::move(after);
  return instruction;
}

Instruction communication(std::vector<Dependency> after = {}) {
  Instruction instruction;
  instruction.name = "communication";
  instruction.action = CollectiveCall{};
  instruction.stream = graph::Stream::communication;
  instruction.after = std::move(after);
  return instruction;
}

using Ids = std::vector<InstructionId>;

}  // namespace

TEST_CASE("a communication is waited for once, at its first use") {
  const auto waits = plan_host_waits({communication(), compute(), compute({{0, 0}}), compute({{0, 0}})});
  CHECK(waits.communications[1].empty());
  CHECK(waits.communications[2] == Ids{0});
  CHECK(waits.communications[3].empty());
  CHECK(waits.at_end.empty());
}

TEST_CASE("communications that nothing uses are waited for at the end, in order") {
  const auto waits = plan_host_waits({communication(), communication(), communication({{1, 0}})});
  CHECK(waits.communications[2] == Ids{1});
  CHECK(waits.at_end == Ids{0, 2});
}

TEST_CASE("a communication waits for the last compute that it depends on, and compute waits for none") {
  const auto waits = plan_host_waits({compute(), compute(), compute({{1, 0}}), communication({{0, 0}, {1, 0}})});
  CHECK(waits.compute == Ids{none, none, none, 1});
}

TEST_CASE("the previous iteration is complete when a step begins") {
  const auto waits = plan_host_waits({compute({{1, 1}}), communication({{0, 1}})});
  CHECK(waits.communications[0].empty());
  CHECK(waits.compute[1] == none);
}

TEST_CASE("a dependency on a later instruction is rejected") {
  CHECK_THROWS_AS(plan_host_waits({compute({{0, 0}})}), ContractError);
}
