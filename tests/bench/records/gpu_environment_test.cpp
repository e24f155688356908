#include "bench/records/gpu_environment.h"

#include "bench/records/environment.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("the environment lists every GPU with its peer access") {
  kernels::CudaInfo cuda;
  cuda.driver = "580.65.06";
  cuda.libraries = {{"cuDNN", "9.19.0", "9.20.0"}};
  kernels::GpuInfo gpu;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-1";
  gpu.pci_bus_id = "0000:65:00.0";
  gpu.compute_capability = 90;
  gpu.memory_bytes = 1 << 20;
  gpu.numa_node = 1;
  gpu.peer_access = {true, true};
  cuda.gpus = {gpu, gpu};
  cuda.gpus[1].peer_access = {false, true};
  comm::NcclState nccl;
  nccl.built = "2.28.9";
  nccl.why_not = "no library";

  const nlohmann::json found = describe_gpus(cuda, nccl);
  CHECK(found.at("cuda_unusable").is_null());
  CHECK(found.at("nccl_unusable") == "no library");
  CHECK(found.at("driver") == "580.65.06");
  CHECK(found.at("driver_cuda").is_null());
  REQUIRE(found.at("gpus").size() == 2);
  const nlohmann::json& first = found.at("gpus").at(0);
  CHECK(first.at("compute_capability") == "9.0");
  CHECK(first.at("numa_node") == 1);
  CHECK(first.at("nvlinks").is_null());
  CHECK(first.at("peer_access") == nlohmann::json{1});
  CHECK(found.at("gpus").at(1).at("peer_access") == nlohmann::json::array());
  CHECK(found.at("gpus").at(1).at("ordinal") == 1);

  const nlohmann::json libraries = gpu_libraries(cuda, nccl);
  CHECK(libraries.at("cuDNN") == nlohmann::json{{"built", "9.19.0"}, {"loaded", "9.20.0"}});
  CHECK(libraries.at("NCCL") == nlohmann::json{{"built", "2.28.9"}, {"loaded", nullptr}});
}

TEST_CASE("without GPUs the environment says why") {
  kernels::CudaInfo cuda;
  cuda.why_unusable = "no NVIDIA driver";
  const nlohmann::json found = describe_gpus(cuda, {});
  CHECK(found.at("cuda_unusable") == "no NVIDIA driver");
  CHECK(found.at("gpus").empty());
  CHECK(gpu_libraries(cuda, {}).empty());
  CHECK(describe_environment().at("libraries").contains("MPI"));
}
