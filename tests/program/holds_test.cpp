#include "program/holds.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::program;

namespace {

using Ids = std::vector<InstructionId>;

Instruction after(Action action, const Ids& earlier) {
  Instruction instruction;
  instruction.action = std::move(action);
  for (const InstructionId id : earlier) instruction.after.push_back({id, 0});
  return instruction;
}

}  // namespace

TEST_CASE("a stream is held by the others alone, and by what it does not follow already") {
  const std::vector<Instruction> body{
      after(Compute{}, {}),      // 0
      after(Compute{}, {0}),     // 1: in order anyway
      after(Send{}, {1}),        // 2
      after(Receive{}, {}),      // 3
      after(Compute{}, {2, 3}),  // 4: the second is enough, both are named
      after(Copy{}, {3}),        // 5
      after(Compute{}, {5}),     // 6
      after(Send{}, {5, 6}),     // 7
      after(Copy{}, {1}),        // 8: follows 5, which follows 3; that follows 2 by its stream, and so 1
      after(Compute{}, {2}),     // 9: known since 4
  };
  const Holds on_stream = hold_streams(body, Route::stream);
  CHECK(on_stream.before == std::vector<Ids>{{}, {}, {1}, {}, {2, 3}, {3}, {5}, {5, 6}, {}, {}});
  CHECK(on_stream.at_end == Ids{7, 8});
}

TEST_CASE("of communications that the host completes nothing is held") {
  const std::vector<Instruction> body{
      after(Compute{}, {}),   // 0
      after(Send{}, {0}),     // 1: begins on the copy stream
      after(Compute{}, {1}),  // 2
      after(Copy{}, {0}),     // 3: follows 1 there
      after(Send{}, {2, 3}),  // 4
  };
  const Holds staged = hold_streams(body, Route::staged);
  CHECK(staged.before == std::vector<Ids>{{}, {0}, {}, {}, {2}});
  CHECK(staged.at_end == Ids{3});
  const Holds by_host = hold_streams(body, Route::host);
  CHECK(by_host.before == std::vector<Ids>{{}, {}, {}, {0}, {}});
}

TEST_CASE("what is after something later is refused") {
  const std::vector<Instruction> body{after(Compute{}, {1}), after(Compute{}, {})};
  CHECK_THROWS_AS(hold_streams(body, Route::host), ddlbench::ContractError);
}
