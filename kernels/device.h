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

/// An op at its local types: what a device binds.
struct Binding : graph::Computation {
  std::vector<graph::TensorType> inputs = {};
  std::vector<graph::TensorType> outputs = {};
  /// What the addresses of operands are multiples of (kernels/alignment.h). Empty: of full_alignment, all of them.
  std::vector<std::int64_t> input_alignments = {}, output_alignments = {};

  std::int64_t input_alignment(int input) const {
    return input_alignments.empty() ? full_alignment : input_alignments.at(static_cast<std::size_t>(input));
  }
  std::int64_t output_alignment(int output) const {
    return output_alignments.empty() ? full_alignment : output_alignments.at(static_cast<std::size_t>(output));
  }
};

/// Tensors in device memory, as their types lay them out, in the order of the binding, aligned as it says. Outputs may
/// coincide with inputs where the op updates in place, and overlap nothing else.
struct Arguments {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  void* workspace = nullptr;
  const graph::Scalars* scalars = nullptr;  ///< in device memory
};

/// A mark that can be put into a stream again and again; each time it is the new place that counts. Of two kinds:
enum class Mark : std::uint8_t {
  order,  ///< streams are held by it; put there while the device records, it can be asked for nothing
  time,   ///< it tells its time; put there while the device records, each launch stamps it anew, and it holds no stream
};
using Event = std::int32_t;

/// An op made ready: algorithm chosen, primitives created. It owns no tensor memory and allocates nothing
/// when launched. Used by one thread at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Puts the op on the device's compute stream (a CPU has finished on return). While the device records, only
  /// what can be repeated at the same addresses.
  virtual void launch(const Arguments& arguments) = 0;
  virtual std::size_t workspace_bytes() const { return 0; }
  /// What this launch computes, counted from the sizes that it is bound to.
  virtual double flops() const = 0;
};

/// One rank's compute device. Not shared between ranks: each makes its own, and uses it in the thread that made it.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string kind() const = 0;         ///< "reference", "cpu", "cuda"
  virtual std::string description() const = 0;  ///< "AMD EPYC, oneDNN 2.6.3, 2 threads"

  /// Chooses and prepares. Throws InputError naming op and types where the device has no such kernel.
  virtual std::unique_ptr<Kernel> bind(const Binding& binding) = 0;

  /// Whether what it binds depends on how operands are aligned. If not, nobody need say so.
  virtual bool binds_by_alignment() const { return false; }

  /// Which candidates its kernels run, shared by the devices of its kind in this process; none where it has no choice.
  virtual Choices* choices() { return nullptr; }

  /// Device memory, 64-byte aligned at least, touched by the calling thread first. Throws std::bad_alloc. Releasing
  /// may wait for the streams: where a peer is awaited there, abort the communication first.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// What allocate() has given and release() not taken back, to the byte as it was asked for.
  virtual std::int64_t handed_out_bytes() const = 0;
  /// These three come after all that is on the compute stream, and are done on return. Not while it records.
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void fill_zero(void* device, std::size_t bytes) = 0;

  /// Whether launches and asynchronous copies return before they are done. Without, each call has done all when it
  /// returns, and what follows has no effect, or is true at once.
  virtual bool asynchronous() const { return false; }

  virtual Event make_event(Mark) { return 0; }
  virtual void release_event(Event) noexcept {}
  /// Moves the mark to the present end of the stream.
  virtual void record(Event, graph::Stream) {}
  /// What is put on the stream from now on begins after the mark; the host goes on.
  virtual void hold(graph::Stream, Event) {}
  virtual bool complete(Event) { return true; }
  /// Blocks the host until all before the mark is done.
  virtual void wait(Event) {}
  /// When a complete event came, in nanoseconds of std::chrono::steady_clock. Asynchronous devices alone.
  virtual std::int64_t time_of(Event) { return 0; }
  /// Called while all streams but `input` are empty, now and then, so that times do not drift from the host's clock.
  virtual void align_clock() {}
  /// Blocks the host until all streams are empty.
  virtual void finish() {}

  /// Host memory that asynchronous copies can use (pinned). Throws std::bad_alloc.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) noexcept = 0;
  /// Put a copy on a stream; the host memory is the stream's until it is done.
  virtual void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream stream) = 0;
  virtual void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream stream) = 0;

  /// Launches, copies, marks and holds that were noted instead of run, to be run as one (a CUDA graph).
  class Recording {
   public:
    virtual ~Recording() = default;
    /// Puts all of it on the streams, after all that was put on any of them before, `input` aside. Destroyed before
    /// the communicators whose operations are in it.
    virtual void launch() = 0;
  };
  virtual bool can_record() const { return false; }
  /// All that this thread puts on any stream but `input` until end_recording is noted. A hold by a mark from before is
  /// an error.
  virtual void begin_recording() {}
  virtual std::unique_ptr<Recording> end_recording() { return nullptr; }
  /// After an error between the two.
  virtual void abandon_recording() noexcept {}

  /// The stream as the device's library knows it (a cudaStream_t); nullptr where it has none.
  virtual void* native(graph::Stream) { return nullptr; }
  /// What could be allocated on it when this was made, by all ranks that share it together; 0 where that is not known.
  virtual std::int64_t memory_bytes() const { return 0; }
};

struct DeviceOptions {
  int threads = 1;            ///< a CPU's threads for this rank
  int ordinal = 0;            ///< which one, of a kind that the machine has several of
  bool tf32 = false;          ///< products of f32 may round their factors to 10 bits; of a device that has that
  bool deterministic = true;  ///< no algorithm whose result differs from run to run
  bool winograd = true;       ///< convolutions may be computed by Winograd's algorithm, or by Fourier transforms
};

/// What a machine has of a kind of device.
struct DeviceCount {
  int devices = 0;
  std::string why_none;  ///< in a line, where there is none: no driver, not built in, …
};

/// A kind of device that this build has, for `list` and for the configuration's schema. A kind that was left
/// out when it was built is there, too: it has no devices, and its maker says why (InputError).
struct DeviceKind {
  std::string name;
  std::string help;
  std::unique_ptr<Device> (*make)(const DeviceOptions&) = nullptr;
  DeviceCount (*count)() = nullptr;  ///< without a cost to speak of
  /// The channel block (graph::TensorType), or graph::all_channels, in which it computes convolutions of `dtype` best,
  /// with `tf32` as in DeviceOptions; 1, or none, is row-major.
  std::int64_t (*channel_block)(graph::DType dtype, bool tf32) = nullptr;
  /// Which library it needs that does not load, in a line with the remedy; empty where all do. Loads them, which a
  /// process keeps: asked where such devices will compute.
  std::string (*missing_library)() = nullptr;
  bool asynchronous = false;  ///< Device::asynchronous() of its devices
};

const std::vector<DeviceKind>& device_kinds();

/// Of the device kind of that name. Throws InputError listing the kinds there are.
std::int64_t channel_block(const std::string& kind, graph::DType dtype, bool tf32 = false);
bool asynchronous(const std::string& kind);

/// Throws InputError listing the kinds there are.
std::unique_ptr<Device> make_device(const std::string& kind, const DeviceOptions& options);

}  // namespace ddlbench::kernels
