// The transports of the build, and staging over them for buffers that the host cannot access.

#include <limits>

#include "comm/gloo/gloo.h"
#include "comm/process_place.h"
#include "comm/staged/staged.h"
#include "fake_device.h"
#include "mirror.h"
#include "support.h"

namespace ddlbench::comm::testing {

namespace {

void launch_staged(const char* name, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body) {
  find_transport(name).launch(ranks, options, [&](Communicator& host) {
    DelayedCopy copy(host.rank());
    FakeMemory memory;
    const std::unique_ptr<Communicator> staged = make_staged(host, copy);
    const std::unique_ptr<Communicator> mirror = make_mirror(*staged, memory);
    body(*mirror);
    expect(staging_bytes(*staged) == 0 && copy.held() == 0, "staging is given back");
  });
}

void launch_over_threads(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  launch_staged("threads", ranks, options, body);
}
void launch_over_mpi(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  launch_staged("mpi", ranks, options, body);
}

}  // namespace

std::vector<Transport> startable_transports() {
  const bool processes = process_place().has_value();
  std::vector<Transport> startable;
  for (const Transport& transport : transports()) {
    if (transport.processes == processes && transport.name != "gloo") startable.push_back(transport);
  }
  if (processes) {
    startable.push_back({"staged over mpi", "", launch_over_mpi, true});
  } else {
    startable.push_back({"staged over threads", "", launch_over_threads});
    if (gloo::available()) startable.push_back({"gloo", "", gloo::launch_in_threads});
  }
  return startable;
}

int most_ranks(const Transport&) {
  return std::numeric_limits<int>::max();
}

}  // namespace ddlbench::comm::testing
