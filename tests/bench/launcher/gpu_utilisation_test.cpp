#include "bench/launcher/gpu_utilisation.h"

#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::vector<kernels::GpuInfo> three_gpus() {
  std::vector<kernels::GpuInfo> gpus(3);
  gpus[0].pci_bus_id = "0000:01:00.0";
  gpus[1].pci_bus_id = "0000:02:00.0";
  gpus[2].pci_bus_id = "0000:03:00.0";
  return gpus;
}

}  // namespace

TEST_CASE("a case's GPUs are those that its ranks are assigned to") {
  Devices devices;
  CHECK(gpus_of_case(devices, 2, three_gpus()).empty());
  devices.derived.is_accelerator = true;
  CHECK(gpus_of_case(devices, 2, three_gpus()) == std::vector<std::string>{"0000:01:00.0", "0000:02:00.0"});
  CHECK(gpus_of_case(devices, 8, three_gpus()).size() == 3);
  CHECK(gpus_of_case(devices, 8, {}).empty());
}

TEST_CASE("GPU utilisation is averaged, and memory and power are summed") {
  UtilisationRecord record;
  note_gpus({{0.5, 100, 300.0}, {1.0, 50, 200.5}}, record);
  CHECK(record.gpu_utilisation_ratio == 0.75);
  CHECK(record.gpu_memory_bytes == 150);
  CHECK(record.gpu_power_watts == 500.5);
}

TEST_CASE("a value that one of the GPUs does not report is empty and not 0") {
  UtilisationRecord record;
  note_gpus({{0.5, 100, 300.0}, {{}, 50, {}}}, record);
  CHECK_FALSE(record.gpu_utilisation_ratio.has_value());
  CHECK(record.gpu_memory_bytes == 150);
  CHECK_FALSE(record.gpu_power_watts.has_value());
  note_gpus({}, record);
  CHECK_FALSE(record.gpu_memory_bytes.has_value());
  note_gpus(platform::Nvml("/nowhere/libnvidia-ml.so.1").sample({"0000:01:00.0"}), record);
  CHECK_FALSE(record.gpu_memory_bytes.has_value());
}
