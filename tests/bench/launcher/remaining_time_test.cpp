#include "bench/launcher/remaining_time.h"

#include "catch.h"

using namespace ddlbench::bench;

namespace {

Case case_of(const std::string& id, const std::string& contract) {
  Case which;
  which.id = id;
  which.contract_id = contract;
  return which;
}

}  // namespace

TEST_CASE("the rest of a run is expected from the cases and rounds that have ended") {
  std::vector<Case> cases{case_of("0", "a"), case_of("1", "a"), case_of("2", "b"), case_of("3", "b")};
  cases[3].unsupported = "too few layers";
  CaseDurations durations({});
  RemainingTime remaining(cases, 60, durations);
  CHECK_FALSE(remaining.seconds().has_value());
  const auto end = [&](int i, double seconds) {
    remaining.end_case(cases[static_cast<std::size_t>(i)]);
    durations.note(cases[static_cast<std::size_t>(i)].id, seconds);
  };
  end(0, 4);
  CHECK(*remaining.seconds() == Approx(2 * 4 + 2 * 60));
  end(1, 6);
  CHECK(*remaining.seconds() == Approx(5 + 2 * 60));
  remaining.end_rounds("a", 20);
  CHECK(*remaining.seconds() == Approx(5 + 20));
  end(2, 5);
  remaining.end_case(cases[3]);
  remaining.end_rounds("b", 20);
  remaining.end_rounds("of a resumed run, already ended", 0);
  CHECK(*remaining.seconds() == Approx(0));
}
