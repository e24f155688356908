#include "kernels/cuda/device.h"

#include <fmt/core.h>
#include <map>
#include <mutex>
#include <string>

#include "base/error.h"
#include "kernels/cuda/all_kernels.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/choose.h"
#include "kernels/cuda/current.h"
#include "kernels/cuda/dnn/handle.h"
#include "kernels/cuda/events.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/recording.h"
#include "kernels/cuda/streams.h"
#include "kernels/cuda/versions.h"
#include "kernels/cuda/visible.h"

namespace ddlbench::kernels::cuda {
namespace {

/// A kernel that makes its device's GPU current for each launch, whichever GPU the calling thread used before.
class OnGpu final : public Kernel {
 public:
  OnGpu(int ordinal, std::unique_ptr<Kernel> kernel) : ordinal_(ordinal), kernel_(std::move(kernel)) {}
  ~OnGpu() override { cudaSetDevice(ordinal_); }
  void launch(const Arguments& arguments) override {
    make_current(ordinal_);
    kernel_->launch(arguments);
  }
  std::size_t workspace_bytes() const override { return kernel_->workspace_bytes(); }
  double flops() const override { return kernel_->flops(); }

 private:
  int ordinal_;
  std::unique_ptr<Kernel> kernel_;
};

std::string describe(const Context& context) {
  const std::string driver = driver_version();
  std::string text = fmt::format("{}, sm_{}", context.gpu, context.compute_capability);
  for (const auto& library : library_versions(Load::yes)) {
    text += (library.name == "CUDA runtime" ? ", CUDA " : ", " + library.name + " ") + library.loaded;
    if (library.name == "CUDA runtime" && !driver.empty()) text += ", driver " + driver;
  }
  return text;
}

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "querying a GPU's properties");
  return properties;
}

/// Returns what choices depend on: the GPU, the driver and the libraries.
std::string choice_context(int ordinal) {
  const cudaDeviceProp properties = properties_of(ordinal);
  std::string context = fmt::format("{} of compute capability {}.{}, driver {}", properties.name, properties.major,
                                    properties.minor, driver_version());
  for (const LibraryVersion& library : library_versions(Load::yes))
    context += fmt::format(", {} {}", library.name, library.loaded);
  return context;
}

/// Returns the choices of the process (see Choices). GPUs of one kind share them; different kinds have separate ones.
Choices& choices_of(int ordinal) {
  static std::mutex mutex;
  static std::map<std::string, Choices> all;
  const std::string context = choice_context(ordinal);
  const std::lock_guard lock(mutex);
  return all.try_emplace(context, context).first->second;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const DeviceOptions& options, Choices& choices)
      : ordinal_(options.ordinal), streams_(ordinal_), memory_(ordinal_), capture_(ordinal_, streams_) {
    context_.ordinal = ordinal_;
    context_.stream = streams_[graph::Stream::compute];
    context_.tf32 = options.tf32;
    const cudaDeviceProp properties = properties_of(ordinal_);
    context_.gpu = properties.name;
    context_.deterministic = options.deterministic;
    context_.winograd = options.winograd;
    context_.max_workspace_bytes = max_workspace_bytes(properties.totalGlobalMem);
    context_.multiprocessors = properties.multiProcessorCount;
    context_.compute_capability = properties.major * 10 + properties.minor;
    context_.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
    context_.choices = &choices;
    context_.dnn = dnn::make_handle(context_.stream);
    context_.blas = blas::make_handle();
  }
  ~CudaDevice() override { cudaSetDevice(ordinal_); }

  std::string kind() const override { return "cuda"; }
  std::string description() const override { return describe(context_); }

  bool binds_by_alignment() const override { return true; }
  Choices* choices() override { return context_.choices; }
  std::unique_ptr<Kernel> bind(const Binding& binding) override {
    make_current(ordinal_);
    return std::make_unique<OnGpu>(ordinal_, table_.bind(binding));
  }

  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(void* memory) noexcept override { memory_.release(memory); }
  std::int64_t allocated_bytes() const override { return static_cast<std::int64_t>(memory_.allocated_bytes()); }
  void copy_in(void* device, const void* host, std::size_t bytes) override {
    require_running();
    copy(device, host, bytes, cudaMemcpyHostToDevice, graph::Stream::compute);
    finish_compute();
  }
  void copy_out(void* host, const void* device, std::size_t bytes) override {
    require_running();
    copy(host, device, bytes, cudaMemcpyDeviceToHost, graph::Stream::compute);
    finish_compute();
  }
  void fill_zero(void* device, std::size_t bytes) override {
    require_running();
    make_current(ordinal_);
    if (bytes > 0) check(cudaMemsetAsync(device, 0, bytes, context_.stream), "clearing device memory");
    finish_compute();
  }

  bool asynchronous() const override { return true; }
  Event make_event(EventKind event_kind) override {
    make_current(ordinal_);
    return events_.make(event_kind);
  }
  void release_event(Event event) noexcept override { events_.release(event); }
  void record(Event event, graph::Stream stream) override {
    make_current(ordinal_);
    events_.record(event, streams_[stream]);
  }
  void wait_for_event(graph::Stream stream, Event event) override {
    make_current(ordinal_);
    events_.wait_for_event(streams_[stream], event);
  }
  bool complete(Event event) override {
    make_current(ordinal_);
    return events_.complete(event);
  }
  void wait(Event event) override {
    make_current(ordinal_);
    events_.wait(event);
  }
  std::int64_t time_of(Event event) override {
    make_current(ordinal_);
    return events_.time_of(event);
  }
  void align_clock() override {
    make_current(ordinal_);
    events_.align_clock();
  }
  void finish() override {
    make_current(ordinal_);
    streams_.finish();
  }

  void* allocate_host(std::size_t bytes) override {
    make_current(ordinal_);
    return allocate_pinned(bytes);
  }
  void release_host(void* memory) noexcept override { release_pinned(memory); }
  void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream stream) override {
    copy(device, pinned, bytes, cudaMemcpyHostToDevice, stream);
  }
  void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream stream) override {
    copy(pinned, device, bytes, cudaMemcpyDeviceToHost, stream);
  }

  bool can_record() const override { return true; }
  void begin_recording() override {
    make_current(ordinal_);
    capture_.begin();
  }
  std::unique_ptr<Recording> end_recording() override {
    make_current(ordinal_);
    return capture_.end();
  }
  void abandon_recording() noexcept override { capture_.abandon(); }

  void* native(graph::Stream stream) override { return streams_[stream]; }
  std::int64_t memory_bytes() const override { return memory_.available_bytes(); }

 private:
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, graph::Stream stream) {
    make_current(ordinal_);
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, kind, streams_[stream]), "copying between host and GPU");
  }
  void require_running() const { require(!capture_.active(), "a device cannot wait while it records"); }
  void finish_compute() { check(cudaStreamSynchronize(context_.stream), "waiting for a stream"); }

  int ordinal_;
  Streams streams_;
  Events events_;
  Memory memory_;
  Capture capture_;
  Context context_;
  KernelTable table_ = all_kernels(context_);
};

}  // namespace

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  const DeviceCount count = count_devices();
  if (count.devices == 0) throw InputError("no device of kind 'cuda': " + count.why_none);
  if (options.ordinal < 0 || options.ordinal >= count.devices) {
    throw InputError(fmt::format("GPU {} was requested, but {}{} visible ({})", options.ordinal, count.devices,
                                 count.devices == 1 ? " is" : " are", visible_devices()));
  }
  return std::make_unique<CudaDevice>(options, choices_of(options.ordinal));
}

}  // namespace ddlbench::kernels::cuda
