#include "kernels/cuda/dnn/descriptor.h"

#include <fmt/core.h>
#include <array>

#include "kernels/cuda/memory.h"

namespace ddlbench::kernels::cuda::dnn {

DnnError::DnnError(cudnnStatus_t status, const std::string& what)
    : text_(fmt::format("{}: {}", what, cudnnGetErrorString(status))) {
  std::array<char, 2048> words{};
  cudnnGetLastErrorString(words.data(), words.size());
  if (words[0] != '\0') text_ += std::string(": ") + words.data();
}

void expect_success(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED) {
    throw OutOfMemory(std::string("cuDNN could not allocate the memory for ") + what);
  }
  if (status != CUDNN_STATUS_SUCCESS) throw DnnError(status, what);
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  expect_success(cudnnBackendCreateDescriptor(type, &made), "a descriptor");
  raw_.reset(made, [](void* descriptor) { cudnnBackendDestroyDescriptor(descriptor); });
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type, std::int64_t count,
                            const void* values) {
  expect_success(cudnnBackendSetAttribute(raw(), attribute, type, count, values),
                 (fmt::format("attribute {}", static_cast<int>(attribute))).c_str());
  return *this;
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t attribute, const std::vector<std::int64_t>& values) {
  return set(attribute, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t attribute, const Descriptor& other) {
  return set(attribute, std::vector<Descriptor>{other});
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t attribute, const std::vector<Descriptor>& others) {
  std::vector<cudnnBackendDescriptor_t> raws;
  for (const Descriptor& other : others) raws.push_back(other.raw());
  kept_.insert(kept_.end(), others.begin(), others.end());
  return set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(raws.size()), raws.data());
}

Descriptor& Descriptor::finalize(const char* what) {
  expect_success(cudnnBackendFinalize(raw()), what);
  return *this;
}

std::int64_t Descriptor::read(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type,
                              std::int64_t room, void* values) const {
  std::int64_t found = 0;
  expect_success(cudnnBackendGetAttribute(raw(), attribute, type, room, &found, values),
                 (fmt::format("reading attribute {}", static_cast<int>(attribute))).c_str());
  return found;
}

std::int64_t Descriptor::count(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type) const {
  return read(attribute, type, 0, nullptr);
}

std::int64_t Descriptor::integer(cudnnBackendAttributeName_t attribute) const {
  std::int64_t value = 0;
  read(attribute, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

std::int64_t Descriptor::fill(cudnnBackendAttributeName_t attribute, const std::vector<Descriptor>& into) const {
  std::vector<cudnnBackendDescriptor_t> raws;
  for (const Descriptor& one : into) raws.push_back(one.raw());
  if (raws.empty()) return 0;
  return read(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(raws.size()), raws.data());
}

}  // namespace ddlbench::kernels::cuda::dnn
