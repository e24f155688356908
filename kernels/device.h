#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/scalars.h"
#include "graph/stream.h"
#include "kernels/alignment.h"

namespace ddlbench::kernels {

class Choices;

/// An op with the types of its operands on this rank: what a device binds.
struct Binding : graph::Computation {
  std::vector<graph::TensorType> inputs = {};
  std::vector<graph::TensorType> outputs = {};
  /// The alignment of the operands' addresses in bytes (kernels/alignment.h). If empty, all operands are aligned to
  /// full_alignment.
  std::vector<std::int64_t> input_alignments = {}, output_alignments = {};

  std::int64_t input_alignment(int input) const {
    return input_alignments.empty() ? full_alignment : input_alignments.at(static_cast<std::size_t>(input));
  }
  std::int64_t output_alignment(int output) const {
    return output_alignments.empty() ? full_alignment : output_alignments.at(static_cast<std::size_t>(output));
  }
};

/// Tensors in device memory, laid out as their types say, in the order of the binding and with the alignments that it
/// states. An output may share memory with an input only if the op updates in place; otherwise outputs overlap nothing.
struct Arguments {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  void* workspace = nullptr;
  const graph::Scalars* scalars = nullptr;  ///< in device memory
};

/// The kind of a device event. An event can be recorded any number of times; the last recording counts.
enum class EventKind : std::uint8_t {
  order,  ///< for waits of streams; if recorded while the device records, it cannot be queried
  time,   ///< for timing; if recorded while the device records, each launch records its time anew, and no stream can
          ///< wait for it
};
using Event = std::int32_t;

/// An op that is ready to launch: its algorithm is chosen and its primitives are created. It owns no tensor memory and
/// allocates no device memory in a launch. Only one thread at a time may use it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Enqueues the op on the device's compute stream; on a CPU, the op has finished on return. While the device records,
  /// enqueues only work that can be repeated at the same addresses.
  virtual void launch(const Arguments& arguments) = 0;
  virtual std::size_t workspace_bytes() const { return 0; }
  /// Returns the floating-point operations of a launch, computed from the sizes in the binding.
  virtual double flops() const = 0;
};

/// The compute device of one rank. Ranks do not share a device: each makes its own and uses it only in the thread that
/// made it.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string kind() const = 0;         ///< "reference", "cpu", "cuda"
  virtual std::string description() const = 0;  ///< "AMD EPYC, oneDNN 2.6.3, 2 threads"

  /// Chooses an algorithm and prepares a kernel. Throws InputError, which names op and types, if the device has no such
  /// kernel.
  virtual std::unique_ptr<Kernel> bind(const Binding& binding) = 0;

  /// Returns whether the kernels that the device binds depend on the alignment of operands. If not, bindings may omit
  /// it.
  virtual bool binds_by_alignment() const { return false; }

  /// Returns which of an op's candidates the kernels of this kind of device run; all devices of the kind in this
  /// process share it. Null if the device never chooses between candidates.
  virtual Choices* choices() { return nullptr; }

  /// Allocates device memory, aligned to at least 64 bytes; the calling thread touches it first. Throws std::bad_alloc.
  /// release() may wait for the streams. If a stream waits for a peer, abort the communication first.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Returns the bytes that are allocated and not yet released, as requested, without rounding.
  virtual std::int64_t allocated_bytes() const = 0;
  /// These three run after all work on the compute stream and have finished on return. Not allowed while the device
  /// records.
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void fill_zero(void* device, std::size_t bytes) = 0;

  /// Returns whether launches and asynchronous copies return before they have finished. If false, every call has
  /// finished on return, and the functions below do nothing or return true at once.
  virtual bool asynchronous() const { return false; }

  virtual Event make_event(EventKind) { return 0; }
  virtual void release_event(Event) noexcept {}
  /// Records the event at the current end of the stream.
  virtual void record(Event, graph::Stream) {}
  /// Makes all work that is enqueued on the stream from now on wait for the event. Does not block the host.
  virtual void wait_for_event(graph::Stream, Event) {}
  virtual bool complete(Event) { return true; }
  /// Blocks the host until all work before the event has finished.
  virtual void wait(Event) {}
  /// Returns the time of a complete event, in nanoseconds of std::chrono::steady_clock. Only for asynchronous devices.
  virtual std::int64_t time_of(Event) { return 0; }
  /// Aligns the clock of events with the host's, against drift. Called from time to time while all streams except
  /// `input` are empty.
  virtual void align_clock() {}
  /// Blocks the host until all streams are empty.
  virtual void finish() {}

  /// Allocates host memory for asynchronous copies (pinned). Throws std::bad_alloc.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) noexcept = 0;
  /// These two enqueue a copy on a stream. The caller must not touch the host memory until the copy has finished.
  virtual void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream stream) = 0;
  virtual void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream stream) = 0;

  /// Launches, copies, event records and stream waits that were recorded instead of run, to be launched as one (a CUDA
  /// graph).
  class Recording {
   public:
    virtual ~Recording() = default;
    /// Enqueues the recorded work after all work that was enqueued on any stream before, except `input`. Destroy a
    /// Recording before the communicators whose operations it contains.
    virtual void launch() = 0;
  };
  virtual bool can_record() const { return false; }
  /// Records, instead of running, all work that this thread enqueues on any stream except `input` until
  /// end_recording(). It is an error to wait for an event that was recorded before.
  virtual void begin_recording() {}
  virtual std::unique_ptr<Recording> end_recording() { return nullptr; }
  /// Ends the recording after an error between begin_recording() and end_recording().
  virtual void abandon_recording() noexcept {}

  /// Returns the native handle of the stream (a cudaStream_t), or nullptr if the device has none.
  virtual void* native(graph::Stream) { return nullptr; }
  /// Returns the bytes that all ranks sharing the device could allocate together when this device was made; 0 if
  /// unknown.
  virtual std::int64_t memory_bytes() const { return 0; }
};

struct DeviceOptions {
  int threads = 1;            ///< number of CPU threads for this rank
  int ordinal = 0;            ///< index among the machine's devices of this kind
  bool tf32 = false;          ///< f32 products may round factors to 10 bits of mantissa (TF32)
  bool deterministic = true;  ///< use no algorithm whose result differs from run to run
  bool winograd = true;       ///< convolutions may use Winograd's algorithm or Fourier transforms
};

/// The number of devices of a kind on this machine.
struct DeviceCount {
  int devices = 0;
  std::string why_none;  ///< if there are none, the reason in one line: no driver, not built in, …
};

/// A kind of device, for `list` and for the schema of configurations. The list also contains the kinds that this build
/// omits: they have no devices, and `make` throws InputError with the reason.
struct DeviceKind {
  std::string name;
  std::string help;
  std::unique_ptr<Device> (*make)(const DeviceOptions&) = nullptr;
  DeviceCount (*count)() = nullptr;  ///< cheap to call
  /// Returns the channel block (graph::TensorType), or graph::all_channels, with which the device computes convolutions
  /// of `dtype` fastest; 1 is row-major. `tf32` as in DeviceOptions. Null means 1.
  std::int64_t (*channel_block)(graph::DType dtype, bool tf32) = nullptr;
  /// Loads the libraries that the device needs. Returns a line that names a library that cannot be loaded and the
  /// remedy, or an empty string. The libraries stay loaded, so call it only in a process that will compute on such a
  /// device.
  std::string (*missing_library)() = nullptr;
  bool asynchronous = false;  ///< what Device::asynchronous() of its devices returns
};

const std::vector<DeviceKind>& device_kinds();

/// These two return a property of the device kind with that name. They throw InputError, which lists the kinds, if
/// there is none.
std::int64_t channel_block(const std::string& kind, graph::DType dtype, bool tf32 = false);
bool asynchronous(const std::string& kind);

/// Makes a device of the kind with that name. Throws InputError, which lists the kinds, if there is none.
std::unique_ptr<Device> make_device(const std::string& kind, const DeviceOptions& options);

}  // namespace ddlbench::kernels
