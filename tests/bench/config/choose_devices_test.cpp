#include "bench/config/choose_devices.h"

#include "bench/config/contract.h"
#include "bench/config/expand.h"
#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

kernels::DeviceCount no_gpu() {
  return {0, "no NVIDIA driver"};
}
kernels::DeviceCount two_gpus() {
  return {2, ""};
}

Registries registries_with(kernels::DeviceCount (*count)(), std::string (*why_unusable)()) {
  Registries fakes = fake_registries();
  fakes.devices.push_back({"cuda", "GPUs.", nullptr, count});
  fakes.transport_choices.push_back({"nccl", "From GPU to GPU.", "threads", "nccl", why_unusable});
  return fakes;
}

Registries gpus(kernels::DeviceCount (*count)()) {
  return registries_with(count, [] { return std::string(); });
}

Experiment parse_with(const Registries& registries, const std::vector<std::string>& overrides) {
  return parse_experiment(valid_config, "small.json", overrides, registries);
}

std::string refusal(const Registries& registries, const std::vector<std::string>& overrides) {
  Experiment experiment = parse_with(registries, overrides);
  try {
    require_devices(experiment, choose_devices(experiment, registries));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("auto selects GPUs if there are any, and says so") {
  const Registries registries = gpus(two_gpus);
  Experiment experiment = parse_with(registries, {"/devices/kind=auto"});
  const ChosenDevices chosen = choose_devices(experiment, registries);
  CHECK(experiment.devices.kind == "cuda");
  CHECK(experiment.devices.derived.is_accelerator);
  CHECK(experiment.devices.derived.seen == 2);
  CHECK(chosen.message == "devices/kind auto: cuda, 2 devices found");
  CHECK(chosen.lacking.empty());
  CHECK(experiment.resolved.find("\"kind\": \"auto\"") != std::string::npos);
}

TEST_CASE("auto selects the cpu if there are no GPUs, and says why") {
  const Registries registries = gpus(no_gpu);
  Experiment experiment = parse_with(registries, {"/devices/kind=auto"});
  const ChosenDevices chosen = choose_devices(experiment, registries);
  CHECK(experiment.devices.kind == "cpu");
  CHECK_FALSE(experiment.devices.derived.is_accelerator);
  CHECK(experiment.devices.derived.seen == 0);
  CHECK(chosen.message == "devices/kind auto: cpu, because there is no usable GPU (cuda: no NVIDIA driver)");
  CHECK(chosen.lacking.empty());
}

TEST_CASE("a device kind whose library does not load is rejected, also by auto") {
  Registries registries = gpus(two_gpus);
  registries.devices.back().missing_library = [] { return std::string("cuBLASLt cannot be loaded"); };
  for (const char* kind : {"auto", "cuda"}) {
    CHECK(refusal(registries, {std::string("/devices/kind=") + kind})
              .find("cuda cannot be used here: cuBLASLt cannot be loaded") != std::string::npos);
  }
  CHECK(refusal(registries, {"/devices/kind=cpu"}).empty());
}

TEST_CASE("a named device kind is never replaced") {
  CHECK(refusal(gpus(no_gpu), {"/devices/kind=cuda"}) ==
        "--set /devices/kind=cuda: cuda cannot be used here: no NVIDIA driver");
  CHECK(refusal(gpus(two_gpus), {"/devices/kind=cuda"}).empty());
  Experiment cpu = parse_with(gpus(two_gpus), {});
  CHECK(choose_devices(cpu, gpus(two_gpus)).message.empty());
  CHECK(cpu.devices.kind == "cpu");
}

TEST_CASE("nccl and tf32 require GPUs") {
  const std::string nccl = "/devices/transport=nccl", tf32 = "/training/precision=tf32";
  CHECK(refusal(gpus(two_gpus), {nccl})
            .find("--set /devices/transport=nccl: nccl carries messages between GPUs, but devices/kind "
                  "is cpu; use threads or mpi") != std::string::npos);
  CHECK(refusal(gpus(two_gpus), {tf32}).find("--set /training/precision=tf32: tf32 is a mode of GPUs") !=
        std::string::npos);
  CHECK(refusal(gpus(two_gpus), {nccl, tf32, "/devices/kind=auto"}).empty());
  CHECK(refusal(gpus(no_gpu), {nccl, "/devices/kind=auto"}).find("--set /devices/transport=nccl") != std::string::npos);
  CHECK(refusal(gpus(no_gpu), {tf32, "/devices/kind=auto"}).find("--set /training/precision=tf32") !=
        std::string::npos);
  const Registries without = registries_with(two_gpus, [] { return std::string("built without NCCL"); });
  CHECK(refusal(without, {nccl, "/devices/kind=cuda"}) == "--set /devices/transport=nccl: built without NCCL");
}

TEST_CASE("nccl is a channel beside the transport that starts the ranks") {
  const Experiment experiment = parse_with(gpus(two_gpus), {"/devices/transport=nccl"});
  CHECK(experiment.devices.transport == "threads");
  CHECK(experiment.devices.derived.channel == "nccl");
  CHECK(experiment.devices.transport_choice() == "nccl");
  CHECK(parse_with(gpus(two_gpus), {}).devices.transport_choice() == "threads");
}

TEST_CASE("rows of GPUs and rows of processors have different contracts") {
  const auto contract = [](const std::vector<std::string>& overrides) {
    const Registries registries = gpus(two_gpus);
    Experiment experiment = parse_with(registries, overrides);
    choose_devices(experiment, registries);
    return contract_id(experiment, 64, 7);
  };
  const std::string cpu = contract({}), cuda = contract({"/devices/kind=cuda"});
  CHECK(cpu != cuda);
  CHECK(contract({"/devices/kind=auto"}) == cuda);
  CHECK(contract({"/devices/kind=cuda", "/training/precision=tf32"}) != cuda);
  CHECK(contract({"/devices/kind=cuda", "/devices/transport=nccl"}) == cuda);
}

TEST_CASE("a rank on a GPU uses one core, and a case says when ranks share a GPU") {
  const Registries registries = gpus(two_gpus);
  Experiment experiment = parse_with(registries, {"/devices/kind=cuda"});
  choose_devices(experiment, registries);
  const auto cases = expand(experiment, registries, 16);
  for (const Case& which : cases) {
    CHECK(which.threads_per_rank == 1);
    CHECK(which.shares_devices == (which.ranks > 2));
    CHECK_FALSE(which.oversubscribed);
  }
  CHECK(expand(experiment, registries, 2)[3].oversubscribed);
  experiment.variants[0].devices.threads_per_rank = 3;
  CHECK(expand(experiment, registries, 16)[0].threads_per_rank == 3);
  CHECK(expand(experiment, registries, 16).size() == cases.size());
}
