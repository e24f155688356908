#include "kernels/cpu/library_kernel.h"

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/binding.h"
#include "kernels/choice/autotune.h"
#include "kernels/cpu/library_call.h"
#include "platform/scratch_memory.h"
#include "platform/waiting_times.h"

namespace ddlbench::kernels::cpu {
namespace {

class LibraryKernel final : public Kernel {
 public:
  LibraryKernel(const Context& context, LibraryCall call, std::size_t workspace_bytes, double flops)
      : context_(context), call_(std::move(call)), workspace_bytes_(workspace_bytes), flops_(flops) {}

  void launch(const Arguments& arguments) override {
    onednn::use_threads(context_.threads);
    call_.run(arguments.inputs, arguments.outputs, arguments.workspace);
  }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  double flops() const override { return flops_; }

 private:
  const Context& context_;
  LibraryCall call_;
  std::size_t workspace_bytes_;
  double flops_;
};

/// The operands of a binding in scratch memory, for timing candidates.
class Trial {
 public:
  Trial(Choices& choices, const Binding& binding, std::size_t workspace_bytes) : memory_(choices.scratch()) {
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    const auto add = [&](std::size_t more) {
      constexpr std::size_t alignment = 64;
      offsets.push_back(bytes);
      bytes += (more + alignment - 1) / alignment * alignment;
    };
    for (const auto& type : binding.inputs) add(graph::bytes(type));
    for (const auto& type : binding.outputs) add(graph::bytes(type));
    add(workspace_bytes);
    auto* const base = static_cast<char*>(memory_->reserve(bytes));
    for (std::size_t i = 0; i < binding.inputs.size(); ++i) inputs_.push_back(base + offsets[i]);
    for (std::size_t o = 0; o < binding.outputs.size(); ++o) outputs_.push_back(base + offsets[inputs_.size() + o]);
    workspace_ = base + offsets.back();
    waited_ = platform::waiting_times();
  }

  /// Launches `kernel` once. Returns its time, and whether a thread waited for a core for more than 5 % of that time
  /// and more than 100 µs.
  Run run(Kernel& kernel) {
    constexpr double share = 0.05, wake_up = 100e-6;  // waking up takes microseconds even on an idle machine
    const auto start = std::chrono::steady_clock::now();
    kernel.launch({inputs_.data(), outputs_.data(), workspace_, nullptr});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const platform::WaitingTimes before = std::exchange(waited_, platform::waiting_times());
    return {seconds, platform::longest_wait(before, waited_) > std::max(share * seconds, wake_up)};
  }

 private:
  std::shared_ptr<platform::ScratchMemory> memory_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  void* workspace_ = nullptr;
  platform::WaitingTimes waited_;  ///< at the end of the last launch
};

bool same_operand(const onednn::Operand& a, const onednn::Operand& b) {
  return a.argument == b.argument && a.given == b.given && a.wanted == b.wanted;
}

bool same_work(const onednn::Prepared& a, const onednn::Prepared& b) {
  return a.implementation == b.implementation &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), same_operand) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), same_operand);
}

/// Returns whether `prepared` is one of oneDNN's reference implementations, which it uses if it has no optimised one.
/// They are thousands of times slower, so they are a candidate only if oneDNN offers no other.
bool is_plain(const onednn::Prepared& prepared) {
  return prepared.implementation.starts_with("ref");
}

struct BoundCandidate {
  std::string name;
  std::optional<onednn::Prepared> prepared;  ///< only of oneDNN's
  std::unique_ptr<Kernel> kernel;
};

bool is_bf16(const Binding& binding) {
  return binding.inputs[0].dtype == graph::DType::bf16;
}

std::vector<std::string> names_of(const std::vector<Candidate>& candidates, const std::vector<OwnCandidate>& own) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) names.push_back(candidate.name);
  for (const OwnCandidate& candidate : own) names.push_back(candidate.name);
  return names;
}

auto find(const auto& candidates, const std::string& name) {
  return std::find_if(candidates.begin(), candidates.end(),
                      [&](const auto& candidate) { return candidate.name == name; });
}

std::unique_ptr<Kernel> make(const Context& context, const Binding& binding, double flops,
                             const onednn::Prepared& prepared) {
  LibraryCall call(context, prepared, binding.accumulate);
  const std::size_t workspace_bytes = call.workspace_bytes();
  return std::make_unique<LibraryKernel>(context, std::move(call), workspace_bytes, flops);
}

Choices::Choice choose(const Context& context, const Binding& binding, const std::vector<Candidate>& candidates,
                       const std::vector<OwnCandidate>& own) {
  std::vector<BoundCandidate> bound_candidates;
  for (const Candidate& candidate : candidates) {
    auto prepared = candidate.make();
    if (!prepared || (is_plain(*prepared) && !bound_candidates.empty())) continue;
    if (bound_candidates.size() == 1 && is_plain(*bound_candidates.front().prepared)) bound_candidates.clear();
    const auto is_same = [&](const BoundCandidate& other) { return same_work(*other.prepared, *prepared); };
    if (std::any_of(bound_candidates.begin(), bound_candidates.end(), is_same)) continue;
    auto kernel = make(context, binding, 0, *prepared);
    bound_candidates.push_back({candidate.name, std::move(prepared), std::move(kernel)});
  }
  for (const OwnCandidate& candidate : own)
    bound_candidates.push_back({candidate.name, std::nullopt, candidate.make()});
  expect(binding, !bound_candidates.empty(), "oneDNN has no primitive for it");
  if (bound_candidates.size() == 1) return {bound_candidates.front().name};
  std::size_t workspace_bytes = 0;
  for (const BoundCandidate& bound : bound_candidates)
    workspace_bytes = std::max(workspace_bytes, bound.kernel->workspace_bytes());
  Trial trial(*context.choices, binding, workspace_bytes);
  const AutotuneResult finish =
      autotune(bound_candidates.size(), [&](std::size_t i) { return trial.run(*bound_candidates[i].kernel); });
  return {bound_candidates[finish.winner].name, finish.reliable, timed_of(bound_candidates, finish)};
}

}  // namespace

onednn::Precision precision_of(const Binding& binding) {
  return {binding.inputs[0].dtype, binding.outputs[0].dtype, binding.accumulate};
}

std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, double flops,
                                      const std::vector<Candidate>& candidates, std::vector<OwnCandidate> own) {
  onednn::use_threads(context.threads);
  if (is_bf16(binding)) own.push_back({"f32", [&] { return context.kernels->bind_widened(binding); }});
  const std::string key = fmt::format("{} threads={}", describe(binding), context.threads);
  const std::string name = context.choices->find_or(key, names_of(candidates, own),
                                                    [&] { return choose(context, binding, candidates, own); });
  const auto chosen = find(candidates, name);
  if (chosen == candidates.end()) return find(own, name)->make();
  const auto prepared = chosen->make();
  require(prepared.has_value(), "the chosen candidate is no longer available");
  return make(context, binding, flops, *prepared);
}

}  // namespace ddlbench::kernels::cpu
