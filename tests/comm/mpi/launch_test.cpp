// Behaviour that is specific to ranks in processes.

#include <csignal>
#include <thread>

#include <unistd.h>

#include "../support.h"
#include "base/error.h"
#include "catch.h"
#include "comm/mpi/mpi.h"
#include "comm/process_place.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

TEST_CASE("a launch of fewer ranks does not run its body in the other processes") {
  const Transport& mpi = find_transport("mpi");
  const ProcessPlace place = process_place().value();
  for (int ranks = 1; ranks <= place.size; ++ranks) {
    bool ran = false;
    mpi.launch(ranks, {}, [&](Communicator& communicator) {
      ran = true;
      expect(communicator.rank() == place.rank && communicator.size() == ranks, "the rank of the process");
      run(communicator.barrier());
    });
    CHECK(ran == (place.rank < ranks));
  }
}

TEST_CASE("a launch of more ranks than processes is rejected with both numbers") {
  const int size = process_place().value().size;
  try {
    find_transport("mpi").launch(size + 3, {}, [](Communicator&) {});
    FAIL("no exception");
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK(what.find(std::to_string(size + 3) + " ranks") != std::string::npos);
    CHECK(what.find("started " + std::to_string(size) + " process") != std::string::npos);
  }
}

TEST_CASE("MPI reports the same support for GPU buffers in all processes") {
  const int size = process_place().value().size;
  find_transport("mpi").launch(size, {}, [](Communicator& communicator) {
    std::int32_t takes = mpi::takes_device_memory() ? 1 : 0;
    const std::int32_t own = takes;
    run(communicator.all_reduce({&takes, &takes, 1, graph::DType::i32, graph::Reduction::max, {}, nullptr, ""}));
    expect(takes == own, "the same answer");
  });
}

TEST_CASE("the threads transport also works in processes started by a launcher") {
  int sum = 0;
  find_transport("threads").launch(2, {}, [&](Communicator& communicator) {
    std::int32_t one = 1;
    run(communicator.all_reduce({&one, &one, 1, graph::DType::i32, {}, {}, nullptr, ""}));
    if (communicator.rank() == 0) sum = one;
  });
  CHECK(sum == 2);
}

TEST_CASE("a launch waits for a rank that is busy longer than the timeout, as long as it answers pings", "[F2]") {
  const int size = process_place().value().size;
  if (process_place()->rank == size - 1) std::this_thread::sleep_for(std::chrono::milliseconds(2600));
  find_transport("mpi").launch(size, {std::chrono::seconds(1)},
                               [](Communicator& communicator) { run(communicator.barrier()); });
}

TEST_CASE("a stopped process is named by all ranks that wait for it, directly or indirectly", "[3-ranks]") {
  REQUIRE(process_place().value().size == 3);
  const Transport& mpi = find_transport("mpi");
  std::vector<int> blamed(3, -2);
  try {
    mpi.launch(3, {std::chrono::seconds(1)}, [&](Communicator& communicator) {
      std::vector<std::int64_t> pids(3);
      const std::int64_t own = getpid();
      run(communicator.all_gather({&own, pids.data(), {1, 1, 1}, graph::DType::i64, {}, nullptr, ""}));
      const int rank = communicator.rank();
      std::int32_t value = 0;
      if (rank == 2) raise(SIGSTOP);
      if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));  // so that rank 0 times out first
      try {
        run(communicator.exchange({}, {{&value, 4, (rank + 1) % 3}}, "activation"));
      } catch (const CommunicationError& error) {
        blamed[static_cast<std::size_t>(rank)] = error.rank();
        if (rank == 0) kill(static_cast<pid_t>(pids[2]), SIGCONT);
        throw;
      }
    });
  } catch (const CommunicationError&) {
    CHECK(blamed[static_cast<std::size_t>(process_place().value().rank)] == 2);
  }
  blamed = from_every_rank(mpi, blamed);
  CHECK(blamed == std::vector<int>{2, 2, 2});
}
