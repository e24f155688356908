// Measures how much of an all-reduce overlaps with computation of about the same duration, and how much it slows the
// computation:
//   micro_comm_overlap [--bytes N] [--latency S] [--bytes-per-second B] [--rounds N] [--least-hidden RATIO]
// Without mpiexec it runs two ranks as threads; under mpiexec it runs one rank per process over MPI. Both use a
// throttled link if one is given. Alternates between communication alone, computation alone, and computation during
// communication.
//   hidden share = (communication + computing − both) / the shorter of the two, by medians
//   computing loses = computing while communication is in flight / computing alone − 1
// Exits with code 1 if the hidden share is below --least-hidden.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/median.h"
#include "comm/communicator.h"
#include "comm/process_place.h"

namespace {

using namespace ddlbench;

struct Settings {
  std::int64_t bytes = 4 << 20;
  comm::Throttle throttle;
  int rounds = 9;
  double least_hidden = 0;
};

double since(comm::Clock::time_point begun) {
  return std::chrono::duration<double>(comm::Clock::now() - begun).count();
}

/// Computes in registers and the first-level cache, so that the memory bus is not the shared resource.
float compute(std::int64_t turns) {
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (float& value : values) value = value * 0.999f + 0.5f;
  }
  float sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

double compute_seconds(std::int64_t turns) {
  const auto begun = comm::Clock::now();
  const volatile float kept = compute(turns);
  const double seconds = since(begun);
  return kept >= 0 ? seconds : -seconds;  // a sum of positive numbers: the sign never changes, but the result is used
}

struct Result {
  double hidden = 0;
  double lost = 0;
};

Result measure(comm::Communicator& communicator, const Settings& settings) {
  std::vector<float> gradients(static_cast<std::size_t>(settings.bytes / 4), 0.0f);
  const comm::OperationPtr sum = communicator.all_reduce(
      {gradients.data(), gradients.data(), settings.bytes / 4, graph::DType::f32, {}, {}, nullptr, "gradients"});
  const comm::OperationPtr barrier = communicator.barrier();
  const auto communicate = [&] {
    comm::run(barrier);
    const auto begun = comm::Clock::now();
    comm::run(sum);
    return since(begun);
  };
  communicate();
  double target = communicate();
  constexpr std::int64_t sample_turns = 1'000'000;
  std::int64_t turns = static_cast<std::int64_t>(target / compute_seconds(sample_turns) * sample_turns) + 1;
  comm::run(communicator.broadcast({&turns, 1, graph::DType::i64, 0, "turns"}));

  std::vector<double> alone, computing, both, beside;
  for (int round = 0; round < settings.rounds; ++round) {
    alone.push_back(communicate());
    comm::run(barrier);
    computing.push_back(compute_seconds(turns));
    comm::run(barrier);
    const auto begun = comm::Clock::now();
    sum->start();
    beside.push_back(compute_seconds(turns));
    sum->wait();
    both.push_back(since(begun));
  }
  const double a = median(alone), c = median(computing), b = median(both), w = median(beside);
  const Result result{(a + c - b) / std::min(a, c), w / c - 1};
  if (communicator.rank() == 0) {
    std::printf(
        "%s, %d ranks, %lld bytes: communication %.2f ms, computing %.2f ms, both %.2f ms: %.1f %% hidden; computing "
        "loses %.1f %%\n",
        communicator.transport().c_str(), communicator.size(), static_cast<long long>(settings.bytes), a * 1e3, c * 1e3,
        b * 1e3, result.hidden * 100, result.lost * 100);
    std::fflush(stdout);
  }
  return result;
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("How much of an all-reduce hides behind computing");
  app.add_option("--bytes", settings.bytes, "Bytes of the tensor")
      ->check(CLI::Range(std::int64_t{4}, std::int64_t{1} << 30));
  app.add_option("--latency", settings.throttle.latency_seconds, "Latency of the throttled link, in seconds");
  app.add_option("--bytes-per-second", settings.throttle.bytes_per_second, "Rate of the throttled link");
  app.add_option("--rounds", settings.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--least-hidden", settings.least_hidden, "Exit with 1 if a smaller share of the all-reduce is hidden");
  CLI11_PARSE(app, argc, argv);
  const auto place = comm::process_place();
  const comm::Transport& transport = comm::find_transport(place ? "mpi" : "threads");
  bool enough = true;
  transport.launch(place ? place->size : 2, {std::chrono::seconds(60), settings.throttle},
                   [&](comm::Communicator& communicator) {
                     const Result result = measure(communicator, settings);
                     if (communicator.rank() == 0) enough = result.hidden >= settings.least_hidden;
                   });
  return enough ? 0 : 1;
}
