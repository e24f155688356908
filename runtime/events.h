#pragma once

#include <utility>

#include "kernels/device.h"

namespace ddlbench::runtime {

/// A device event, released together with its owner. Empty if default-constructed.
class OwnedEvent {
 public:
  OwnedEvent() = default;
  OwnedEvent(kernels::Device& device, kernels::EventKind kind) : device_(&device), event_(device.make_event(kind)) {}
  OwnedEvent(OwnedEvent&& other) noexcept : device_(std::exchange(other.device_, nullptr)), event_(other.event_) {}
  OwnedEvent& operator=(OwnedEvent&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedEvent() {
    if (device_ != nullptr) device_->release_event(event_);
  }

  explicit operator bool() const { return device_ != nullptr; }
  kernels::Event event() const { return event_; }

  void record(graph::Stream stream) const { device_->record(event_, stream); }
  void wait_for_event(graph::Stream stream) const { device_->wait_for_event(stream, event_); }
  bool complete() const { return device_->complete(event_); }
  std::int64_t time() const { return device_->time_of(event_); }

 private:
  kernels::Device* device_ = nullptr;
  kernels::Event event_ = 0;
};

}  // namespace ddlbench::runtime
