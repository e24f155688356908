#include "planner.h"

#include "kernels/cuda/planning_device.h"

namespace ddlbench::test {
std::shared_ptr<kernels::cuda::Dnn> planner(const std::string& architecture) {
  return kernels::cuda::make_planner(kernels::cuda::known_gpu(std::stoi(architecture.substr(2))));
}

std::string try_to_plan(const kernels::cuda::Dnn& dnn, const kernels::cuda::dnn::Graph& graph, bool tensor_cores) {
  using namespace kernels::cuda::dnn;
  std::string why = "no configuration";
  try {
    const Configurations configurations(dnn, graph, {.tensor_cores = tensor_cores});
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      try {
        const Plan plan(dnn, configurations[i]);
        return "";
      } catch (const DnnError& error) {
        why = error.what();
      }
      if (compiled_but_not_loaded(why)) break;
    }
  } catch (const DnnError& error) {
    why = error.what();
  }
  return why;
}

bool compiled_but_not_loaded(const std::string& why) {
  return why.find("cuLibraryLoadData") != std::string::npos || why.find("cuLibraryGetKernel") != std::string::npos;
}

}  // namespace ddlbench::test
