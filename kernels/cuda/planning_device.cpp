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

/// Loads the CUDA toolkit's stub of the driver if there is no driver. Engines that are compiled during planning load
/// the driver by name, and the stub has that name once it is loaded.
void load_driver_stub() {
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;
  Dl_info runtime{};
  if (dladdr(reinterpret_cast<void*>(&cudaRuntimeGetVersion), &runtime) == 0) return;
  const auto library = std::filesystem::canonical(runtime.dli_fname);
  dlopen((library.parent_path() / "stubs/libcuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

class PlanningDevice final : public HostDevice {
 public:
  PlanningDevice(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned on_planned) {
    context_.gpu = gpu.name;
    context_.tf32 = options.tf32;
    context_.deterministic = options.deterministic;
    context_.winograd = options.winograd;
    context_.max_workspace_bytes = max_workspace_bytes(gpu.memory_bytes);
    context_.multiprocessors = gpu.multiprocessors;
    context_.compute_capability = gpu.compute_capability;
    context_.shared_bytes_per_block = static_cast<std::size_t>(gpu.shared_bytes_per_block);
    context_.dnn = make_planner(gpu);
    context_.blas = std::make_shared<Blas>();
    context_.planned = std::move(on_planned);
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

std::unique_ptr<Device> make_planning_device(const KnownGpu& gpu, const DeviceOptions& options, OnPlanned on_planned) {
  return std::make_unique<PlanningDevice>(gpu, options, std::move(on_planned));
}

std::shared_ptr<Dnn> make_planner(const KnownGpu& gpu) {
  load_driver_stub();
  return dnn::make_planner(gpu.json());
}

}  // namespace ddlbench::kernels::cuda
