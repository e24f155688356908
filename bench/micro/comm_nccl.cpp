// All-reduce over NCCL by size, in the terms of nccl-tests: bus bandwidth is the tensor's bytes over time, times 2(n −
// 1)/n.
//   micro_comm_nccl [--ranks N] [--rounds N]
// Runs N ranks as threads, each on the GPU with its number. Prints a line per size, with the median of the rounds.

#include <cuda_runtime_api.h>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/median.h"
#include "comm/communicator.h"
#include "comm/nccl/nccl.h"

namespace {

using namespace ddlbench;

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(fmt::format("{}: {}", call, cudaGetErrorString(code)));
}

/// Returns the mean seconds of an all-reduce in a sequence of them: the median of the rounds.
double seconds_of(comm::Communicator& control, comm::Communicator& nccl, void* data, std::int64_t count, int rounds) {
  const comm::OperationPtr sum = nccl.all_reduce(
      {data, data, count, graph::DType::f32, graph::Reduction::sum, collectives::native(), nullptr, "sum"});
  const comm::OperationPtr all = control.barrier();
  constexpr int operations = 20;
  std::vector<double> seconds;
  for (int round = -1; round < rounds; ++round) {  // the first round creates the connections and is not counted
    comm::run(all);
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < operations; ++i) sum->start();
    sum->wait();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    if (round >= 0) seconds.push_back(taken.count() / operations);
  }
  return median(std::move(seconds));
}

void run_rank(comm::Communicator& control, int rounds) {
  check(cudaSetDevice(control.rank()), "cudaSetDevice");
  constexpr std::int64_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 25'000'000, 256 << 20};
  void* data = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&data, sizes[4]), "cudaMalloc");
  check(cudaMemset(data, 0, sizes[4]), "cudaMemset");
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  {
    const auto nccl = comm::make_nccl(control, stream, std::chrono::seconds(60), fmt::format("GPU {}", control.rank()));
    for (const std::int64_t bytes : sizes) {
      const double seconds = seconds_of(control, *nccl, data, bytes / 4, rounds);
      const double bus = static_cast<double>(bytes) / seconds * 2 * (control.size() - 1) / control.size();
      if (control.rank() == 0) {
        std::printf("all_reduce ranks=%d bytes=%lld bus_bytes_per_second=%.6g\n", control.size(),
                    static_cast<long long>(bytes), bus);
      }
    }
  }
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  check(cudaFree(data), "cudaFree");
}

}  // namespace

int main(int argc, char** argv) {
  int ranks = 2, rounds = 5;
  CLI::App app("All-reduce over NCCL by size");
  app.add_option("--ranks", ranks, "Ranks, each with a GPU of its own")->check(CLI::Range(2, 64));
  app.add_option("--rounds", rounds, "Rounds; their median is printed")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  try {
    comm::find_transport("threads").launch(ranks, {std::chrono::seconds(60)},
                                           [&](comm::Communicator& control) { run_rank(control, rounds); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "micro_comm_nccl: %s\n", error.what());
    return 1;
  }
  return 0;
}
