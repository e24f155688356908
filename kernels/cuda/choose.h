#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// One way to compute an op with a library.
struct KernelCandidate {
  std::string name;                               ///< the library's identity of it: by that a choice is kept
  int group = 0;                                  ///< of candidates of its kind only the first eight are tried
  bool may_hide_nan = false;                      ///< it is tried whether it does
  std::function<std::unique_ptr<Kernel>()> make;  ///< nothing where the library cannot after all
};

/// Of `candidates`, the fastest as timed now on this GPU, or known from before (kernels/choices.h). Refuses
/// (InputError) where no candidate can run. Left out: who wants more than a quarter of a GiB of workspace, and who
/// hides what is not a number.
std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates);

}  // namespace ddlbench::kernels::cuda
