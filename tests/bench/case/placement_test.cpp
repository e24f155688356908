#include "bench/case/placement.h"

#include <thread>

#include "bench/case/device_options.h"
#include "bench/case/memory.h"
#include "catch.h"
#include "contains.h"
#include "environment_variable.h"
#include "platform/bound_cores.h"
#include "small_case.h"
#include "strategies/strategy.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::contains;

namespace {

Devices over_nccl(int seen) {
  Devices devices;
  devices.kind = "cuda";
  devices.transport = "threads";
  devices.derived.channel = "nccl";
  devices.derived.is_accelerator = true;
  devices.derived.seen = seen;
  return devices;
}

/// Returns the devices of four ranks as if these were assigned to `gpus` GPUs round-robin, as rank 0 sees them.
std::vector<PlacedDevice> place_four(const Devices& devices, int gpus) {
  std::vector<PlacedDevice> placed;
  comm::find_transport("threads").launch(4, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {});
    const std::string identity = "GPU-" + std::to_string(communicator.rank() % gpus);
    const auto found = placed_devices(devices, identity, *device, communicator);
    if (communicator.rank() == 0) placed = found;
  });
  return placed;
}

}  // namespace

TEST_CASE("NCCL needs a GPU per rank, links without throttle and its own collectives") {
  CHECK(why_unplaced(over_nccl(1), 1).empty());
  CHECK(why_unplaced(over_nccl(4), 4).empty());
  CHECK(
      why_unplaced(over_nccl(1), 4) ==
      "NCCL needs a GPU for each rank: 4 ranks are requested, but only 1 GPU is visible; use transport threads, whose "
      "ranks may share a GPU");
  Devices processes = over_nccl(1);
  processes.transport = "mpi";
  CHECK(why_unplaced(processes, 4).empty());
  Devices slow = over_nccl(4);
  slow.throttle.link.latency_seconds = 1e-3;
  CHECK(contains(why_unplaced(slow, 4), "devices/throttle"));
  CHECK(why_unplaced(slow, 1).empty());
  Devices ring = over_nccl(4);
  ring.collectives = "ring";
  CHECK(contains(why_unplaced(ring, 4), "devices/collectives is ring; use auto or native"));
  ring.derived.channel.clear();
  CHECK(why_unplaced(ring, 4).empty());
}

TEST_CASE("ranks that see the same GPU share it") {
  Devices devices = over_nccl(2);
  devices.derived.channel.clear();
  const auto placed = place_four(devices, 2);
  REQUIRE(placed.size() == 2);
  CHECK(placed[0].identity == "GPU-0");
  CHECK(placed[0].ranks == std::vector<int>{0, 2});
  CHECK(placed[1].ranks == std::vector<int>{1, 3});
  CHECK(any_shared(placed));
  CHECK(names_of(placed) == kernels::make_device("reference", {})->description());
  CHECK_FALSE(any_shared(place_four(devices, 4)));
  devices.derived.is_accelerator = false;
  CHECK(place_four(devices, 2).empty());
}

TEST_CASE("ranks that share a GPU over NCCL are unsupported") {
  CHECK(place_four(over_nccl(4), 4).size() == 4);
  CHECK_THROWS_AS(place_four(over_nccl(4), 2), strategies::Unsupported);
}

TEST_CASE("a device that this process does not see is identified by its ordinal") {
  CHECK(device_identity(1000) != device_identity(1001));
  CHECK(contains(device_identity(1000), " device 1000"));
}

TEST_CASE("names_of joins the distinct names of devices") {
  CHECK(names_of({{"GPU-1", "A", {0}, 0}, {"GPU-2", "B", {1}, 0}, {"GPU-3", "A", {2}, 0}}) == "A | B");
}

TEST_CASE("a rank on the host's cores has ordinal 0") {
  Experiment experiment;
  experiment.devices.kind = "cpu";
  experiment.devices.transport = "threads";
  const kernels::DeviceOptions options = device_options(experiment, 5, 3);
  CHECK(options.threads == 3);
  CHECK(options.ordinal == 0);
  CHECK_FALSE(options.tf32);
  CHECK(options.deterministic);
  CHECK(options.winograd);
}

TEST_CASE("every kind of device receives the options for algorithms") {
  Experiment experiment;
  experiment.devices.kind = "reference";
  experiment.devices.transport = "threads";
  experiment.devices.deterministic = experiment.devices.winograd = false;
  for (const bool is_accelerator : {false, true}) {
    experiment.devices.derived.is_accelerator = is_accelerator;
    CHECK_FALSE(device_options(experiment, 0, 1).deterministic);
    CHECK_FALSE(device_options(experiment, 0, 1).winograd);
  }
}

TEST_CASE("ranks share a device with memory of its own if there is only one") {
  // The host's kinds of devices count one device each, which all ranks share.
  Experiment experiment;
  experiment.devices.kind = "reference";
  experiment.devices.transport = "threads";
  experiment.devices.derived.is_accelerator = true;
  experiment.training.precision = "tf32";
  CHECK(device_options(experiment, 3, 1).ordinal == 0);
  CHECK(device_options(experiment, 3, 1).tf32);
}

TEST_CASE("if no GPU is seen, only the configuration's memory limit applies") {
  Devices devices = over_nccl(0);
  devices.memory_bytes = 1000;
  CHECK(contains(why_too_large_apart({500, 2000}, devices), "rank 1 needs"));
  CHECK_FALSE(memory_limits(devices).machine_bytes > 0);
}

TEST_CASE("a rank is bound to its own cores, unless OMP_PROC_BIND is false") {
  const test::EnvironmentVariable binding("OMP_PROC_BIND", {});
  const SmallCase small("ddp", 2);
  const Setup setup = prepare(small.experiment, small.which);
  const auto cores_of = [&](int rank) {
    std::vector<int> cores;
    std::thread([&] {
      const platform::BoundCores bound = bind_rank(setup, rank, 2, 1);
      cores = platform::allowed_cores();
    }).join();
    return cores;
  };
  CHECK(cores_of(0) == std::vector<int>{setup.cores.front()});
  CHECK(cores_of(1) == std::vector<int>{setup.cores[1 % setup.cores.size()]});
  for (const char* no : {"false", "FALSE"}) {
    const test::EnvironmentVariable disabled("OMP_PROC_BIND", no);
    CHECK(cores_of(1) == setup.cores);
  }
}
