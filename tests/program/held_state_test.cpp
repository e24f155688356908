#include "catch.h"
#include "program/check.h"
#include "program/plan.h"

using namespace ddlbench;
using namespace ddlbench::program;

namespace {

/// Tensors a[2, 3] and b[5], one after another in a flat buffer of which each rank of `data` holds a shard.
Plan sharded_plan(int ranks) {
  Plan plan;
  plan.meshes = {Mesh({{"data", ranks}})};
  Role role;
  role.train.shard_axis = role.evaluate.shard_axis = {"data", {0, ranks}};
  StateShard a, b;
  a.tensor = "a";
  a.whole = {{2, 3}, graph::DType::f32};
  a.box = {{0, 2}, {0, 3}};
  a.view = {0, 0, 24, 0};
  b.tensor = "b";
  b.whole = {{5}, graph::DType::f32};
  b.box = {{0, 5}};
  b.view = {0, 24, 20, 0};
  role.state = {a, b};
  role.shards[0] = {{0, 11, 0}};
  plan.roles = {role};
  plan.role_of_rank.assign(static_cast<std::size_t>(ranks), 0);
  return plan;
}

}  // namespace

TEST_CASE("a shard of flat storage holds pieces of tensors") {
  const Plan plan = sharded_plan(2);
  const auto first = held_state(plan, 0);  // elements 0 to 6 of 11: all of a
  REQUIRE(first.size() == 1);
  CHECK(first[0].shard->tensor == "a");
  CHECK(first[0].elements == graph::Extent{0, 6});
  CHECK(first[0].view == View{0, 0, 24, 0});
  const auto second = held_state(plan, 1);
  REQUIRE(second.size() == 1);
  CHECK(second[0].shard->tensor == "b");
  CHECK(second[0].view == View{0, 0, 20, 0});
}

TEST_CASE("the shards of all ranks cover each element exactly once") {
  for (int ranks = 1; ranks <= 13; ++ranks) {
    const Plan plan = sharded_plan(ranks);
    std::vector<int> a(6, 0), b(5, 0);
    for (int rank = 0; rank < ranks; ++rank)
      for (const HeldState& held : held_state(plan, rank)) {
        CHECK(held.view.bytes == held.elements.size() * 4);
        for (auto i = held.elements.begin; i < held.elements.end; ++i)
          ++(held.shard->tensor == "a" ? a : b)[static_cast<std::size_t>(i)];
      }
    CHECK(a == std::vector<int>(6, 1));
    CHECK(b == std::vector<int>(5, 1));
  }
}

TEST_CASE("the parts of several segments are stored at their offsets") {
  Plan plan = sharded_plan(2);
  plan.roles[0].shards[0] = {{6, 11, 0}, {0, 6, 3}};
  const auto second = held_state(plan, 1);
  REQUIRE(second.size() == 2);
  CHECK(second[0].view == View{0, 12, 12, 0});  // the second half of a lies behind the part of b
  CHECK(second[1].elements == graph::Extent{3, 5});
  CHECK(second[1].view == View{0, 0, 8, 0});
}

TEST_CASE("a view with a stride is shifted on each rank, and its reach covers all ranks") {
  Program program;
  program.shard_axis = {"data", {1, 4}};
  const View view{2, 100, 8, 0, 8};
  CHECK(located(view, 3) == View{2, 124, 8, 0});
  CHECK(reach(program, view) == View{2, 108, 24, 0});
  const View fixed{2, 100, 8, 0};
  CHECK(reach(program, fixed) == fixed);
}

TEST_CASE("check finds a rank outside its role's shard axis") {
  Plan plan = sharded_plan(4);
  CHECK(check(plan).empty());
  plan.roles[0].train.shard_axis.coordinates = {0, 3};
  REQUIRE(check(plan).size() == 1);
  CHECK(to_string(check(plan)[0]).find("rank 3") != std::string::npos);
  plan.roles[0].train.shard_axis.name = "model";
  CHECK(!check(plan).empty());
}
