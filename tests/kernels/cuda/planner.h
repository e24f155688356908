#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/dnn/plan.h"

/// cuDNN's plans for GPUs that need not be there.
namespace ddlbench::test {

/// "sm80" (A100) or "sm90" (H200): kernels/cuda/planning_device.h.
std::shared_ptr<kernels::cuda::Dnn> planner(const std::string& architecture);

/// The first configuration of which a plan can be made. "" where there is one; else why not.
std::string try_to_plan(const kernels::cuda::Dnn& dnn, const kernels::cuda::dnn::Graph& graph, bool tensor_cores);

/// Whether `why` is that an engine was compiled and that there is no such GPU to load it into.
bool compiled_but_not_loaded(const std::string& why);

}  // namespace ddlbench::test
