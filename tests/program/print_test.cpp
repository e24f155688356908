#include <sstream>

#include "builder.h"
#include "catch.h"
#include "program/print.h"

using namespace ddlbench;
using namespace ddlbench::program;
using ddlbench::test::Builder;

TEST_CASE("a plan is printed with one instruction per line") {
  Builder b;
  const BufferId w = b.persistent("w", 10), x = b.transient("x", 6);
  b.compute("forward", {{w, 2, 4}}, {{x}}).microbatch = 3;
  b.exchange("swap", {{{x, 0, 3}, 1, 5}}, {{{x, 3, 3}, 1, 5}});
  b.all_reduce("reduce", {w});
  b.accumulate("add", {{x}}, {{w}});
  b.program.inputs.push_back({"image", graph::Role::input, b.operand({w, 0, 1}), {"data"}});
  b.program.metrics.push_back({"loss", {w, 4, 4, 0}, {"data"}});
  Plan plan = test::plan_of({b.program, b.program});
  complete(plan, {});
  plan.role_of_rank = {0, 0};
  plan.roles.pop_back();
  auto& body = plan.roles[0].train.bodies.front();
  std::get<CollectiveCall>(body[2].action).in_turn = true;
  body[3].steps_back = 1;
  plan.cadence = {{{2, 3}}, {{0, 7}, {1, 1}}, {1}};
  plan.choices = {"stages: a | b"};
  std::ostringstream out;
  print(out, plan);
  REQUIRE(out.str() ==
          "mesh 0: data=2, ranks 0 to 1\n"
          "global batch 2 in 1 micro-batches\n"
          "promise exact\n"
          "bodies after the prologue 1; in the first steps 2 x 3; then again and again 0 x 7, 1\n"
          "choice stages: a | b\n"
          "role 0 'data=0' of mesh 0, ranks 0, 1\n"
          "  train\n"
          "    buffer 'w' parameters 40 bytes\n"
          "    arena 64 bytes for 1 transient buffers\n"
          "    body[0] 'forward' forward compute microbatch 3: any (w+8:f32[4]) -> (x:f32[6])\n"
          "    body[1] 'swap' communication communication microbatch 0: exchange sends [x:f32[3] to data=1 tag 5] "
          "receives [x+12:f32[3] from data=1 tag 5] after 0\n"
          "    body[2] 'reduce' communication communication microbatch 0: all_reduce{sum ring} in turn over data "
          "w:f32[10] -> "
          "w:f32[10] after 0\n"
          "    body[3] 'add' forward compute microbatch 0 completes the previous step: any (x:f32[6]) +=> (w:f32[10]) "
          "after 1 2\n"
          "    input image -> w:f32[1] over data\n"
          "    metric loss <- w+4 replicated over data\n"
          "  evaluate\n"
          "    buffer 'w' parameters 40 bytes\n"
          "    arena 0 bytes for 0 transient buffers\n");
}
