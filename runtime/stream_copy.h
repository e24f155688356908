#pragma once

#include "comm/staged/host_copy.h"
#include "kernels/device.h"

namespace ddlbench::runtime {

/// A rank's copies for staged communication. Copies to the host use the copy stream; whoever starts an operation first
/// makes that stream wait as needed. Copies to the device use the communication stream, which is otherwise unused on
/// this route.
class StreamCopy final : public comm::HostCopy {
 public:
  explicit StreamCopy(kernels::Device& device) : device_(device) {}

  void* allocate_host(std::size_t bytes) override { return device_.allocate_host(bytes); }
  void release_host(void* memory) noexcept override { device_.release_host(memory); }
  Event make_event() override { return device_.make_event(kernels::EventKind::order); }
  void begin_out(void* host, const void* device, std::size_t bytes) override {
    device_.copy_out(host, device, bytes, out);
  }
  void begin_in(void* device, const void* host, std::size_t bytes) override {
    device_.copy_in(device, host, bytes, in);
  }
  void record_out(Event event) override { device_.record(event, out); }
  void record_in(Event event) override { device_.record(event, in); }
  bool complete(Event event) override { return device_.complete(event); }
  void synchronize(Event event) noexcept override;
  void release_event(Event event) noexcept override { device_.release_event(event); }

 private:
  static constexpr auto out = graph::Stream::copy;
  static constexpr auto in = graph::Stream::communication;
  kernels::Device& device_;
};

}  // namespace ddlbench::runtime
