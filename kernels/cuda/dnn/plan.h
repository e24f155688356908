#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/dnn/graph.h"
#include "kernels/cuda/dnn/handle.h"

namespace ddlbench::kernels::cuda::dnn {

/// An engine of cuDNN made ready for a graph.
class Plan {
 public:
  /// Throws Refusal where the engine cannot do it after all.
  Plan(const Dnn& dnn, const Descriptor& configuration);

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Puts it on the handle's stream. `pointers[i]` is the memory of the tensor with id `ids[i]`. Throws DeviceError.
  void run(const Dnn& dnn, const std::vector<std::int64_t>& ids, const std::vector<void*>& pointers, void* workspace);

 private:
  Descriptor plan_;
  std::size_t workspace_bytes_ = 0;
  Descriptor pack_{CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR};  ///< of the last launch: steps repeat their addresses
  std::vector<void*> packed_;
};

/// What cuDNN notes of the numbers that a configuration's engine computes.
class Notes {
 public:
  explicit Notes(const Descriptor& configuration);
  bool has(cudnnBackendNumericalNote_t note) const;

 private:
  std::vector<cudnnBackendNumericalNote_t> notes_;
};

/// "engine 37, 2=1, 5=0": the engine's number and what its knobs are set to, by their type; then what sets its numbers
/// apart, each as kernels::numerical_properties has it: ", winograd", ", fft", ", nondeterministic".
std::string name_of(const Descriptor& configuration);

/// Which engines are asked for.
struct Engines {
  bool tensor_cores = true;  ///< on them f32 becomes TF32
  bool deterministic = true;
  bool winograd = true;  ///< and Fourier transforms
};

/// Those that a device may use for numbers of this type.
Engines engines_for(const Context& context, graph::DType dtype);

/// The configurations that cuDNN's heuristics name for a graph, the ones it thinks fastest first, without those that
/// round their inputs or sum in less than f32, and without engines that are not asked for.
class Configurations {
 public:
  /// Throws Refusal where cuDNN does not accept the graph.
  Configurations(const Dnn& dnn, const Graph& graph, const Engines& engines);

  std::size_t size() const { return found_.size(); }
  const Descriptor& operator[](std::size_t index) const { return found_[index]; }
  /// Where there is none: why, and what would help.
  std::string why_none() const;

 private:
  std::vector<Descriptor> found_;
  int nondeterministic_ = 0, winograd_ = 0;  ///< left out
};

}  // namespace ddlbench::kernels::cuda::dnn
