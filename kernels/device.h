#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/scalars.h"

namespace ddlbench::kernels {

/// An op at its local types: what a device binds.
struct Binding {
  graph::OpPtr op;
  std::vector<graph::TensorType> inputs;
  std::vector<graph::TensorType> outputs;
  bool accumulate = false;  ///< add to the outputs instead of writing them
};

/// Dense tensors in device memory, in the order of the binding. Outputs may coincide with inputs where
/// the op updates in place, and overlap nothing else.
struct Arguments {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  void* workspace = nullptr;
  const graph::Scalars* scalars = nullptr;  ///< in device memory
};

/// A place in a stream's order. 0 is complete from the start.
using Event = std::uint64_t;

/// An op made ready: algorithm chosen, primitives created. It owns no tensor memory and allocates nothing
/// when launched. Used by one thread at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Starts the op on the device's compute stream (a CPU has finished on return).
  virtual void launch(const Arguments& arguments) = 0;
  virtual std::size_t workspace_bytes() const { return 0; }
  /// What this launch computes, counted from the sizes that it is bound to.
  virtual double flops() const = 0;
};

/// One rank's compute device. Not shared between ranks: each makes its own.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string kind() const = 0;         ///< "reference", "cpu", "cuda"
  virtual std::string description() const = 0;  ///< "AMD EPYC, oneDNN 2.6.3, 2 threads"

  /// Chooses and prepares. Throws InputError naming op and types where the device has no such kernel.
  virtual std::unique_ptr<Kernel> bind(const Binding& binding) = 0;

  /// Device memory, 64-byte aligned at least, touched by the calling thread first. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void fill_zero(void* device, std::size_t bytes) = 0;

  /// Marks the present end of the compute stream; complete once all launched before is.
  virtual Event record() { return 0; }
  virtual bool complete(Event) { return true; }
  /// Blocks the host until `event` is complete.
  virtual void wait(Event) {}
};

struct DeviceOptions {
  int threads = 1;  ///< a CPU's threads for this rank
};

/// A kind of device that this build has, for `list` and for the configuration's schema.
struct DeviceKind {
  std::string name;
  std::string help;
  std::unique_ptr<Device> (*make)(const DeviceOptions&);
};

const std::vector<DeviceKind>& device_kinds();

/// Throws InputError listing the kinds there are.
std::unique_ptr<Device> make_device(const std::string& kind, const DeviceOptions& options);

}  // namespace ddlbench::kernels
