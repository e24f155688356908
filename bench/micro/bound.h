#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op.h"
#include "kernels/device.h"
#include "kernels/rewrite/convert.h"

namespace ddlbench::micro {

/// Returns the bytes that an op must read and write at least: its operands, except that slice and embedding read only
/// what they select.
inline double bytes_moved(const kernels::Binding& binding) {
  double bytes = 0;
  for (const auto& type : binding.outputs) bytes += static_cast<double>(graph::bytes(type));
  const auto kind = binding.op->kind();
  if (kind == "slice") return 2 * bytes;
  if (kind == "embedding") return 2 * bytes + static_cast<double>(graph::bytes(binding.inputs[0]));
  for (const auto& type : binding.inputs) bytes += static_cast<double>(graph::bytes(type));
  return bytes;
}

/// A kernel with `places` sets of operands of its own, which launches use in rotation.
class Bound {
 public:
  Bound(kernels::Device& device, const kernels::Binding& binding, int places = 1) : device_(device) {
    const auto start = std::chrono::steady_clock::now();
    kernel_ = device.bind(binding);
    bind_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    places_.resize(static_cast<std::size_t>(places));
    for (const auto& type : binding.inputs) {
      const auto contents = filled(type, classes_of(binding));
      for (Place& place : places_) place.inputs.push_back(add(contents));
    }
    for (const auto& type : binding.outputs) {
      const std::vector<char> zeros(graph::bytes(type));
      for (Place& place : places_) place.outputs.push_back(add(zeros));
    }
    const auto kind = binding.op->kind();
    if (kind == "sgd_update" || kind == "adam_update") {  // updated in place: w is input 0, the states follow the
                                                          // gradient
      for (Place& place : places_) {
        for (std::size_t o = 0; o < place.outputs.size(); ++o) place.inputs[o == 0 ? 0 : o + 1] = place.outputs[o];
      }
    }
    if (kind == "encode" && binding.inputs.size() == 2) {  // the residual
      for (Place& place : places_) place.inputs[1] = place.outputs[1];
    }
    workspace_ = add(std::vector<char>(kernel_->workspace_bytes()));
    const graph::Scalars scalars{0.01f, 0.01f};
    const auto* bytes = reinterpret_cast<const char*>(&scalars);
    scalars_ = static_cast<const graph::Scalars*>(add(std::vector<char>(bytes, bytes + sizeof scalars)));
  }
  ~Bound() {
    for (void* memory : memory_) device_.release(memory);
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  void launch() {
    const Place& place = places_[next_++ % places_.size()];
    kernel_->launch({place.inputs.data(), place.outputs.data(), workspace_, scalars_});
  }
  /// Makes an input the output of another kernel, which must exist as long as this one. Both have one place.
  void read(int input, const Bound& from, int output) {
    places_.front().inputs[static_cast<std::size_t>(input)] =
        from.places_.front().outputs[static_cast<std::size_t>(output)];
  }
  double flops() const { return kernel_->flops(); }
  double bind_seconds() const { return bind_seconds_; }

 private:
  struct Place {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  /// Returns the number of classes: tokens and labels are in [0, classes).
  static std::int64_t classes_of(const kernels::Binding& binding) {
    const auto kind = binding.op->kind();
    if (kind == "embedding") return binding.inputs[1].shape[0];
    if (kind == "embedding_backward_weight") return binding.outputs[0].shape[0];
    return binding.inputs[0].shape.back();
  }
  static std::vector<char> filled(const graph::TensorType& type, std::int64_t classes) {
    using graph::DType;
    std::vector<char> bytes(graph::bytes(type));
    if (type.dtype == DType::i32) {
      auto* values = reinterpret_cast<std::int32_t*>(bytes.data());
      for (std::size_t i = 0; i < bytes.size() / sizeof(std::int32_t); ++i) {
        values[i] = static_cast<std::int32_t>(i * 2654435761u % static_cast<std::uint64_t>(classes));
      }
    }
    if (!is_float(type.dtype)) return bytes;
    // Small numbers: a softmax of large products has denormal numbers, with which products on some processors take a
    // hundred times as long.
    std::vector<float> values(static_cast<std::size_t>(graph::elements(type.shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (static_cast<float>(i * 2654435761u % 2048) / 1024.0f - 1) / 16;
    }
    if (type.dtype == DType::f32) {
      std::memcpy(bytes.data(), values.data(), bytes.size());
    } else {
      kernels::narrow(1, type.dtype, values.data(), bytes.data(), static_cast<std::int64_t>(values.size()));
    }
    return bytes;
  }
  void* add(const std::vector<char>& bytes) {
    memory_.push_back(device_.allocate(bytes.size()));
    device_.copy_in(memory_.back(), bytes.data(), bytes.size());
    return memory_.back();
  }

  kernels::Device& device_;
  std::unique_ptr<kernels::Kernel> kernel_;
  double bind_seconds_ = 0;
  std::vector<void*> memory_;
  std::vector<Place> places_;
  std::size_t next_ = 0;
  void* workspace_ = nullptr;
  const graph::Scalars* scalars_ = nullptr;
};

}  // namespace ddlbench::micro
