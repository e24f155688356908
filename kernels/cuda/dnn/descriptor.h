#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ddlbench::kernels::cuda::dnn {

/// An error status of cuDNN. For a graph or a configuration, it usually means "not supported".
class DnnError : public std::exception {
 public:
  DnnError(cudnnStatus_t status, const std::string& what);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Throws OutOfMemory if an allocation failed, and DnnError with "what: status: cuDNN's message" for any other error.
void expect_success(cudnnStatus_t status, const char* what);

/// A descriptor of cuDNN's graph API (cudnn_graph.h). Copies share it, and the last one destroys it. It keeps the
/// descriptors alive to which it refers.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);

  cudnnBackendDescriptor_t raw() const { return raw_.get(); }

  Descriptor& set(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type, std::int64_t count,
                  const void* values);
  Descriptor& set(cudnnBackendAttributeName_t attribute, const std::vector<std::int64_t>& values);
  Descriptor& set(cudnnBackendAttributeName_t attribute, const Descriptor& other);
  Descriptor& set(cudnnBackendAttributeName_t attribute, const std::vector<Descriptor>& others);
  template <class Value>
  Descriptor& set(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type, Value value) {
    return set(attribute, type, 1, &value);
  }
  Descriptor& set_float(cudnnBackendAttributeName_t attribute, float value) {
    return set(attribute, CUDNN_TYPE_FLOAT, 1, &value);
  }
  /// Returns itself.
  Descriptor& finalize(const char* what);

  /// Returns the number of values of the attribute.
  std::int64_t count(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type) const;
  std::int64_t integer(cudnnBackendAttributeName_t attribute) const;
  /// Fills descriptors of the right type that the caller made. Returns the number of available ones, as cuDNN reports
  /// it.
  std::int64_t fill(cudnnBackendAttributeName_t attribute, const std::vector<Descriptor>& into) const;
  template <class Value>
  std::vector<Value> values(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type) const {
    std::vector<Value> found(static_cast<std::size_t>(count(attribute, type)));
    if (!found.empty()) read(attribute, type, static_cast<std::int64_t>(found.size()), found.data());
    return found;
  }

 private:
  std::int64_t read(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type, std::int64_t room,
                    void* values) const;

  std::shared_ptr<void> raw_;
  std::vector<Descriptor> kept_;
};

}  // namespace ddlbench::kernels::cuda::dnn
