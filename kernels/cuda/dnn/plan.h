#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/dnn/graph.h"
#include "kernels/cuda/dnn/handle.h"

namespace ddlbench::kernels::cuda::dnn {

/// A cuDNN engine that is ready to run a graph.
class Plan {
 public:
  /// Throws DnnError if the engine does not support the graph after all. A configuration makes only one plan:
  /// cuDNN 9.19 cannot compile an engine again from a configuration that it has compiled.
  Plan(const Dnn& dnn, const Descriptor& configuration);

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues the plan on the handle's stream. `pointers[i]` is the memory of the tensor with id `ids[i]`. Throws
  /// DeviceError.
  void run(const Dnn& dnn, const std::vector<std::int64_t>& ids, const std::vector<void*>& pointers, void* workspace);

 private:
  Descriptor plan_;
  std::size_t workspace_bytes_ = 0;
  Descriptor pack_{CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR};  ///< of the last launch; reused while addresses repeat
  std::vector<void*> packed_;
};

/// cuDNN's numerical notes on the engine of a configuration.
class Notes {
 public:
  explicit Notes(const Descriptor& configuration);
  bool has(cudnnBackendNumericalNote_t note) const;

 private:
  std::vector<cudnnBackendNumericalNote_t> notes_;
};

/// Returns the name of a configuration: the engine's number and the values of its knobs by type ("engine 37, 2=1,
/// 5=0"), then the numerical properties as kernels::numerical_properties reads them: ", winograd", ", fft", ",
/// nondeterministic".
std::string name_of(const Descriptor& configuration);

/// The engines that are allowed.
struct Engines {
  bool tensor_cores = true;  ///< in f32, these round to TF32
  bool deterministic = true;
  bool winograd = true;  ///< also Fourier transforms
};

/// Returns the engines that a device may use for this type.
Engines engines_for(const Context& context, graph::DType dtype);

/// The configurations that cuDNN's heuristics return for a graph, the one expected to be fastest first. Excludes those
/// that round their inputs or sum in less than f32, and engines that are not allowed.
class Configurations {
 public:
  /// Throws DnnError if cuDNN does not accept the graph.
  Configurations(const Dnn& dnn, const Graph& graph, const Engines& engines);

  std::size_t size() const { return found_.size(); }
  const Descriptor& operator[](std::size_t index) const { return found_[index]; }
  /// Returns why there is no configuration, and which settings would help.
  std::string why_none() const;

 private:
  std::vector<Descriptor> found_;
  int nondeterministic_ = 0, winograd_ = 0;  ///< numbers of excluded configurations
};

}  // namespace ddlbench::kernels::cuda::dnn
