// Compares collectives and messages of each transport and algorithm with MPI's own calls and, if the build has gloo,
// with gloo's own all-reduce, alternating within one run:
//   mpiexec -n RANKS build/bench/micro_comm_mpi [ROUNDS [OPERATION]]
// Prints medians over the rounds in the terms of nccl-tests: algorithm bandwidth is the whole tensor's bytes over time;
// bus bandwidth is that times 2(n − 1)/n for an all-reduce, (n − 1)/n for a reduce-scatter or all-gather, and 1 for
// send_receive, comparable between numbers of ranks. Also prints the median of the ratios within a round: the time of
// MPI's blocking call over ours, and that of its nonblocking call, completed by MPI_Test and sched_yield, over ours.
// Above 1, ours is faster. Transport `threads` runs as many ranks in the process of rank 0 while the other processes
// sleep.

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#ifdef DDLBENCH_GLOO
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/transport/tcp/device.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/median.h"
#include "comm/communicator.h"
#include "comm/gloo/gloo.h"
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

/// gloo's own all-reduce, over connections of its own.
class PlainGloo {
 public:
#ifdef DDLBENCH_GLOO
  PlainGloo(const std::string& folder, comm::ProcessPlace place) : files_(folder), store_("plain", files_) {
    auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("127.0.0.1"));
    context_ = std::make_shared<gloo::rendezvous::Context>(place.rank, place.size);
    context_->connectFullMesh(store_, device);
  }

  std::vector<Implementation> all_reduce(float* data, std::int64_t count) {
    std::vector<Implementation> all;
    using Algorithm = gloo::AllreduceOptions::Algorithm;
    for (const auto& [name, algorithm] :
         {std::pair("gloo's own ring", Algorithm::RING), std::pair("gloo's own bcube", Algorithm::BCUBE)}) {
      auto options = std::make_shared<gloo::AllreduceOptions>(context_);
      options->setOutput(data, static_cast<std::size_t>(count));
      options->setAlgorithm(algorithm);
      options->setReduceFunction([](void* to, const void* one, const void* other, std::size_t elements) {
        gloo::sum<float>(to, one, other, elements);
      });
      all.push_back({name, [options] { gloo::allreduce(*options); }});
    }
    return all;
  }

 private:
  gloo::rendezvous::FileStore files_;
  gloo::rendezvous::PrefixStore store_;
  std::shared_ptr<gloo::rendezvous::Context> context_;
#else
  PlainGloo(const std::string&, comm::ProcessPlace) {}
  std::vector<Implementation> all_reduce(float*, std::int64_t) {
    return {};
  }
#endif
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

  std::vector<Implementation> plain(const std::string& what, PlainGloo& gloo) {
    std::vector<Implementation> all = plain_mpi(what);
    if (what != "all_reduce") return all;
    for (Implementation& one : gloo.all_reduce(whole_.data(), count_)) all.push_back(std::move(one));
    return all;
  }

 private:
  std::vector<Implementation> plain_mpi(const std::string& what) {
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

double bus_factor(const std::string& what, int ranks) {
  const double share = static_cast<double>(ranks - 1) / ranks;
  return what == "all_reduce" ? 2 * share : what == "send_receive" ? 1 : share;
}

/// The transports between the processes, and plain gloo.
struct Transports {
  comm::Communicator& mpi;
  comm::Communicator* gloo;  ///< null if the build has none
  PlainGloo& plain_gloo;
};

void compare(const Transports& transports, const std::string& what, std::int64_t bytes, int rounds) {
  comm::Communicator& world = transports.mpi;
  Operands operands(world, bytes);
  std::vector<Implementation> implementations = operands.plain(what, transports.plain_gloo);
  for (Implementation& one : operands.ours(what)) implementations.push_back(std::move(one));
  std::optional<Operands> over_gloo;
  if (transports.gloo != nullptr) {
    over_gloo.emplace(*transports.gloo, bytes);
    for (Implementation& one : over_gloo->ours(what)) implementations.push_back(std::move(one));
  }
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
    const double gigabytes = static_cast<double>(bytes) / middle * 1e-9;
    std::printf("%-15s %9lld  %-26s %10.1f %9.2f %9.2f %9.2f %9.2f\n", what.c_str(), static_cast<long long>(bytes),
                name.c_str(), middle * 1e6, gigabytes, gigabytes * bus_factor(what, world.size()),
                ratio(series, blocking, seconds), ratio(series, test_and_yield, seconds));
  }
  std::fflush(stdout);
}

void compare_all(const Transports& transports, const std::string& only, int rounds) {
  const comm::Communicator& world = transports.mpi;
  if (world.rank() == 0) {
    std::printf("%d ranks, %d rounds; medians\n%-15s %9s  %-26s %10s %9s %9s %9s %9s\n", world.size(), rounds,
                "operation", "bytes", "by", "µs", "alg GB/s", "bus GB/s", "x block.", "x polite");
  }
  for (const char* what : {"all_reduce", "reduce_scatter", "all_gather", "send_receive"}) {
    if (!only.empty() && only != what) continue;
    for (const std::int64_t bytes : {4 << 10, 64 << 10, 1 << 20, 25'000'000}) compare(transports, what, bytes, rounds);
  }
}

/// Makes a folder through which the processes find each other over TCP, the same on all ranks.
std::string common_folder(comm::Communicator& world) {
  std::string path = (std::filesystem::temp_directory_path() / "micro-comm-XXXXXX").string();
  if (world.rank() == 0 && ::mkdtemp(path.data()) == nullptr) {
    std::perror(path.c_str());
    std::exit(1);
  }
  comm::run(world.broadcast({path.data(), static_cast<std::int64_t>(path.size()), graph::DType::u8, 0, "folder"}));
  return path;
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
    const std::string folder = common_folder(world);
    PlainGloo plain_gloo(folder, {world.rank(), size});
    if (!comm::gloo::available()) {
      compare_all({world, nullptr, plain_gloo}, only, rounds);
    } else {
      ::setenv(comm::gloo::rendezvous_variable, folder.c_str(), 1);
      comm::gloo::launch(size, {}, [&](comm::Communicator& gloo) {
        compare_all({world, &gloo, plain_gloo}, only, rounds);
      });
    }
    if (world.rank() == 0) std::filesystem::remove_all(folder);
  });
  return 0;
}
