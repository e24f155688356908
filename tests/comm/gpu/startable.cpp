// GPU buffers: staged over threads, with any number of ranks per GPU, and over NCCL, with one GPU per rank.

#include <limits>

#include "../mirror.h"
#include "../support.h"
#include "comm/nccl/nccl.h"
#include "comm/staged/staged.h"
#include "gpu.h"

namespace ddlbench::comm::testing {

namespace {

void launch_staged(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  find_transport("threads").launch(ranks, options, [&](Communicator& host) {
    check(cudaSetDevice(host.rank() % gpus()), "cudaSetDevice");
    CudaCopy copy;
    CudaMemory memory;
    const std::unique_ptr<Communicator> staged = make_staged(host, copy);
    const std::unique_ptr<Communicator> mirror = make_mirror(*staged, memory);
    body(*mirror);
  });
}

void launch_nccl(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body) {
  find_transport("threads").launch(ranks, options, [&](Communicator& control) {
    check(cudaSetDevice(control.rank()), "cudaSetDevice");
    CudaMemory memory;
    CudaStream stream;
    const std::unique_ptr<Communicator> device =
        make_nccl(control, stream, options.timeout, "gpu " + std::to_string(control.rank()));
    const std::unique_ptr<Communicator> mirror = make_mirror(*device, memory);
    body(*mirror);
  });
}

}  // namespace

std::vector<Transport> startable_transports() {
  gpus();
  return {{"GPU buffers staged over threads", "", launch_staged}, {"nccl", "", launch_nccl}};
}

int most_ranks(const Transport& transport) {
  return transport.name == "nccl" ? gpus() : std::numeric_limits<int>::max();
}

}  // namespace ddlbench::comm::testing
