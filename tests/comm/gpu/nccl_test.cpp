// What a fake of NCCL cannot show: that NCCL itself is aborted at a deadline and can be captured.

#include <algorithm>

#include "../support.h"
#include "catch.h"
#include "comm/nccl/nccl.h"
#include "gpu.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

OperationPtr sum(Communicator& nccl, void* device, std::int64_t count) {
  return nccl.all_reduce({device, device, count, graph::DType::f32, {}, collectives::native(), nullptr, "gradients"});
}

}  // namespace

TEST_CASE("an operation times out if a peer never starts it") {
  if (gpus() < 2) {
    return test::skip("it needs two GPUs");
  }
  bool timed_out = false;
  try {
    find_transport("threads").launch(2, {std::chrono::seconds(60)}, [&](Communicator& control) {
      check(cudaSetDevice(control.rank()), "cudaSetDevice");
      CudaMemory memory;
      CudaStream stream;
      void* device = memory.allocate(4000);
      const std::unique_ptr<Communicator> nccl = make_nccl(control, stream, std::chrono::seconds(5), "");
      const OperationPtr operation = sum(*nccl, device, 1000);
      run(operation);
      if (control.rank() == 0) {
        try {
          run(operation);
        } catch (const CommunicationError& error) {
          timed_out = error.kind() == CommunicationError::Kind::timed_out && error.operation() == "gradients";
        }
      }
      run(control.barrier());
    });
  } catch (const CommunicationError& error) {
    CHECK(std::string(error.what()).find("gradients") != std::string::npos);
  }
  CHECK(timed_out);
}

TEST_CASE("operations over NCCL can be captured into a graph and replayed") {
  const int ranks = std::min(gpus(), 4);
  find_transport("threads").launch(ranks, {std::chrono::seconds(60)}, [&](Communicator& control) {
    check(cudaSetDevice(control.rank()), "cudaSetDevice");
    CudaMemory memory;
    CudaStream stream;
    constexpr std::int64_t count = 1000;
    void* device = memory.allocate(4 * count);
    const std::vector<float> ones(count, 1);
    memory.copy_in(device, ones.data(), 4 * count);
    const std::unique_ptr<Communicator> nccl = make_nccl(control, stream, std::chrono::seconds(30), "");
    const OperationPtr operation = sum(*nccl, device, count);
    run(operation);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    operation->start();
    operation->start();
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    memory.copy_in(device, ones.data(), 4 * count);
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    nccl->watch([&] { return std::int64_t{cudaStreamQuery(stream) == cudaErrorNotReady}; }, "graph");
    std::vector<float> sums(count);
    memory.copy_out(sums.data(), device, 4 * count);
    const auto expected = static_cast<float>(ranks * ranks * ranks * ranks);
    for (const float value : sums) expect(value == expected, "four sums");
    check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    memory.release(device);
  });
}
