// Compares collectives and messages of each transport and algorithm with MPI's own calls, alternating within one run:
//   mpiexec -n RANKS build/bench/micro_comm_mpi [ROUNDS [OPERATION]]
// Prints medians over the rounds, and the median of the ratios within a round: the time of MPI's blocking call over
// ours, and that of its nonblocking call, completed by MPI_Test and sched_yield, over ours. Above 1, ours is faster.
// Transport `threads` runs as many ranks in the process of rank 0 while the other processes sleep. Sizes are of the
// whole tensor.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/median.h"
#include "comm/communicator.h"
#include "comm/process_place.h"
#include "graph/tensor.h"

namespace {

using namespace ddlbench;
using Seconds = std::chrono::duration<double>;

constexpr const char* blocking = "MPI blocking";
constexpr const char* test_and_yield = "MPI test+yield";

/// One implementation of an operation, ready to be timed.
struct Implementation {
  std::string name;
  std::function<void()> once;
};

void wait_with_yield(MPI_Request request) {
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) sched_yield();
}

/// The memory and the operations for one size, on one rank.
class Operands {
 public:
  Operands(comm::Communicator& communicator, std::int64_t bytes)
      : communicator_(communicator), count_(bytes / 4), whole_(elements(count_), 0.0f), part_(elements(count_), 0.0f) {
    for (int i = 0; i < communicator.size(); ++i) {
      parts_.push_back(graph::part_of(count_, communicator.size(), i).size());
    }
  }

  std::vector<Implementation> ours(const std::string& what) {
    std::vector<Implementation> all;
    const std::string prefix = communicator_.transport() + " ";
    if (what == "send_receive") {
      add(all, prefix + "exchange", exchange());
      return all;
    }
    const auto kind = kinds.at(what);
    for (const collectives::Algorithm algorithm : communicator_.algorithms(kind)) {
      add(all, prefix + algorithm.name(), collective(kind, algorithm));
    }
    return all;
  }

  std::vector<Implementation> plain(const std::string& what) {
    const int rank = communicator_.rank();
    const int size = communicator_.size();
    const int count = static_cast<int>(count_);
    for (const std::int64_t part : parts_) {
      offsets_.push_back(offsets_.empty() ? 0 : offsets_.back() + counts_.back());
      counts_.push_back(static_cast<int>(part));
    }
    const int own = counts_[static_cast<std::size_t>(rank)];
    float* whole = whole_.data();
    float* part = part_.data();
    const auto later = [](const auto& start) {
      return [start] {
        MPI_Request request = MPI_REQUEST_NULL;
        start(&request);
        wait_with_yield(request);
      };
    };
    const MPI_Comm world = MPI_COMM_WORLD;
    if (what == "all_reduce") {
      return {{blocking, [=] { MPI_Allreduce(MPI_IN_PLACE, whole, count, MPI_FLOAT, MPI_SUM, world); }},
              {test_and_yield, later([=](MPI_Request* request) {
                 MPI_Iallreduce(MPI_IN_PLACE, whole, count, MPI_FLOAT, MPI_SUM, world, request);
               })}};
    }
    if (what == "reduce_scatter") {
      return {{blocking, [=, this] { MPI_Reduce_scatter(whole, part, counts_.data(), MPI_FLOAT, MPI_SUM, world); }},
              {test_and_yield, later([=, this](MPI_Request* request) {
                 MPI_Ireduce_scatter(whole, part, counts_.data(), MPI_FLOAT, MPI_SUM, world, request);
               })}};
    }
    if (what == "all_gather") {
      return {{blocking,
               [=, this] {
                 MPI_Allgatherv(part, own, MPI_FLOAT, whole, counts_.data(), offsets_.data(), MPI_FLOAT, world);
               }},
              {test_and_yield, later([=, this](MPI_Request* request) {
                 MPI_Iallgatherv(part, own, MPI_FLOAT, whole, counts_.data(), offsets_.data(), MPI_FLOAT, world,
                                 request);
               })}};
    }
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    return {{blocking,
             [=] {
               MPI_Sendrecv(whole, count, MPI_FLOAT, next, 0, part, count, MPI_FLOAT, previous, 0, world,
                            MPI_STATUS_IGNORE);
             }},
            {test_and_yield, [=] {
               MPI_Request receive = MPI_REQUEST_NULL;
               MPI_Request send = MPI_REQUEST_NULL;
               MPI_Irecv(part, count, MPI_FLOAT, previous, 0, world, &receive);
               MPI_Isend(whole, count, MPI_FLOAT, next, 0, world, &send);
               wait_with_yield(receive);
               wait_with_yield(send);
             }}};
  }

 private:
  static std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }
  inline static const std::map<std::string, graph::Collective> kinds{
      {"all_reduce", graph::Collective::all_reduce},
      {"reduce_scatter", graph::Collective::reduce_scatter},
      {"all_gather", graph::Collective::all_gather}};

  comm::OperationPtr exchange() {
    const int size = communicator_.size();
    const int next = (communicator_.rank() + 1) % size;
    const int previous = (communicator_.rank() + size - 1) % size;
    return communicator_.exchange({{whole_.data(), 4 * count_, next}}, {{part_.data(), 4 * count_, previous}}, "");
  }

  comm::OperationPtr collective(graph::Collective kind, collectives::Algorithm algorithm) {
    const auto f32 = graph::DType::f32;
    if (kind == graph::Collective::all_reduce) {
      return communicator_.all_reduce({whole_.data(), whole_.data(), count_, f32, {}, algorithm, nullptr, ""});
    }
    if (kind == graph::Collective::reduce_scatter) {
      return communicator_.reduce_scatter({whole_.data(), part_.data(), parts_, f32, {}, nullptr, "", algorithm});
    }
    return communicator_.all_gather({part_.data(), whole_.data(), parts_, f32, {}, nullptr, "", algorithm});
  }

  static void add(std::vector<Implementation>& all, const std::string& name, comm::OperationPtr operation) {
    std::shared_ptr<comm::Operation> shared = std::move(operation);
    all.push_back({name, [shared] {
                     shared->start();
                     shared->wait();
                   }});
  }

  comm::Communicator& communicator_;
  std::int64_t count_;
  std::vector<float> whole_, part_;
  std::vector<std::int64_t> parts_;
  std::vector<int> counts_, offsets_;
};

int repeats(std::int64_t bytes) {
  return bytes < 100'000 ? 20 : bytes < 5'000'000 ? 5 : 2;
}

double seconds_of(comm::Communicator& communicator, const Implementation& implementation, int times) {
  comm::run(communicator.barrier());
  const auto begun = comm::Clock::now();
  for (int i = 0; i < times; ++i) implementation.once();
  return Seconds(comm::Clock::now() - begun).count() / times;
}

using Series = std::map<std::string, std::vector<double>>;  ///< by implementation, then by round

double ratio(const Series& series, const std::string& theirs, const std::vector<double>& ours) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(series.at(theirs)[i] / ours[i]);
  return median(ratios);
}

void compare(comm::Communicator& world, const std::string& what, std::int64_t bytes, int rounds) {
  Operands operands(world, bytes);
  std::vector<Implementation> implementations = operands.plain(what);
  for (Implementation& one : operands.ours(what)) implementations.push_back(std::move(one));
  Series series;
  const int times = repeats(bytes);
  for (int round = -1; round < rounds; ++round) {
    for (const Implementation& implementation : implementations) {
      const double seconds = seconds_of(world, implementation, times);
      if (round >= 0) series[implementation.name].push_back(seconds);
    }
    if (world.rank() != 0) continue;
    comm::find_transport("threads").launch(world.size(), {}, [&](comm::Communicator& threads) {
      Operands own(threads, bytes);
      for (const Implementation& implementation : own.ours(what)) {
        seconds_of(threads, implementation, 1);  // touch the new memory first
        const double seconds = seconds_of(threads, implementation, times);
        if (round >= 0 && threads.rank() == 0) series[implementation.name].push_back(seconds);
      }
    });
  }
  if (world.rank() != 0) return;
  for (const auto& [name, seconds] : series) {
    const double middle = median(seconds);
    std::printf("%-15s %9lld  %-26s %10.1f %9.2f %9.2f %9.2f\n", what.c_str(), static_cast<long long>(bytes),
                name.c_str(), middle * 1e6, static_cast<double>(bytes) / middle * 1e-9,
                ratio(series, blocking, seconds), ratio(series, test_and_yield, seconds));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string only = argc > 2 ? argv[2] : "";
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const int size = comm::process_place().value_or(comm::ProcessPlace{}).size;
  if (rounds < 1 || size < 2) {
    std::fprintf(stderr, "usage: mpiexec -n RANKS %s [ROUNDS [OPERATION]], of two ranks or more\n", argv[0]);
    return 2;
  }
  comm::find_transport("mpi").launch(size, {}, [&](comm::Communicator& world) {
    if (world.rank() == 0) {
      std::printf("%d ranks, %d rounds; medians\n%-15s %9s  %-26s %10s %9s %9s %9s\n", size, rounds, "operation",
                  "bytes", "by", "µs", "GB/s", "x block.", "x polite");
    }
    for (const char* what : {"all_reduce", "reduce_scatter", "all_gather", "send_receive"}) {
      if (!only.empty() && only != what) continue;
      for (const std::int64_t bytes : {4 << 10, 64 << 10, 1 << 20, 25'000'000}) compare(world, what, bytes, rounds);
    }
  });
  return 0;
}
