#include "kernels/cuda/planning_device.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>

#include "kernels/cuda/all_kernels.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/dnn/handle.h"
#include "kernels/host_device.h"

namespace ddlbench::kernels::cuda {
namespace {

/// Engines that are compiled when they are planned ask for the driver by its name; the toolkit's stand-in has that
/// name, once it is loaded.
void lend_driver() {
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;
  Dl_info runtime{};
  if (dladdr(reinterpret_cast<void*>(&cudaRuntimeGetVersion), &runtime) == 0) return;
  const auto library = std::filesystem::canonical(runtime.dli_fname);
  dlopen((library.parent_path() / "stubs/libcuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

class PlanningDevice final : public HostDevice {
 public:
  PlanningDevice(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned told) {
    context_.gpu = gpu.name;
    context_.tf32 = options.tf32;
    context_.deterministic = options.deterministic;
    context_.winograd = options.winograd;
    context_.most_workspace_bytes = most_workspace_bytes(gpu.memory_bytes);
    context_.multiprocessors = gpu.multiprocessors;
    context_.compute_capability = gpu.compute_capability;
    context_.shared_bytes_per_block = static_cast<std::size_t>(gpu.shared_bytes_per_block);
    context_.dnn = make_planner(gpu);
    context_.blas = std::make_shared<Blas>();
    context_.planned = std::move(told);
  }

  std::string kind() const override { return "cuda"; }
  std::string description() const override { return context_.gpu + ", planned without one"; }
  bool binds_by_alignment() const override { return true; }
  std::unique_ptr<Kernel> bind(const Binding& binding) override { return table_.bind(binding); }

 private:
  Context context_;
  KernelTable table_ = all_kernels(context_);
};

}  // namespace

std::unique_ptr<Device> make_planning_device(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned told) {
  return std::make_unique<PlanningDevice>(gpu, options, std::move(told));
}

std::shared_ptr<Dnn> make_planner(const KnownGpu& gpu) {
  lend_driver();
  return dnn::make_planner(gpu.json());
}

}  // namespace ddlbench::kernels::cuda
