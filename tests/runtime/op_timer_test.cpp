#include "runtime/op_timer.h"

#include <algorithm>

#include "catch.h"
#include "graph/ops/linear.h"
#include "graph/ops/optimizer.h"
#include "graph/scalars.h"
#include "kernels/host_device.h"
#include "kernels/reference/device.h"
#include "kernels/reference/ops.h"
#include "plans.h"
#include "runtime/timed_memory.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;

namespace {

/// A device that records the peak of its allocated memory.
class PeakDevice final : public kernels::HostDevice {
 public:
  std::string kind() const override { return "reference"; }
  std::string description() const override { return "a device that is watched"; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override { return table_.bind(binding); }
  void* allocate(std::size_t bytes) override {
    void* memory = HostDevice::allocate(bytes);
    peak_bytes = std::max(peak_bytes, allocated_bytes());
    return memory;
  }
  std::int64_t peak_bytes = 0;

 private:
  kernels::KernelTable table_ = kernels::reference::all_kernels();
};

constexpr BufferId weights = 0, gradients = 1, momenta = 2, first_activation = 3;
constexpr std::int64_t layers = 4, width = 64, layer_bytes = width * width * 4, rows = 16,
                       activation_bytes = rows * width * 4;

/// Layers of width × width and one update of all of them, in flat storage.
std::vector<Compute> step() {
  std::vector<Compute> step;
  const auto layer = std::make_shared<graph::Linear>(false, graph::Activation::none);
  for (int l = 0; l < layers; ++l) {
    step.push_back(
        {{layer},
         {test::operand(first_activation + l, {rows, width}), test::operand(weights, {width, width}, l * layer_bytes)},
         {test::operand(first_activation + l + 1, {rows, width})}});
  }
  const auto flat = [](BufferId buffer) { return test::operand(buffer, {layers * width * width}); };
  step.push_back({{graph::sgd({.momentum = 0.9f}).update({})},
                  {flat(weights), flat(gradients), flat(momenta)},
                  {flat(weights), flat(momenta)}});
  return step;
}

Computations named(const std::vector<Compute>& step) {
  Computations computations;
  for (std::size_t i = 0; i < step.size(); ++i) computations.emplace_back("work " + std::to_string(i), &step[i]);
  return computations;
}

std::int64_t peak_of(const std::vector<Compute>& step, std::int64_t most_bytes) {
  PeakDevice device;
  const auto times = time_computations(named(step), device, 1e-5, most_bytes);
  CHECK(times.size() == step.size());
  for (const auto& [key, time] : times) CHECK(time > 0);
  CHECK(device.allocated_bytes() == 0);
  return device.peak_bytes - static_cast<std::int64_t>(sizeof(graph::Scalars));
}

}  // namespace

TEST_CASE("computations are timed on memory that they share as in their program") {
  const auto all = 3 * layers * layer_bytes + (layers + 1) * activation_bytes;
  CHECK(peak_of(step(), all) == all);
}

TEST_CASE("computations that do not fit together are timed in parts, or one by one") {
  const std::int64_t update = 3 * layers * layer_bytes, layer = layer_bytes + 2 * activation_bytes;
  CHECK(peak_of(step(), update) == update);
  CHECK(peak_of(step(), 2 * layer) == update);
  auto forward = step();
  forward.pop_back();
  CHECK(peak_of(forward, 2 * layer) == 2 * layer_bytes + 3 * activation_bytes);
  CHECK(peak_of(forward, 0) == layer);
}

TEST_CASE("overlapping ranges of buffers are merged, and disjoint ones stay separate") {
  TouchedParts parts;
  const auto touch = [&parts](const Operand& operand) { parts.add(Compute{{}, {operand}}); };
  touch(test::operand(0, {128}, 1024));
  touch(test::operand(0, {128}, 2048));
  touch(test::operand(1, {128}, 1024));
  CHECK(parts.bytes() == 3 * 512);
  touch(test::operand(0, {1}, 1532));
  CHECK(parts.bytes() == 3 * 512);
  touch(test::operand(0, {384}, 1024));  // up to 2560
  CHECK(parts.all().size() == 2);
  CHECK(parts.bytes() == 1536 + 512);
  touch(test::operand(0, {0}, 1024));
  CHECK(parts.bytes() == 1536 + 512);
  auto other_age = test::operand(0, {128}, 1024);
  other_age.view.age = 1;
  touch(other_age);
  CHECK(parts.bytes() == 1536 + 2 * 512);
  touch(test::operand(0, {4}, 4, graph::DType::i32));
  CHECK(parts.bytes() == 1536 + 2 * 512 + 256);

  PeakDevice device;
  const TimedMemory memory(device, parts);
  CHECK(device.peak_bytes == parts.bytes());
  const auto at = [&memory](const Operand& operand) { return static_cast<const char*>(memory.of(operand.view)); };
  CHECK(at(test::operand(0, {128}, 2048)) - at(test::operand(0, {128}, 1024)) == 1024);
  CHECK(at(test::operand(0, {0}, 1024)) == nullptr);
  const char* const labels = at(test::operand(0, {4}, 4, graph::DType::i32));
  const char* const part_of_labels = labels - 4;
  CHECK(at(test::operand(0, {128}, 1024)) - part_of_labels == 256);  // the next part begins where this one ends
  const auto* label = reinterpret_cast<const std::int32_t*>(labels);
  CHECK(std::all_of(label, label + 4, [](std::int32_t value) { return value == 0; }));
  CHECK(*reinterpret_cast<const float*>(at(test::operand(1, {128}, 1024))) != 0);
}
