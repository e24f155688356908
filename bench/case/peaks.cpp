#include "bench/case/peaks.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "graph/ops/linear.h"
#include "graph/ops/shape.h"
#include "runtime/storage.h"

namespace ddlbench::bench {
namespace {

constexpr double sample_seconds = 10e-3;
constexpr int launches_of_a_size = 3;  ///< minimum
constexpr double clearly = 1.03;       ///< how much faster a larger size must be to be preferred: its product is
                                       ///< measured often

}  // namespace

/// A kernel with operands of its own, all zero.
class PeakProbe::Launch {
 public:
  Launch(kernels::Device& device, const kernels::Binding& binding) : device_(device), kernel_(device.bind(binding)) {
    for (const auto& type : binding.inputs) inputs_.push_back(add(static_cast<std::int64_t>(graph::bytes(type))));
    for (const auto& type : binding.outputs) outputs_.push_back(add(static_cast<std::int64_t>(graph::bytes(type))));
    for (const DeviceMemory& memory : memory_) moved_bytes_ += memory.bytes;
    workspace_ = add(static_cast<std::int64_t>(kernel_->workspace_bytes()));
    device.finish();
  }

  double flops() const { return kernel_->flops(); }
  double moved_bytes() const { return static_cast<double>(moved_bytes_); }

  /// Returns the shortest time of at least `fewest` launches. On an asynchronous device, launches are timed ten at a
  /// time, which hides the launch latency.
  double seconds(int fewest = 1) {
    const int together = device_.asynchronous() ? 10 : 1;
    double shortest = std::numeric_limits<double>::infinity(), spent = 0;
    for (int i = 0; i < fewest || spent < sample_seconds; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < together; ++k) kernel_->launch({inputs_.data(), outputs_.data(), workspace_, nullptr});
      device_.finish();
      const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      spent += taken;
      shortest = std::min(shortest, taken / together);
    }
    return shortest;
  }

 private:
  struct DeviceMemory {
    runtime::DeviceMemory memory;
    std::int64_t bytes;
  };
  void* add(std::int64_t bytes) {
    memory_.push_back({runtime::DeviceMemory(device_, bytes), bytes});
    device_.fill_zero(memory_.back().memory.data(), static_cast<std::size_t>(bytes));
    return memory_.back().memory.data();
  }

  kernels::Device& device_;
  std::unique_ptr<kernels::Kernel> kernel_;
  std::vector<DeviceMemory> memory_;
  std::int64_t moved_bytes_ = 0;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  void* workspace_ = nullptr;
};

PeakProbe::PeakProbe(kernels::Device& device, graph::DType dtype, double longest_seconds) : device_(device) {
  constexpr std::int64_t smallest = 256, largest = 8192;
  for (std::int64_t size = smallest; size <= largest; size *= 2) {
    const graph::TensorType matrix{{size, size}, dtype};
    auto product = std::make_unique<Launch>(
        device, kernels::Binding{
                    {std::make_shared<graph::Linear>(false, graph::Activation::none)}, {matrix, matrix}, {matrix}});
    const double seconds = product->seconds(launches_of_a_size);
    const double rate = product->flops() / seconds;
    if (rate > clearly * best_.flops_per_second) {
      best_.flops_per_second = rate;
      best_.size = size;
      product_ = std::move(product);
    }
    if (seconds > longest_seconds) break;
  }
}

PeakProbe::~PeakProbe() = default;

double PeakProbe::measure_products() {
  const double now = product_->flops() / product_->seconds();
  best_.flops_per_second = std::max(best_.flops_per_second, now);
  return now;
}

double PeakProbe::measure_memory() {
  if (movers_.empty()) {
    const graph::TensorType tensor{{std::int64_t{1} << 14, std::int64_t{1} << 10}};  // 64 MiB
    movers_.push_back(std::make_unique<Launch>(
        device_, kernels::Binding{{std::make_shared<graph::Slice>(0, 1, 0)}, {tensor}, {tensor}}));
    movers_.push_back(std::make_unique<Launch>(
        device_, kernels::Binding{{std::make_shared<graph::Add>()}, {tensor, tensor}, {tensor}}));
  }
  double now = 0;
  for (const auto& mover : movers_) now = std::max(now, mover->moved_bytes() / mover->seconds());
  best_.bytes_per_second = std::max(best_.bytes_per_second, now);
  return now;
}

}  // namespace ddlbench::bench
