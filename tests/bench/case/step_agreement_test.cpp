#include "bench/case/step_agreement.h"

#include <vector>

#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("agreements are about 0.3 s of steps apart, and at most twice as many as before") {
  CHECK(steps_until_next_agreement(1, 10.0) == 1);
  CHECK(steps_until_next_agreement(1, 0.3) == 1);
  CHECK(steps_until_next_agreement(1, 1e-6) == 2);
  CHECK(steps_until_next_agreement(100, 0.2) == 150);
  CHECK(steps_until_next_agreement(100, 0.03) == 200);
  CHECK(steps_until_next_agreement(100, 3.0) == 10);
  CHECK(steps_until_next_agreement(100, 100.0) == 1);
  CHECK(steps_until_next_agreement(100, 0.0) == 200);
}

TEST_CASE("all ranks learn what rank 0 asks for after the same step") {
  constexpr int ranks = 3;
  std::vector<std::int64_t> saved(ranks), stopped(ranks);
  int decided = 0;
  comm::find_transport("threads").launch(ranks, {}, [&](comm::Communicator& communicator) {
    StepAgreement agreement(communicator, [&decided] {
      ++decided;
      return decided == 5 ? StepRequest::save : decided == 12 ? StepRequest::stop : StepRequest::none;
    });
    const auto rank = static_cast<std::size_t>(communicator.rank());
    for (std::int64_t step = 1; stopped[rank] == 0; ++step) {
      const StepRequest request = agreement.after_step();
      if (request == StepRequest::save) saved[rank] = step;
      if (request == StepRequest::stop) stopped[rank] = step;
    }
  });
  CHECK(decided == 12);
  for (int rank = 1; rank < ranks; ++rank) {
    CHECK(saved[static_cast<std::size_t>(rank)] == saved[0]);
    CHECK(stopped[static_cast<std::size_t>(rank)] == stopped[0]);
  }
  CHECK((saved[0] >= 5 && saved[0] <= 31));  // at most twice as many steps each time
  CHECK((stopped[0] >= 12 && stopped[0] <= 4095));
}
