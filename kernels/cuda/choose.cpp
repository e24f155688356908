#include "kernels/cuda/choose.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <map>

#include "kernels/binding.h"
#include "kernels/cuda/trial.h"

namespace ddlbench::kernels::cuda {
namespace {

std::vector<BoundCandidate> bind_candidates(const Context& context, const Binding& binding,
                                            const std::vector<KernelCandidate>& candidates) {
  constexpr int max_per_group = 8;
  std::vector<BoundCandidate> bound_candidates;
  std::map<int, int> counts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    int& count = counts[candidates[i].group];
    if (count == max_per_group) continue;
    auto kernel = candidates[i].make();
    if (kernel == nullptr || kernel->workspace_bytes() > context.max_workspace_bytes) continue;
    bound_candidates.push_back({i, std::move(kernel), candidates[i].may_hide_nan});
    ++count;
  }
  expect(binding, !bound_candidates.empty(),
         fmt::format("the GPU's libraries have no algorithm for it with at most {} bytes of workspace",
                     context.max_workspace_bytes));
  return bound_candidates;
}

Choices::Choice choose(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates) {
  std::vector<BoundCandidate> bound_candidates = bind_candidates(context, binding, candidates);
  std::size_t workspace_bytes = 0;
  for (const BoundCandidate& bound : bound_candidates)
    workspace_bytes = std::max(workspace_bytes, bound.kernel->workspace_bytes());
  const auto fastest = fastest_of(context, binding, bound_candidates, workspace_bytes);
  expect(binding, fastest.has_value(), "none of the algorithms of the GPU's library for it could run");
  return {candidates[*fastest].name};
}

std::unique_ptr<Kernel> plan_first(const Context& context, const Binding& binding,
                                   const std::vector<KernelCandidate>& candidates) {
  std::vector<BoundCandidate> bound_candidates = bind_candidates(context, binding, candidates);
  std::vector<PlannedCandidate> planned;
  for (const BoundCandidate& bound : bound_candidates)
    planned.push_back({&candidates[bound.index], bound.kernel->workspace_bytes()});
  context.planned(binding, planned);
  return std::move(bound_candidates.front().kernel);
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

std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates) {
  if (context.planned) return plan_first(context, binding, candidates);
  std::vector<std::string> names;
  for (const KernelCandidate& candidate : candidates) names.push_back(candidate.name);
  const std::string name =
      context.choices->find_or(key_of(context, binding), names, [&] { return choose(context, binding, candidates); });
  const auto chosen = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const KernelCandidate& candidate) { return candidate.name == name; });
  require(chosen != candidates.end(), "the chosen candidate is no longer available");
  auto kernel = chosen->make();
  require(kernel != nullptr, "the chosen candidate can no longer be built");
  return kernel;
}

}  // namespace ddlbench::kernels::cuda
