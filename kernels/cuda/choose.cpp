#include "kernels/cuda/choose.h"

#include <algorithm>
#include <map>

#include "kernels/binding.h"
#include "kernels/cuda/trial.h"

namespace ddlbench::kernels::cuda {
namespace {

/// A kernel that says that it wants as much workspace as the hungriest candidate.
class WithWorkspace final : public Kernel {
 public:
  WithWorkspace(std::unique_ptr<Kernel> kernel, std::size_t bytes) : kernel_(std::move(kernel)), bytes_(bytes) {}
  void launch(const Arguments& arguments) override { kernel_->launch(arguments); }
  std::size_t workspace_bytes() const override { return bytes_; }
  double flops() const override { return kernel_->flops(); }

 private:
  std::unique_ptr<Kernel> kernel_;
  std::size_t bytes_;
};

Choices::Choice choose(const Context& context, const Binding& binding, const std::vector<KernelCandidate>& candidates) {
  constexpr std::size_t most_workspace = std::size_t{1} << 28;  // bytes
  constexpr int most_of_a_group = 8;
  std::vector<Entrant> entrants;
  std::map<int, int> counts;
  Choices::Choice choice;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    int& count = counts[candidates[i].group];
    if (count == most_of_a_group) continue;
    auto kernel = candidates[i].make();
    if (kernel == nullptr || kernel->workspace_bytes() > most_workspace) continue;
    choice.workspace_bytes = std::max(choice.workspace_bytes, kernel->workspace_bytes());
    entrants.push_back({i, std::move(kernel), candidates[i].may_hide_nan});
    ++count;
  }
  expect(binding, !entrants.empty(), "the GPU's library has no algorithm for it");
  const auto fastest = fastest_of(context, binding, entrants, choice.workspace_bytes);
  expect(binding, fastest.has_value(), "none of the algorithms that the GPU's library has for it runs");
  choice.candidate = *fastest;
  return choice;
}

}  // namespace

std::unique_ptr<Kernel> choose_fastest(const Context& context, const Binding& binding,
                                       const std::vector<KernelCandidate>& candidates) {
  const std::string key = describe(binding) + (context.tf32 ? " tf32 on " : " on ") + context.gpu;
  const auto choice = context.choices->find_or(key, [&] { return choose(context, binding, candidates); });
  require(choice.candidate < candidates.size(), "a candidate that was chosen is no longer there");
  auto kernel = candidates[choice.candidate].make();
  require(kernel != nullptr, "a candidate that was chosen can no longer be made");
  return std::make_unique<WithWorkspace>(std::move(kernel), choice.workspace_bytes);
}

}  // namespace ddlbench::kernels::cuda
