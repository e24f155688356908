#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/dnn/plan.h"

/// cuDNN's plans for GPUs that need not be present.
namespace ddlbench::test {

/// Returns the target of plans for "sm80" (A100) or "sm90" (H200), see kernels/cuda/planning_device.h.
std::shared_ptr<kernels::cuda::Dnn> planner(const std::string& architecture);

/// Makes a plan of the first configuration that supports one. Returns "" on success, otherwise why it failed.
std::string try_to_plan(const kernels::cuda::Dnn& dnn, const kernels::cuda::dnn::Graph& graph, bool tensor_cores);

/// Returns whether `why` is that an engine was compiled but there is no such GPU to load it into: no GPU, or another.
bool compiled_but_not_loaded(const std::string& why);

}  // namespace ddlbench::test
