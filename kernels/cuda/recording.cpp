#include "kernels/cuda/recording.h"

#include "base/error.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/current.h"

namespace ddlbench::kernels::cuda {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct DestroyExecutable {
  void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
};
using Graph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using Executable = std::unique_ptr<CUgraphExec_st, DestroyExecutable>;

class GraphRecording final : public Device::Recording {
 public:
  GraphRecording(int ordinal, const Streams& streams, Executable executable)
      : ordinal_(ordinal), streams_(streams), executable_(std::move(executable)) {}
  ~GraphRecording() override { cudaSetDevice(ordinal_); }

  void launch() override {
    make_current(ordinal_);
    streams_.join();
    check(cudaGraphLaunch(executable_.get(), streams_[graph::Stream::compute]), "launching a CUDA graph");
    streams_.fork();
  }

 private:
  int ordinal_;
  const Streams& streams_;
  Executable executable_;
};

}  // namespace

void Capture::begin() {
  require(!active_, "a device is already recording");
  check(cudaStreamBeginCapture(streams_[graph::Stream::compute], cudaStreamCaptureModeThreadLocal),
        "beginning a CUDA graph");
  active_ = true;
  streams_.fork();
}

std::unique_ptr<Device::Recording> Capture::end() {
  require(active_, "a device cannot end a recording that it did not begin");
  try {
    streams_.join();
  } catch (...) {
    abandon();
    throw;
  }
  active_ = false;
  cudaGraph_t noted = nullptr;
  check(cudaStreamEndCapture(streams_[graph::Stream::compute], &noted), "ending a CUDA graph");
  const Graph graph(noted);
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph.get(), 0), "instantiating a CUDA graph");
  Executable executable(made);
  // Otherwise the first launch would also upload the graph.
  check(cudaGraphUpload(executable.get(), streams_[graph::Stream::compute]), "uploading a CUDA graph");
  return std::make_unique<GraphRecording>(ordinal_, streams_, std::move(executable));
}

void Capture::abandon() noexcept {
  if (!active_) return;
  active_ = false;
  try {
    streams_.join();  // otherwise CUDA would report unjoined streams
  } catch (...) {     // the caller knows what failed
  }
  cudaGraph_t noted = nullptr;
  if (cudaStreamEndCapture(streams_[graph::Stream::compute], &noted) == cudaSuccess) cudaGraphDestroy(noted);
  cudaGetLastError();
}

}  // namespace ddlbench::kernels::cuda
