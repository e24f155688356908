#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/cuda/trial.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Whether a candidate uses tensor cores, if that is known before it runs.
enum class TensorCores : std::uint8_t { no, yes, unknown };

/// An implementation of an op by a library.
struct KernelCandidate {
  std::string name;           ///< identifies it in the library and in stored choices
  int group = 0;              ///< only the first eight candidates of each group are tried
  bool may_hide_nan = false;  ///< tested, and excluded if it does
  /// Returns null if the library does not support it after all. Throws std::bad_alloc if memory ran out.
  std::function<std::unique_ptr<Kernel>()> make;
  TensorCores tensor_cores = TensorCores::unknown;
  std::int64_t written_columns = 0;  ///< of output 0, from ProductOp
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

/// The functions of a GPU that choose() uses; tests have their own.
struct ChoosingGpu {
  std::function<cudaError_t()> take_last;  ///< cudaGetLastError
  /// fastest_of (kernels/cuda/trial.h)
  std::function<std::optional<Fastest>(std::vector<BoundCandidate>&, std::size_t workspace_bytes)> fastest;
};

/// A choice, and the kernel that took part in autotuning.
struct Chosen {
  Choices::Choice choice;
  std::unique_ptr<Kernel> kernel;
};

/// Makes the candidates and chooses the fastest. Excludes those that need more than Context::max_workspace_bytes, and
/// those whose `make` throws std::bad_alloc: a choice without one of these is not reliable. A candidate that cannot be
/// made leaves no last error. Throws InputError if no candidate can run, and the std::bad_alloc if none is left because
/// of it.
Chosen choose(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates,
              const ChoosingGpu& gpu);

/// Returns the fastest of `candidates`, timed now on this GPU or known from an earlier choice
/// (kernels/choice/choices.h). Excludes the candidates that choose() excludes and those that hide NaN, and throws as
/// choose() does. If plans are made without a GPU (Context::planned), returns the first candidate that can be made
/// within the workspace limit.
std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates);

}  // namespace ddlbench::kernels::cuda
