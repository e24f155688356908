#include "kernels/cuda/trial.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstring>

#include "kernels/binding.h"
#include "kernels/choice/autotune.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/event.h"

namespace ddlbench::kernels::cuda {
namespace {

class Trial {
 public:
  Trial(const Context& context, const Binding& binding, std::size_t workspace_bytes)
      : stream_(context.stream), dtype_(binding.outputs[0].dtype) {
    for (std::size_t i = 0; i < binding.inputs.size(); ++i)
      inputs_.push_back(add(graph::bytes(binding.inputs[i]), binding.input_alignment(static_cast<int>(i))));
    for (std::size_t o = 0; o < binding.outputs.size(); ++o)
      outputs_.push_back(add(graph::bytes(binding.outputs[o]), binding.output_alignment(static_cast<int>(o))));
    workspace_ = add(workspace_bytes, full_alignment);
  }

  /// Fills all operands with 0 or with NaN.
  void fill(bool nan) {
    for (const auto& [memory, bytes] : memory_)
      check(cudaMemsetAsync(memory.get(), nan ? 0xFF : 0, bytes, stream_), "filling memory for a trial");
  }

  void run(Kernel& kernel) {
    kernel.launch({inputs_.data(), outputs_.data(), workspace_, nullptr});
    check(cudaStreamSynchronize(stream_), "trying an algorithm");
  }

  /// Returns the time of one launch.
  double milliseconds(Kernel& kernel) {
    begin_.record(stream_);
    kernel.launch({inputs_.data(), outputs_.data(), workspace_, nullptr});
    end_.record(stream_);
    end_.wait();
    return milliseconds_between(begin_, end_);
  }

  /// Returns whether the first element of the first output is NaN.
  bool first_is_nan() {
    unsigned char bytes[4] = {};
    const std::size_t size = graph::size_of(dtype_);
    check(cudaMemcpyAsync(bytes, outputs_[0], size, cudaMemcpyDeviceToHost, stream_), "reading a trial's output");
    check(cudaStreamSynchronize(stream_), "reading a trial's output");
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes, size);
    const std::uint32_t infinity = dtype_ == graph::DType::f32    ? 0x7F800000u
                                   : dtype_ == graph::DType::bf16 ? 0x7F80u
                                                                  : 0x7C00u;
    const std::uint32_t sign = dtype_ == graph::DType::f32 ? 0x80000000u : 0x8000u;
    return (bits & ~sign) > infinity;
  }

  void clear_outputs() {
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const auto& [memory, bytes] = memory_[inputs_.size() + o];
      check(cudaMemsetAsync(memory.get(), 0, bytes, stream_), "filling memory for a trial");
    }
  }

 private:
  struct Release {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  /// Returns memory that has exactly this alignment if it is less than full_alignment.
  void* add(std::size_t bytes, std::int64_t alignment) {
    const std::size_t shift = alignment < full_alignment ? static_cast<std::size_t>(alignment) : 0;
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(shift + bytes, 1)), "memory for a trial");
    memory_.emplace_back(std::unique_ptr<void, Release>(memory), shift + bytes);
    return static_cast<char*>(memory) + shift;
  }

  cudaStream_t stream_;
  graph::DType dtype_;
  std::vector<std::pair<std::unique_ptr<void, Release>, std::size_t>> memory_;  ///< inputs, outputs, workspace
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  void* workspace_ = nullptr;
  CudaEvent begin_{CudaEvent::Times::yes}, end_{CudaEvent::Times::yes};
};

/// Returns whether the candidate runs, and, if it may hide NaN, does not.
bool qualifies(Trial& trial, BoundCandidate& bound, cudaStream_t stream) {
  const auto attempt = [&] {
    trial.clear_outputs();
    trial.run(*bound.kernel);
  };
  return runs(attempt, {cudaGetLastError, [stream] { return cudaStreamSynchronize(stream); }}) &&
         (!bound.may_hide_nan || trial.first_is_nan());
}

/// As above. An error of the GPU names the op and the candidate.
bool qualifies(Trial& trial, BoundCandidate& bound, const Context& context, const Binding& binding) {
  try {
    return qualifies(trial, bound, context.stream);
  } catch (const DeviceError& error) {
    throw DeviceError(
        fmt::format("{}{} by {}: {}", describe(binding), describe_alignment(binding), bound.name, error.what()));
  }
}

}  // namespace

bool runs(const std::function<void()>& attempt, const ErrorState& errors) {
  errors.take_last();
  try {
    attempt();
    return true;
  } catch (const DeviceError&) {
    errors.take_last();
    check(errors.synchronize(), "trying an algorithm");
    return false;
  }
}

std::optional<Fastest> fastest_of(const Context& context, const Binding& binding,
                                  std::vector<BoundCandidate>& bound_candidates, std::size_t workspace_bytes) {
  Trial trial(context, binding, workspace_bytes);
  trial.fill(true);
  bound_candidates.erase(std::remove_if(bound_candidates.begin(), bound_candidates.end(),
                                        [&](BoundCandidate& e) { return !qualifies(trial, e, context, binding); }),
                         bound_candidates.end());
  if (bound_candidates.empty()) return std::nullopt;
  if (bound_candidates.size() == 1) return Fastest{bound_candidates.front().index};
  trial.fill(false);
  const auto run = [&](std::size_t i) { return Run{1e-3 * trial.milliseconds(*bound_candidates[i].kernel)}; };
  const AutotuneResult result = autotune(bound_candidates.size(), run);
  return Fastest{bound_candidates[result.winner].index, timed_of(bound_candidates, result)};
}

}  // namespace ddlbench::kernels::cuda
