#include "bench/case/plan_agreement.h"

#include "bench/case/setup.h"

#include "catch.h"
#include "failure.h"
#include "small_case.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns what is thrown if rank 1 has compiled with other cycles than rank 0.
std::string failure_of_cycles(double of_rank_0, double of_rank_1) {
  std::vector<program::Plan> plans;
  for (const double milliseconds : {of_rank_0, of_rank_1}) {
    const SmallCase small("horovod", 2, {{"cycle_milliseconds", milliseconds}});
    plans.push_back(compile(prepare(small.experiment, small.which), small.which.strategy.choice, 2));
  }
  return test::failure_of([&] {
    comm::find_transport("threads").launch(2, {}, [&](comm::Communicator& communicator) {
      require_equal_plans(plans[static_cast<std::size_t>(communicator.rank())], communicator);
    });
  });
}

}  // namespace

TEST_CASE("ranks that have compiled different plans say so", "[case]") {
  CHECK(failure_of_cycles(0.001, 0.001) == "nothing was thrown");
  test::check_says(failure_of_cycles(0.001, 1000), "rank 1 has compiled another plan than rank 0");
}
