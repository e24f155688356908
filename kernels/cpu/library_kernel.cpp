#include "kernels/cpu/library_kernel.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/binding.h"
#include "kernels/cpu/library_call.h"
#include "kernels/host_memory.h"

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

/// Memory of its own for trying candidates out.
class Trial {
 public:
  Trial(const Binding& binding, std::size_t workspace_bytes) {
    for (const auto& type : binding.inputs) inputs_.push_back(add(graph::bytes(type)));
    for (const auto& type : binding.outputs) outputs_.push_back(add(graph::bytes(type)));
    workspace_ = add(workspace_bytes);
  }

  /// Seconds of one launch.
  double time(Kernel& kernel) {
    const auto start = std::chrono::steady_clock::now();
    kernel.launch({inputs_.data(), outputs_.data(), workspace_, nullptr});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  struct Release {
    void operator()(void* memory) const { release_host(memory); }
  };
  void* add(std::size_t bytes) { return memory_.emplace_back(allocate_host(bytes)).get(); }

  std::vector<std::unique_ptr<void, Release>> memory_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  void* workspace_ = nullptr;
};

bool same_operand(const onednn::Operand& a, const onednn::Operand& b) {
  return a.argument == b.argument && a.given == b.given && a.wanted == b.wanted;
}

bool same_work(const onednn::Prepared& a, const onednn::Prepared& b) {
  return a.implementation == b.implementation &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), same_operand) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), same_operand);
}

/// A candidate of the library, or, past the last of them, the kernel of f32.
struct Entrant {
  std::size_t index;
  std::optional<onednn::Prepared> prepared;
  std::unique_ptr<Kernel> kernel;
  double shortest = std::numeric_limits<double>::infinity();
};

/// The candidate with the shortest launch. They take turns, so that a machine that slows down for a while
/// slows all of them; a later one must be clearly faster, so that equals do not change places by chance.
std::size_t fastest(std::vector<Entrant>& entrants, Trial& trial) {
  constexpr int rounds = 20;
  constexpr double patience = 0.03;  // seconds, in all
  constexpr double clearly = 0.95;
  double spent = 0;
  for (Entrant& entrant : entrants) trial.time(*entrant.kernel);
  for (int round = 0; round < rounds && spent < patience; ++round) {
    for (Entrant& entrant : entrants) {
      const double seconds = trial.time(*entrant.kernel);
      entrant.shortest = std::min(entrant.shortest, seconds);
      spent += seconds;
    }
  }
  const Entrant* best = &entrants.front();
  for (const Entrant& entrant : entrants) {
    if (entrant.shortest < clearly * best->shortest) best = &entrant;
  }
  return best->index;
}

bool is_bf16(const Binding& binding) {
  return binding.inputs[0].dtype == graph::DType::bf16;
}

/// What each wants as workspace counts, so that ranks that choose differently plan alike; of the kernel of f32, which
/// wants all operands again, only where it is chosen.
Choices::Choice choose(const Context& context, const Binding& binding, const std::vector<Candidate>& candidates) {
  std::vector<Entrant> entrants;
  Choices::Choice choice;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto prepared = candidates[i]();
    if (!prepared) continue;
    const auto is_same = [&](const Entrant& other) { return same_work(*other.prepared, *prepared); };
    if (std::any_of(entrants.begin(), entrants.end(), is_same)) continue;
    LibraryCall call(context, *prepared, binding.accumulate);
    const std::size_t workspace_bytes = call.workspace_bytes();
    choice.workspace_bytes = std::max(choice.workspace_bytes, workspace_bytes);
    entrants.push_back(
        {i, std::move(prepared), std::make_unique<LibraryKernel>(context, std::move(call), workspace_bytes, 0)});
  }
  if (is_bf16(binding)) entrants.push_back({candidates.size(), std::nullopt, context.kernels->bind_widened(binding)});
  expect(binding, !entrants.empty(), "oneDNN has no primitive for it");
  choice.candidate = entrants.front().index;
  if (entrants.size() > 1) {
    Trial trial(binding, std::max(choice.workspace_bytes, entrants.back().kernel->workspace_bytes()));
    choice.candidate = fastest(entrants, trial);
  }
  return choice;
}

}  // namespace

onednn::Precision precision_of(const Binding& binding) {
  return {binding.inputs[0].dtype, binding.accumulate};
}

std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, double flops,
                                      const std::vector<Candidate>& candidates) {
  onednn::use_threads(context.threads);
  const std::string key = describe(binding) + " threads=" + std::to_string(context.threads);
  const auto choice = context.choices->find_or(key, [&] { return choose(context, binding, candidates); });
  if (choice.candidate == candidates.size()) return context.kernels->bind_widened(binding);
  const auto prepared = candidates[choice.candidate]();
  require(prepared.has_value(), "a candidate that was chosen is no longer there");
  return std::make_unique<LibraryKernel>(context, LibraryCall(context, *prepared, binding.accumulate),
                                         choice.workspace_bytes, flops);
}

}  // namespace ddlbench::kernels::cpu
