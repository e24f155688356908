// All-reduce over each transport whose ranks are threads, by size, in the terms of nccl-tests: algorithm bandwidth is
// the tensor's bytes over time; bus bandwidth is that times 2(n − 1)/n, comparable between rank counts.

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/micro/registered.h"
#include "comm/communicator.h"

namespace {

using namespace ddlbench;

void all_reduce(benchmark::State& state, const comm::Transport& transport, collectives::Algorithm algorithm) {
  const auto ranks = static_cast<int>(state.range(0));
  const std::int64_t bytes = state.range(1);
  const auto count = bytes / 4;
  // The ranks run as long as the benchmark: rank 0 leads, and broadcasts to the others how many operations follow.
  transport.launch(ranks, {}, [&](comm::Communicator& communicator) {
    std::vector<float> data(static_cast<std::size_t>(count), 0.0f);
    const comm::OperationPtr sum = communicator.all_reduce(
        {data.data(), data.data(), count, graph::DType::f32, graph::Reduction::sum, algorithm, nullptr, "sum"});
    std::int32_t left = 0;
    const comm::OperationPtr tell = communicator.broadcast({&left, 1, graph::DType::i32, 0, "batch"});
    constexpr std::int32_t batch = 20;
    const auto run_batch = [&] {
      comm::run(tell);
      for (std::int32_t i = 0; i < left; ++i) comm::run(sum);
      return left > 0;
    };
    if (communicator.rank() != 0) {
      while (run_batch()) {
      }
      return;
    }
    left = batch;
    while (state.KeepRunningBatch(batch)) run_batch();
    left = 0;
    run_batch();
  });
  const double moved = static_cast<double>(state.iterations()) * static_cast<double>(bytes);
  state.counters["algorithm_bytes_per_second"] = benchmark::Counter(moved, benchmark::Counter::kIsRate);
  state.counters["bus_bytes_per_second"] =
      benchmark::Counter(moved * 2 * (ranks - 1) / ranks, benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char* argv[]) {
  for (const comm::Transport& transport : comm::transports()) {
    if (transport.processes) continue;  // benchmarked by micro_comm_mpi
    for (const auto algorithm : collectives::algorithms(graph::Collective::all_reduce)) {
      const std::string name = fmt::format("all_reduce/{}/{}", transport.name, algorithm.name());
      auto* registered = benchmark::RegisterBenchmark(
          name.c_str(), [&transport, algorithm](benchmark::State& state) { all_reduce(state, transport, algorithm); });
      registered->ArgNames({"ranks", "bytes"})->UseRealTime()->Unit(benchmark::kMicrosecond);
      for (const std::int64_t ranks : {2, 4}) {
        for (const std::int64_t bytes : {4 << 10, 64 << 10, 1 << 20, 25'000'000}) registered->Args({ranks, bytes});
      }
    }
  }
  return micro::run_registered(argc, argv);
}
