#include "program/cadence.h"

#include <vector>

#include "builder.h"
#include "catch.h"
#include "program/account.h"
#include "program/check.h"
#include "program/passes.h"

namespace ddlbench::program {
namespace {

const Cadence ramped{{{2, 3}}, {{0, 2}, {1, 1}}};

}  // namespace

TEST_CASE("a cadence runs its ramp once and then its cycle again and again") {
  std::vector<int> bodies;
  for (std::int64_t step = 0; step < 10; ++step) bodies.push_back(ramped.body(step));
  CHECK(bodies == std::vector{2, 2, 2, 0, 0, 1, 0, 0, 1, 0});
  CHECK(ramped.ramp_steps() == 3);
  CHECK(ramped.cycle_steps() == 3);
  CHECK(ramped.steps_of_bodies(3) == std::vector<std::int64_t>{2, 1, 0});
  CHECK(Cadence{}.body(1'000'000'007) == 0);
}

}  // namespace ddlbench::program
