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

/// Returns whether an element of a floating-point type is finite. `from` may have any alignment.
bool finite(const unsigned char* from, graph::DType dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, graph::size_of(dtype));
  const std::uint32_t exponent = dtype == graph::DType::f32    ? 0x7F800000u
                                 : dtype == graph::DType::bf16 ? 0x7F80u
                                                               : 0x7C00u;
  return (bits & exponent) != exponent;
}

/// The operands and the workspace of a candidate. NaN surrounds each of them.
class Trial {
 public:
  Trial(const Context& context, const Binding& binding, std::size_t workspace_bytes)
      : stream_(context.stream), output_types_(binding.outputs), accumulate_(binding.accumulate) {
    for (std::size_t i = 0; i < binding.inputs.size(); ++i)
      inputs_.push_back(add(graph::bytes(binding.inputs[i]), binding.input_alignment(static_cast<int>(i))));
    for (std::size_t o = 0; o < binding.outputs.size(); ++o)
      outputs_.push_back(add(graph::bytes(binding.outputs[o]), binding.output_alignment(static_cast<int>(o))));
    workspace_ = add(workspace_bytes, full_alignment);
  }

  void fill_with_zeros() {
    for (std::size_t i = 0; i < operands_.size(); ++i) fill(i, 0);
  }

  /// Inputs, outputs and workspace become NaN.
  void fill_with_nan() {
    for (std::size_t i = 0; i < operands_.size(); ++i) fill(i, nan_byte);
  }

  /// Inputs become 0, and outputs and workspace NaN, except for outputs to which the op adds.
  void fill_inputs_with_zeros() {
    fill_with_nan();
    for (std::size_t i = 0; i < inputs_.size() + (accumulate_ ? outputs_.size() : 0); ++i) fill(i, 0);
  }

  void clear_outputs() {
    for (std::size_t o = 0; o < outputs_.size(); ++o) fill(inputs_.size() + o, 0);
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

  /// Returns whether the first element of the first output is finite.
  bool first_is_finite() {
    return finite(read(0, 0, graph::size_of(output_types_[0].dtype)).data(), output_types_[0].dtype);
  }

  /// Returns whether the outputs are finite, of output 0 its first `columns` if they are not 0. Reads at most
  /// `inspected_bytes` at each end of an output.
  bool outputs_are_finite(std::int64_t columns) {
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const graph::DType dtype = output_types_[o].dtype;
      if (!graph::is_float(dtype)) continue;
      const std::size_t bytes = operands_[inputs_.size() + o].bytes, size = graph::size_of(dtype);
      const auto is_padding = [&](std::size_t element) {
        return o == 0 && columns > 0 && static_cast<std::int64_t>(element) % output_types_[0].shape.back() >= columns;
      };
      const std::size_t part = std::min(bytes, inspected_bytes);
      for (const std::size_t begin : {std::size_t{0}, bytes - part}) {
        const auto found = read(o, begin, part);
        for (std::size_t at = 0; at < part; at += size) {
          if (!is_padding((begin + at) / size) && !finite(found.data() + at, dtype)) return false;
        }
      }
    }
    return true;
  }

 private:
  static constexpr int nan_byte = 0xFF;  ///< elements of all floating-point types with these bytes are NaN
  static constexpr std::size_t margin = 256;
  static constexpr std::size_t inspected_bytes = 65536;

  struct Release {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  struct Operand {
    std::unique_ptr<void, Release> memory;
    char* begin;
    std::size_t bytes;
  };

  /// Returns memory that has exactly this alignment if it is less than full_alignment.
  void* add(std::size_t bytes, std::int64_t alignment) {
    const std::size_t before = margin + (alignment < full_alignment ? static_cast<std::size_t>(alignment) : 0);
    const std::size_t all = before + bytes + margin;
    void* memory = nullptr;
    check(cudaMalloc(&memory, all), "memory for a trial");
    operands_.push_back({std::unique_ptr<void, Release>(memory), static_cast<char*>(memory) + before, bytes});
    check(cudaMemsetAsync(memory, nan_byte, all, stream_), "filling memory for a trial");
    return operands_.back().begin;
  }

  void fill(std::size_t operand, int byte) {
    const Operand& one = operands_[operand];
    check(cudaMemsetAsync(one.begin, byte, one.bytes, stream_), "filling memory for a trial");
  }

  std::vector<unsigned char> read(std::size_t output, std::size_t begin, std::size_t bytes) {
    std::vector<unsigned char> found(bytes);
    check(cudaMemcpyAsync(found.data(), static_cast<char*>(outputs_[output]) + begin, bytes, cudaMemcpyDeviceToHost,
                          stream_),
          "reading a trial's output");
    check(cudaStreamSynchronize(stream_), "reading a trial's output");
    return found;
  }

  cudaStream_t stream_;
  std::vector<graph::TensorType> output_types_;
  bool accumulate_;
  std::vector<Operand> operands_;  ///< inputs, outputs, workspace
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  void* workspace_ = nullptr;
  CudaEvent begin_{CudaEvent::Times::yes}, end_{CudaEvent::Times::yes};
};

/// Returns whether the candidate runs, does not hide NaN if it may, and reads only its operands: from inputs of 0, with
/// NaN around them and in what the launch before has left in shared memory, its outputs are finite where it writes.
bool qualifies(Trial& trial, BoundCandidate& bound, cudaStream_t stream) {
  const ErrorState errors{cudaGetLastError, [stream] { return cudaStreamSynchronize(stream); }};
  const auto run = [&] { trial.run(*bound.kernel); };
  trial.fill_with_nan();
  trial.clear_outputs();
  if (!runs(run, errors) || (bound.may_hide_nan && trial.first_is_finite())) return false;
  trial.fill_inputs_with_zeros();
  return runs(run, errors) && trial.outputs_are_finite(bound.written_columns);
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
  bound_candidates.erase(std::remove_if(bound_candidates.begin(), bound_candidates.end(),
                                        [&](BoundCandidate& e) { return !qualifies(trial, e, context, binding); }),
                         bound_candidates.end());
  if (bound_candidates.empty()) return std::nullopt;
  if (bound_candidates.size() == 1) return Fastest{bound_candidates.front().index};
  trial.fill_with_zeros();
  const auto run = [&](std::size_t i) { return Run{1e-3 * trial.milliseconds(*bound_candidates[i].kernel)}; };
  const AutotuneResult result = autotune(bound_candidates.size(), run);
  return Fastest{bound_candidates[result.winner].index, timed_of(bound_candidates, result)};
}

}  // namespace ddlbench::kernels::cuda
