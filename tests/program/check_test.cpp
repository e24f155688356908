#include <algorithm>

#include "base/error.h"
#include "builder.h"
#include "catch.h"
#include "program/check.h"
#include "random_program.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

namespace {

std::string all_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

/// Requires that there is exactly one finding, and returns its text.
std::string only(const std::vector<Finding>& findings) {
  INFO(all_of(findings));
  REQUIRE(findings.size() == 1);
  return to_string(findings[0]);
}

bool names(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two stages: rank 0 sends its activation, and rank 1 sends the gradient back.
std::vector<Program> two_stages() {
  Builder a;
  const BufferId w0 = a.persistent("w", 10), x = a.transient("x", 4), dx = a.transient("dx", 4);
  a.compute("forward", {{w0}}, {{x}});
  a.send("send x", {x}, 1, 7);
  a.receive("receive dx", {dx}, 1, 8);
  a.compute("update", {{dx}}, {{w0}});
  Builder b;
  const BufferId w1 = b.persistent("w", 10), y = b.transient("x", 4), dy = b.transient("dx", 4);
  b.receive("receive x", {y}, 0, 7);
  b.compute("backward", {{y}, {w1}}, {{dy}});
  b.send("send dx", {dy}, 0, 8);
  b.compute("update", {{y}}, {{w1}});
  return {std::move(a.program), std::move(b.program)};
}

/// A program that writes a gradient, reduces it over all ranks and uses it.
Program reducing(std::vector<std::string> buckets = {"g"}) {
  Builder b;
  const BufferId w = b.persistent("w", 9), g = b.persistent("g", 9, MemoryClass::gradients);
  const BufferId h = b.persistent("h", 5, MemoryClass::gradients);
  b.compute("backward", {{w}}, {{g}, {h}});
  for (const std::string& bucket : buckets) b.all_reduce("reduce " + bucket, {bucket == "g" ? g : h});
  b.compute("update", {{g}}, {{w}});
  return std::move(b.program);
}

Message& message_of(Program& program, std::size_t instruction) {
  Action& action = program.bodies.front()[instruction].action;
  return std::holds_alternative<Send>(action) ? std::get<Send>(action).message : std::get<Receive>(action).message;
}

/// A program of one of two ranks. Each sends to the other and then receives, or does both in one exchange.
Program facing(int other, bool exchange) {
  Builder b;
  const BufferId w = b.persistent("w", 4), x = b.transient("x", 4);
  const int own = 1 - other;
  if (exchange) {
    b.exchange("swap", {{{w}, other, own}}, {{{x}, other, other}});
  } else {
    b.send("send w", {w}, other, own);
    b.receive("receive x", {x}, other, other);
  }
  b.compute("use", {{x}}, {{w}});
  return std::move(b.program);
}

std::vector<Finding> check_completed(std::vector<Program> programs) {
  return check(test::completed(std::move(programs)));
}

}  // namespace

TEST_CASE("check accepts valid plans") {
  CHECK(all_of(check_completed(two_stages())) == "");
  CHECK(all_of(check_completed({reducing(), reducing(), reducing()})) == "");
  CHECK(all_of(check_completed({reducing({"g", "h"}), reducing({"g", "h"})})) == "");
  CHECK_NOTHROW(require_sound(test::completed(two_stages())));
}

TEST_CASE("check finds a send without a receive") {
  auto programs = two_stages();
  Builder b;
  b.program = std::move(programs[0]);
  b.send("send again", {0, 0, 4}, 1, 9);
  programs[0] = std::move(b.program);
  REQUIRE(only(check_completed(programs)) ==
          "rank 0, body[4] 'send again': tag 9 (f32[4], 16 bytes) is sent to rank 1, which never receives it: add the "
          "receive, or drop the send");
}

TEST_CASE("check finds a receive without a send") {
  auto programs = two_stages();
  programs[0].bodies.front().erase(programs[0].bodies.front().begin() + 1);
  const std::string text = all_of(check_completed(programs));
  REQUIRE(names(text, "rank 1, body[0] 'receive x': tag 7 (f32[4], 16 bytes) is awaited from rank 0, which never"));
  REQUIRE(names(text, "rank 0, body[0] 'forward': its outputs are never read, kept or communicated"));
}

TEST_CASE("check finds different tags at the two ends of a message") {
  auto programs = two_stages();
  message_of(programs[1], 0).tag = 3;
  REQUIRE(only(check_completed(programs)) ==
          "rank 0, body[1] 'send x': sends tag 7 (f32[4], 16 bytes) to rank 1, whose body[0] 'receive x' expects tag 3 "
          "(f32[4], 16 bytes) as message 0: their tags differ");
}

TEST_CASE("check finds different sizes at the two ends of a message") {
  auto programs = two_stages();
  message_of(programs[0], 1).operand = {{1, 0, 12, 0}, {{3}, graph::DType::f32}};
  const std::string text = only(check_completed(programs));
  REQUIRE(names(text, "rank 0, body[1] 'send x': sends tag 7 (f32[3], 12 bytes) to rank 1"));
  REQUIRE(names(text, "their types differ"));
}

TEST_CASE("check finds collectives in different orders") {
  const std::string text = only(check_completed({reducing({"g", "h"}), reducing({"h", "g"})}));
  REQUIRE(names(text,
                "rank 1, body[1] 'reduce h': is collective 0 of ranks 0, 1 and calls "
                "all_reduce|sum|ring|f32|5|2, where rank 0 calls all_reduce|sum|ring|f32|9|2 in body[1] 'reduce g'"));
}

TEST_CASE("check finds collectives of overlapping groups in different orders") {
  auto programs = std::vector<Program>{reducing({"g", "h"}), reducing({"h", "g"}), reducing({"h"})};
  for (std::size_t rank = 0; rank < 2; ++rank)
    std::get<CollectiveCall>(programs[rank].bodies.front()[1 + rank].action).group.only = {{0, 1}};
  const std::string text = only(check_completed(programs));
  REQUIRE(names(text,
                "rank 1, body[1] 'reduce h': is a collective of ranks 0, 1, 2, but rank 0 first calls body[1] "
                "'reduce g' of ranks 0, 1"));
}

TEST_CASE("check finds an all-to-all of the wrong sizes") {
  const auto findings = [](std::vector<std::int64_t> counts, std::int64_t outputs = 6, bool in_place = false) {
    Builder b;
    const BufferId w = b.persistent("w", 6), y = b.persistent("y", outputs);
    b.all_reduce("swap", {w});
    auto& call = std::get<CollectiveCall>(b.program.bodies.front()[0].action);
    call.kind = graph::Collective::all_to_all;
    call.counts = std::move(counts);
    if (!in_place) call.output = b.operand({y});
    return check_completed({b.program, b.program});
  };
  CHECK(all_of(findings({3, 3})) == "");
  const auto first = [&](const std::vector<Finding>& found) {
    INFO(all_of(found));
    REQUIRE_FALSE(found.empty());
    return to_string(found[0]);
  };
  const std::string place = "rank 0, body[0] 'swap': ";
  CHECK(first(findings({})) == place + "it has 0 counts for 2 members");
  CHECK(first(findings({2, 2, 2})) == place + "it has 3 counts for 2 members");
  CHECK(first(findings({4, 2}, 8)) == "rank 1, body[0] 'swap': its output has 8 elements, but 2 members send 2 each");
  CHECK(first(findings({2, 2})) == place + "its input has 6 elements, but its counts sum to 4");
  CHECK(first(findings({3, 3}, 5)) == place + "its output has 5 elements, but 2 members send 3 each");
  CHECK(first(findings({3, 3}, 6, true)) == place + "its input is its output, but an all_to_all cannot run in place");
}

TEST_CASE("check finds a deadlock of two opposite sends, and an exchange resolves it") {
  const auto findings = check_completed({facing(1, false), facing(0, false)});
  INFO(all_of(findings));
  REQUIRE(findings.size() == 2);
  REQUIRE(to_string(findings[1]) ==
          "rank 1, body[0] 'send w': deadlock: waits for rank 0 to receive tag 1; rank 0 waits at body[0] 'send w'. "
          "Post the opposing sends and receives as one exchange");
  REQUIRE(all_of(check_completed({facing(1, true), facing(0, true)})) == "");
}

TEST_CASE("check finds a deadlock of a collective and a message") {
  auto programs = std::vector<Program>{facing(1, true), facing(0, true)};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Builder b;
    b.program = std::move(programs[rank]);
    b.all_reduce("reduce", {0});
    if (rank == 0)
      std::rotate(b.program.bodies.front().begin(), b.program.bodies.front().end() - 1, b.program.bodies.front().end());
    programs[rank] = std::move(b.program);
  }
  const std::string text = all_of(check_completed(programs));
  REQUIRE(names(text,
                "rank 0, body[0] 'reduce': deadlock: waits for rank 1 to join the collective; rank 1 waits at "
                "body[0] 'swap'"));
  REQUIRE(
      names(text, "rank 1, body[0] 'swap': deadlock: waits for rank 0 to receive tag 1, and for rank 0 to send tag 0"));
}

TEST_CASE("check finds a read before any write") {
  Builder b;
  const BufferId w = b.persistent("w", 10), x = b.transient("x", 10);
  b.compute("half", {{w}}, {{x, 0, 5}});
  b.compute("whole", {{x}}, {{w}});
  REQUIRE(only(check_completed({b.program})) ==
          "rank 0, body[1] 'whole': reads bytes 20 to 40 of 'x' before they are written");
}

TEST_CASE("check finds a gradient that accumulates without being zeroed first") {
  Builder b;
  const BufferId w = b.persistent("w", 10), g = b.persistent("g", 10, MemoryClass::gradients);
  b.accumulate("backward", {{w}}, {{g}});
  REQUIRE(only(check_completed({b.program})) ==
          "rank 0, body[0] 'backward': reads bytes 0 to 40 of 'g' before they are written");
}

TEST_CASE("check finds two unordered writes") {
  Builder b;
  const BufferId w = b.persistent("w", 8);
  b.all_reduce("first", {w, 0, 5});
  b.all_reduce("second", {w, 3, 5});
  Plan plan = test::completed({b.program, b.program});
  REQUIRE(all_of(check(plan)) == "");
  plan.roles[1].train.bodies.front()[1].after.clear();
  const auto findings = check(plan);
  REQUIRE(findings.size() == 2);  // an in-place all-reduce reads, then writes
  REQUIRE(to_string(findings[1]) ==
          "rank 1, body[1] 'second': writes bytes 12 to 20 of 'w' while body[0] 'first' may still be writing them: the "
          "two are not ordered");
}

TEST_CASE("memory plans of random programs have no races and lose no contents") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::string text =
        all_of(check_completed({test::random_program(seed, 150), test::random_program(seed, 150)}));
    CHECK_FALSE(names(text, "are not ordered"));
    CHECK_FALSE(names(text, "occupies that memory by then"));
    CHECK_FALSE(names(text, "before they are written"));
  }
}

TEST_CASE("check finds a received tensor that is overwritten while in use") {
  Builder b;
  const BufferId w = b.persistent("w", 8), x = b.transient("x", 8);
  const int other = 1;
  b.exchange("swap", {{{w}, other, 0}}, {{{x}, other, 0}});
  b.compute("use", {{x}}, {{w}});
  Builder c;
  const BufferId v = c.persistent("w", 8), y = c.transient("x", 8);
  c.exchange("swap", {{{v}, 0, 0}}, {{{y}, 0, 0}});
  c.compute("use", {{y}}, {{v}});
  Plan plan = test::completed({b.program, c.program});
  plan.roles[0].train.bodies.front()[1].after.clear();
  REQUIRE(names(all_of(check(plan)),
                "rank 0, body[1] 'use': reads bytes 0 to 32 of 'x' while body[0] 'swap' may still be "
                "writing them: the two are not ordered"));
}

TEST_CASE("check finds memory that is reused too early") {
  Builder b;
  const BufferId w = b.persistent("w", 16), x = b.transient("x", 16), y = b.transient("y", 16);
  b.compute("0", {{w}}, {{x}});
  b.compute("1", {{w}}, {{y}});
  b.compute("2", {{x}, {y}}, {{w}});
  Plan plan = test::completed({b.program});
  REQUIRE(all_of(check(plan)) == "");
  plan.roles[0].train.buffers[1].offset = plan.roles[0].train.buffers[2].offset;
  REQUIRE(names(
      all_of(check(plan)),
      "rank 0, body[2] '2': reads bytes 0 to 64 of 'x', but 'y' occupies that memory by then, written by body[1] '1'"));
}

TEST_CASE("check finds a leaked buffer") {
  Builder b;
  const BufferId w = b.persistent("w", 8), x = b.transient("x", 8);
  b.transient("spare", 8);
  b.compute("use", {{w}}, {{x}});
  const std::string text = all_of(check_completed({b.program}));
  REQUIRE(names(text, "rank 0, buffer 2 'spare': is planned but unused"));
  REQUIRE(names(text, "rank 0, body[0] 'use': its outputs are never read, kept or communicated"));
}

TEST_CASE("check finds a view out of bounds") {
  Builder b;
  const BufferId w = b.persistent("w", 8), x = b.persistent("x", 8);
  b.compute("use", {{w, 6, 4}}, {{x}});
  REQUIRE(only(check_completed({b.program})) ==
          "rank 0, body[0] 'use': input 0 uses bytes 24 to 40 of 'w', which has 32");
}

TEST_CASE("check finds a member that misses a collective") {
  const std::string text = only(check_completed({reducing(), reducing(), reducing({})}));
  REQUIRE(text == "rank 0, body[1] 'reduce g': is a collective of ranks 0, 1, 2, but rank 2 does not call it");
}

TEST_CASE("check finds a dependency on a later instruction") {
  Plan plan = test::completed(two_stages());
  plan.roles[1].train.bodies.front()[1].after.push_back({2, 0});
  REQUIRE(only(check(plan)) ==
          "rank 1, body[1] 'backward': depends on body[2] 'send dx', which does not come before it: dependencies must "
          "point backwards");
}

TEST_CASE("check finds invalid peers and groups") {
  auto programs = two_stages();
  const auto with_peer = [&](CoordinateRule rule) {
    auto changed = programs;
    message_of(changed[0], 1).peer.rules = {rule};
    return all_of(check_completed(changed));
  };
  REQUIRE(names(with_peer({CoordinateRule::Kind::fixed, 0}), "rank 0, body[1] 'send x': its peer for tag 7 is itself"));
  REQUIRE(names(with_peer({CoordinateRule::Kind::offset, 2}),
                "rank 0, body[1] 'send x': its peer for tag 7 is invalid: coordinate data=2 lies outside mesh data=2"));
  Plan plan = test::completed({reducing(), reducing()});
  std::get<CollectiveCall>(plan.roles[0].train.bodies.front()[1].action).group.only = {{1}};
  REQUIRE(
      names(all_of(check(plan)), "rank 0, body[1] 'reduce g': its group of rank 1 does not contain its own rank 0"));
}

TEST_CASE("check finds defects of roles, streams, types and shared buffers") {
  Plan plan = test::completed(two_stages());
  SECTION("a role that is missing") {
    plan.role_of_rank[1] = 5;
    REQUIRE(only(check(plan)) == "rank 1, plan: has role 5 of 2");
  }
  SECTION("a rank outside its mesh") {
    plan.meshes[0] = Mesh({{"data", 1}});
    REQUIRE(only(check(plan)) == "rank 1, plan: lies outside its role's mesh data=1");
  }
  SECTION("a compute on the communication stream") {
    plan.roles[0].train.bodies.front()[0].stream = graph::Stream::communication;
    REQUIRE(names(only(check(plan)), "rank 0, body[0] 'forward': is on the communication stream"));
  }
  SECTION("a copy on a stream that has none") {
    Instruction& instruction = plan.roles[0].train.bodies.front()[0];
    const View view = std::get<Compute>(instruction.action).outputs[0].view;
    instruction.action = Copy{view, view};
    instruction.stream = graph::Stream::input;
    REQUIRE(names(all_of(check(plan)), "rank 0, body[0] 'forward': is a copy on the input stream"));
    instruction.stream = graph::Stream::communication;
    REQUIRE(names(all_of(check(plan)), "rank 0, body[0] 'forward': is a copy on the communication stream"));
  }
  SECTION("a type that does not fit its view") {
    std::get<Compute>(plan.roles[0].train.bodies.front()[0].action).inputs[0].type.shape = {9};
    REQUIRE(only(check(plan)) == "rank 0, body[0] 'forward': input 0 is f32[9] of 36 bytes, but its view has 40");
  }
  SECTION("evaluation with other weights") {
    plan.roles[1].evaluate.buffers[0].bytes = 4;
    REQUIRE(only(check(plan)) ==
            "rank 1, evaluate buffer 0 'w': differs from training's 'w' of 40 bytes, with which it shares its memory");
  }
  SECTION("evaluation is checked as training is") {
    plan.roles[0].evaluate = plan.roles[0].train;
    plan.roles[1].evaluate = plan.roles[1].train;
    REQUIRE(all_of(check(plan)) == "");
    message_of(plan.roles[0].evaluate, 1).tag = 1;
    REQUIRE(names(only(check(plan)), "rank 0, evaluate body[1] 'send x': sends tag 1"));
  }
}

TEST_CASE("the error lists the first defects") {
  auto programs = two_stages();
  message_of(programs[1], 0).tag = 3;
  try {
    require_sound(test::completed(programs));
    FAIL("nothing was thrown");
  } catch (const ContractError& error) {
    REQUIRE(names(error.what(), "the plan has 1 defect\n  rank 0, body[1] 'send x'"));
  }
}
