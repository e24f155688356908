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

/// Returns the precision of an op whose inputs all have one type. If the binding accumulates, results stay in f32 until
/// they are added to the outputs.
onednn::Precision precision_of(const Binding& binding);

/// An implementation of an op in oneDNN.
struct Candidate {
  std::string name;  ///< unique among an op's candidates; identifies stored choices
  std::function<std::optional<onednn::Prepared>()> make;  ///< returns nothing if oneDNN has no such primitive
};

/// An implementation of an op with the loops of this folder.
struct OwnCandidate {
  std::string name;
  std::function<std::unique_ptr<Kernel>()> make;
};

/// Returns one candidate, whose kernel `make(threads, binding, sizes)` makes, or none unless `fits`.
template <class Sizes>
std::vector<OwnCandidate> own_candidates(bool fits, std::string name,
                                         std::unique_ptr<Kernel> (*make)(int, const Binding&, const Sizes&),
                                         const Context& context, const Binding& binding, const Sizes& z) {
  if (!fits) return {};
  return {{std::move(name), [=, &context] { return make(context.threads, binding, z); }}};
}

/// Returns the fastest of all candidates, timed now or known from an earlier choice (kernels/choice/choices.h).
/// Operands that a primitive needs in another layout are reordered in the workspace. In bf16, the op's f32 kernel is
/// also a candidate, because some CPUs are slower in bf16.
std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, double flops,
                                      const std::vector<Candidate>& candidates, std::vector<OwnCandidate> own = {});

}  // namespace ddlbench::kernels::cpu
