#include "program/stream_waits.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::program;

namespace {

using Ids = std::vector<InstructionId>;

Instruction instruction_after(Action action, const Ids& earlier) {
  Instruction instruction;
  instruction.action = std::move(action);
  for (const InstructionId id : earlier) instruction.after.push_back({id, 0});
  return instruction;
}

}  // namespace

TEST_CASE("a stream waits only for other streams, and only where the order is not already implied") {
  const std::vector<Instruction> body{
      instruction_after(Compute{}, {}),      // 0
      instruction_after(Compute{}, {0}),     // in order anyway
      instruction_after(Send{}, {1}),        // 2
      instruction_after(Receive{}, {}),      // 3
      instruction_after(Compute{}, {2, 3}),  // waiting for the second suffices, but both are listed
      instruction_after(Copy{}, {3}),        // 5
      instruction_after(Compute{}, {5}),     // 6
      instruction_after(Send{}, {5, 6}),     // 7
      instruction_after(Copy{}, {1}),     // follows 5, which follows 3, which follows 2 on its stream, and therefore 1
      instruction_after(Compute{}, {2}),  // known since 4
  };
  const StreamWaits on_stream = plan_stream_waits(body, Route::stream);
  CHECK(on_stream.before == std::vector<Ids>{{}, {}, {1}, {}, {2, 3}, {3}, {5}, {5, 6}, {}, {}});
  CHECK(on_stream.at_end == Ids{7, 8});
}

TEST_CASE("streams do not wait for communications that the host completes") {
  const std::vector<Instruction> body{
      instruction_after(Compute{}, {}),   // 0
      instruction_after(Send{}, {0}),     // begins on the copy stream
      instruction_after(Compute{}, {1}),  // 2
      instruction_after(Copy{}, {0}),     // follows 1 on that stream
      instruction_after(Send{}, {2, 3}),  // 4
  };
  const StreamWaits staged = plan_stream_waits(body, Route::staged);
  CHECK(staged.before == std::vector<Ids>{{}, {0}, {}, {}, {2}});
  CHECK(staged.at_end == Ids{3});
  const StreamWaits by_host = plan_stream_waits(body, Route::host);
  CHECK(by_host.before == std::vector<Ids>{{}, {}, {}, {0}, {}});
}

TEST_CASE("a stream wait for a later instruction is rejected") {
  const std::vector<Instruction> body{instruction_after(Compute{}, {1}), instruction_after(Compute{}, {})};
  CHECK_THROWS_AS(plan_stream_waits(body, Route::host), ddlbench::ContractError);
}
