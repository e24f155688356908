// The communicator over NCCL, with a fake of NCCL.

#include <limits>

#include "../fake_device.h"
#include "../mirror.h"
#include "../support.h"
#include "comm/nccl/communicator.h"
#include "fake_nccl.h"

namespace ddlbench::comm::testing {

namespace {

void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  fake_nccl::reset();
  find_transport("threads").launch(ranks, options, [&](Communicator& control) {
    FakeMemory memory;
    FakeStream stream;
    const std::unique_ptr<Communicator> device = nccl::make(fake_nccl::api(), control, stream.handle(), options.timeout,
                                                            "gpu " + std::to_string(control.rank()));
    const std::unique_ptr<Communicator> mirror = make_mirror(*device, memory);
    body(*mirror);
  });
  const fake_nccl::State& state = fake_nccl::state();
  expect(state.wrong_uses == 0, "NCCL is used as it may be", state.wrong_uses);
  expect(state.destroyed == state.made && state.aborted == 0, "every group is destroyed once");
}

}  // namespace

std::vector<Transport> startable_transports() {
  return {{"nccl over a stand-in", "", launch}};
}

int most_ranks(const Transport&) {
  return std::numeric_limits<int>::max();
}

}  // namespace ddlbench::comm::testing
