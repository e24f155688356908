#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/context.h"
#include "kernels/cpu/onednn.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cpu {

/// Of an op's inputs, all of one type, and its outputs. What is to be added to its outputs is left in f32.
onednn::Precision precision_of(const Binding& binding);

/// One way to compute an op with the library.
struct Candidate {
  std::string name;                                       ///< by which a choice is kept: of one op's no two are alike
  std::function<std::optional<onednn::Prepared>()> make;  ///< nothing where the library has no such primitive
};

/// One way to compute it with loops of this room.
struct OwnCandidate {
  std::string name;
  std::function<std::unique_ptr<Kernel>()> make;
};

/// The kernel that `make` makes of threads, binding and sizes, where it is made for such sizes.
template <class Sizes>
std::vector<OwnCandidate> own_candidates(bool fits, std::string name,
                                         std::unique_ptr<Kernel> (*make)(int, const Binding&, const Sizes&),
                                         const Context& context, const Binding& binding, const Sizes& z) {
  if (!fits) return {};
  return {{std::move(name), [=, &context] { return make(context.threads, binding, z); }}};
}

/// The fastest of all candidates as timed now, or known from before (kernels/choice/choices.h). Operands that a
/// primitive wants in another layout are rewritten in the workspace. On bf16 the op's kernel of f32 stands for choice,
/// too: there are CPUs whose bf16 is slower.
std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, double flops,
                                      const std::vector<Candidate>& candidates, std::vector<OwnCandidate> own = {});

}  // namespace ddlbench::kernels::cpu
