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

/// "engine 37, 2=1, 5=0": the engine's number and what its knobs are set to, by their type.
std::string name_of(const Descriptor& configuration);

/// The configurations that cuDNN's heuristics name for a graph, the ones it thinks fastest first, without those that
/// round their inputs or sum in less than f32, and those whose result differs from run to run unless there are no
/// others. On tensor cores f32 becomes TF32; without `tensor_cores` there are none of those.
class Configurations {
 public:
  Configurations() = default;  ///< none
  /// Throws Refusal where cuDNN does not accept the graph.
  Configurations(const Dnn& dnn, const Graph& graph, bool tensor_cores);

  std::size_t size() const { return found_.size(); }
  const Descriptor& operator[](std::size_t index) const { return found_[index]; }
  bool deterministic() const { return deterministic_; }

 private:
  std::vector<Descriptor> found_;
  bool deterministic_ = true;
};

}  // namespace ddlbench::kernels::cuda::dnn
