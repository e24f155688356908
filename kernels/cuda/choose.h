#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Whether a candidate computes on tensor cores, where that is known before it runs.
enum class TensorCores : std::uint8_t { no, yes, unknown };

/// One way to compute an op with a library.
struct KernelCandidate {
  std::string name;                               ///< the library's identity of it: by that a choice is kept
  int group = 0;                                  ///< of candidates of its kind only the first eight are tried
  bool may_hide_nan = false;                      ///< it is tried whether it does
  std::function<std::unique_ptr<Kernel>()> make;  ///< nothing where the library cannot after all
  TensorCores tensor_cores = TensorCores::unknown;
};

/// A candidate that autotuning would compare, and what it wants.
struct PlannedCandidate {
  const KernelCandidate* candidate = nullptr;
  std::size_t workspace_bytes = 0;
};

/// What a candidate may want of a GPU's whole memory: the largest power of two in a thirty-second of it, 4 GiB of an
/// H200's, 2 GiB of 80 GB. A rank's ops share one workspace, which the memory plan accounts for: eight ranks on a GPU
/// leave at least three quarters of it to tensors. It does not depend on what is free, so that all ranks on GPUs of a
/// kind choose among the same, now and later.
std::size_t most_workspace_bytes(std::size_t memory_bytes);

/// Of `candidates`, the fastest as timed now on this GPU, or known from before (kernels/choice/choices.h). Refuses
/// (InputError) where no candidate can run. Left out: who wants more than Context::most_workspace_bytes, and who hides
/// what is not a number. Of a GPU that need not be there: the first that is not left out.
std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates);

}  // namespace ddlbench::kernels::cuda
