#include "kernels/cuda/choose.h"

#include <algorithm>
#include <map>

#include "kernels/binding.h"
#include "kernels/cuda/trial.h"

namespace ddlbench::kernels::cuda {
namespace {

Choices::Choice choose(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates) {
  constexpr std::size_t most_workspace = std::size_t{1} << 28;  // bytes
  constexpr int most_of_a_group = 8;
  std::vector<Entrant> entrants;
  std::map<int, int> counts;
  std::size_t workspace_bytes = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    int& count = counts[candidates[i].group];
    if (count == most_of_a_group) continue;
    auto kernel = candidates[i].make();
    if (kernel == nullptr || kernel->workspace_bytes() > most_workspace) continue;
    workspace_bytes = std::max(workspace_bytes, kernel->workspace_bytes());
    entrants.push_back({i, std::move(kernel), candidates[i].may_hide_nan});
    ++count;
  }
  expect(binding, !entrants.empty(), "the GPU's library has no algorithm for it");
  const auto fastest = fastest_of(context, binding, entrants, workspace_bytes);
  expect(binding, fastest.has_value(), "none of the algorithms that the GPU's library has for it runs");
  return {candidates[*fastest].name};
}

}  // namespace

std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates) {
  const std::string key = describe(binding) + (context.tf32 ? " tf32 on " : " on ") + context.gpu;
  std::vector<std::string> names;
  for (const KernelCandidate& candidate : candidates) names.push_back(candidate.name);
  const std::string name = context.choices->find_or(key, names, [&] { return choose(context, binding, candidates); });
  const auto chosen = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const KernelCandidate& candidate) { return candidate.name == name; });
  require(chosen != candidates.end(), "a candidate that was chosen is no longer there");
  auto kernel = chosen->make();
  require(kernel != nullptr, "a candidate that was chosen can no longer be made");
  return kernel;
}

}  // namespace ddlbench::kernels::cuda
