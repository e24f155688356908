#include "kernels/cuda/choose.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <exception>
#include <map>
#include <new>

#include "kernels/binding.h"
#include "kernels/cuda/trial.h"

namespace ddlbench::kernels::cuda {
namespace {

/// The candidates that can run within the workspace limit.
struct Bound {
  std::vector<BoundCandidate> candidates;
  std::exception_ptr out_of_memory;  ///< of a candidate that could not be made because of it
};

using TakeLastError = std::function<cudaError_t()>;

/// Returns null if the library does not support the candidate, or had too little memory to make it. Then clears the
/// last error, which the next launch would report.
std::unique_ptr<Kernel> make(const KernelCandidate& candidate, const TakeLastError& take_last,
                             std::exception_ptr& out_of_memory) {
  std::unique_ptr<Kernel> kernel;
  try {
    kernel = candidate.make();
  } catch (const std::bad_alloc&) {
    out_of_memory = std::current_exception();
  }
  if (kernel == nullptr) take_last();
  return kernel;
}

Bound bind_candidates(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates,
                      const TakeLastError& take_last) {
  constexpr int max_per_group = 8;
  Bound bound;
  std::map<int, int> counts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    int& count = counts[candidates[i].group];
    if (count == max_per_group) continue;
    auto kernel = make(candidates[i], take_last, bound.out_of_memory);
    if (kernel == nullptr || kernel->workspace_bytes() > context.max_workspace_bytes) continue;
    bound.candidates.push_back(
        {i, candidates[i].name, std::move(kernel), candidates[i].may_hide_nan, candidates[i].written_columns});
    ++count;
  }
  if (bound.candidates.empty() && bound.out_of_memory) std::rethrow_exception(bound.out_of_memory);
  expect(binding, !bound.candidates.empty(),
         fmt::format("the GPU's libraries have no algorithm for it with at most {} bytes of workspace",
                     context.max_workspace_bytes));
  return bound;
}

std::unique_ptr<Kernel> plan_first(const Context& context, const Binding& binding,
                                   const std::vector<KernelCandidate>& candidates) {
  Bound bound = bind_candidates(context, binding, candidates, cudaGetLastError);
  std::vector<PlannedCandidate> planned;
  for (const BoundCandidate& one : bound.candidates)
    planned.push_back({&candidates[one.index], one.kernel->workspace_bytes()});
  context.planned(binding, planned);
  return std::move(bound.candidates.front().kernel);
}

/// Returns a key that states the work and everything that determines which candidates compete.
std::string key_of(const Context& context, const Binding& binding) {
  return fmt::format("{}{}{}{} within {} MiB", describe(binding), describe_alignment(binding),
                     context.tf32 ? " tf32 on " : " on ", context.gpu, context.max_workspace_bytes >> 20);
}

}  // namespace

std::size_t max_workspace_bytes(std::size_t memory_bytes) {
  return std::bit_floor(memory_bytes / 32);
}

Chosen choose(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates,
              const ChoosingGpu& gpu) {
  Bound bound = bind_candidates(context, binding, candidates, gpu.take_last);
  std::size_t workspace_bytes = 0;
  for (const BoundCandidate& one : bound.candidates)
    workspace_bytes = std::max(workspace_bytes, one.kernel->workspace_bytes());
  auto fastest = gpu.fastest(bound.candidates, workspace_bytes);
  expect(binding, fastest.has_value(), "none of the algorithms of the GPU's library for it could run");
  const auto chosen = std::find_if(bound.candidates.begin(), bound.candidates.end(),
                                   [&](const BoundCandidate& one) { return one.index == fastest->index; });
  return {{chosen->name, bound.out_of_memory == nullptr, std::move(fastest->timed)}, std::move(chosen->kernel)};
}

std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates) {
  if (context.planned) return plan_first(context, binding, candidates);
  std::vector<std::string> names;
  for (const KernelCandidate& candidate : candidates) names.push_back(candidate.name);
  const auto fastest = [&](std::vector<BoundCandidate>& bound_candidates, std::size_t workspace_bytes) {
    return fastest_of(context, binding, bound_candidates, workspace_bytes);
  };
  std::unique_ptr<Kernel> kernel;
  const std::string name = context.choices->find_or(key_of(context, binding), names, [&] {
    Chosen chosen = choose(context, binding, candidates, {cudaGetLastError, fastest});
    kernel = std::move(chosen.kernel);
    return chosen.choice;
  });
  if (kernel != nullptr) return kernel;
  const auto chosen = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const KernelCandidate& candidate) { return candidate.name == name; });
  require(chosen != candidates.end(), "the chosen candidate is no longer available");
  kernel = chosen->make();
  require(kernel != nullptr, "the chosen candidate can no longer be built");
  return kernel;
}

}  // namespace ddlbench::kernels::cuda
