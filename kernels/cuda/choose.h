#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Whether a candidate uses tensor cores, if that is known before it runs.
enum class TensorCores : std::uint8_t { no, yes, unknown };

/// An implementation of an op by a library.
struct KernelCandidate {
  std::string name;                               ///< identifies it in the library and in stored choices
  int group = 0;                                  ///< only the first eight candidates of each group are tried
  bool may_hide_nan = false;                      ///< tested, and excluded if it does
  std::function<std::unique_ptr<Kernel>()> make;  ///< returns null if the library does not support it after all
  TensorCores tensor_cores = TensorCores::unknown;
};

/// A candidate that would take part in autotuning, and its workspace.
struct PlannedCandidate {
  const KernelCandidate* candidate = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Returns the limit on a candidate's workspace, from a GPU's total memory: the largest power of two in a thirty-second
/// of it, 4 GiB on an H200, 2 GiB with 80 GB. The ops of a rank share one workspace, which the memory plan accounts
/// for, so eight ranks on a GPU leave at least three quarters of it to tensors. The limit does not depend on free
/// memory, so all ranks on GPUs of one kind always choose among the same candidates.
std::size_t max_workspace_bytes(std::size_t memory_bytes);

/// Returns the fastest of `candidates`, timed now on this GPU or known from an earlier choice
/// (kernels/choice/choices.h). Excludes candidates that need more than Context::most_workspace_bytes and those that
/// hide NaN. Throws InputError if no candidate can run. If plans are made without a GPU (Context::planned), returns the
/// first candidate that can be made within the workspace limit.
std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates);

}  // namespace ddlbench::kernels::cuda
