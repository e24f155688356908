#include "runtime/op_timer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>

#include "graph/scalars.h"
#include "kernels/convert.h"
#include "program/program.h"
#include "runtime/backlog.h"
#include "runtime/floats.h"
#include "runtime/kernel_cache.h"
#include "runtime/recorder.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

constexpr int warm_up_rounds = 2;
constexpr int least_rounds = 2;
constexpr int wanted_rounds = 12;
constexpr std::int64_t long_enough = 1000000000;  // nanoseconds
constexpr int most_rounds = 50;

/// Memory for views: one view, one place. Integers are zero, which is a label, an index and a token of any
/// model; floats are small, and different ones.
class Places {
 public:
  explicit Places(kernels::Device& device) : device_(device) {}

  void* of(const Operand& operand) {
    const View& view = operand.view;
    const auto [place, is_new] =
        places_.try_emplace({view.buffer, view.offset, view.bytes, view.age}, device_, view.bytes);
    if (!is_new || view.bytes == 0) return place->second.data();
    if (operand.type.dtype == graph::DType::f32 || kernels::is_narrow(operand.type.dtype)) {
      fill(place->second.data(), operand.type.dtype, static_cast<std::size_t>(view.bytes));
    } else {
      device_.fill_zero(place->second.data(), static_cast<std::size_t>(view.bytes));
    }
    return place->second.data();
  }

 private:
  void fill(std::byte* memory, graph::DType dtype, std::size_t bytes) {
    const std::size_t size = graph::size_of(dtype);
    for (std::size_t done = 0; done < bytes; done += values_.size() * size) {
      const std::size_t count = std::min(values_.size(), (bytes - done) / size);
      if (count == 0) break;
      write_floats(device_, dtype, memory + done, std::span(values_).first(count));
    }
  }

  static std::vector<float> some_values() {
    std::vector<float> values(std::size_t{1} << 18);
    std::uint32_t state = 1;
    for (float& value : values) {
      state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
      value = static_cast<float>(state >> 8) * 0x1p-27F;
    }
    return values;
  }

  using Key = std::tuple<BufferId, std::int64_t, std::int64_t, int>;
  kernels::Device& device_;
  const std::vector<float> values_ = some_values();  ///< again and again
  std::map<Key, DeviceMemory> places_;
};

struct Timed {
  kernels::Kernel* kernel = nullptr;
  std::vector<void*> inputs, outputs;
  kernels::Arguments arguments;
  std::vector<std::int64_t>* nanoseconds = nullptr;  ///< of its key
};

/// Runs all once, by the host's clock.
void run_by_clock(std::span<Timed> timed, bool counts) {
  for (Timed& t : timed) {
    const std::int64_t begin = now();
    t.kernel->launch(t.arguments);
    if (counts) t.nanoseconds->push_back(now() - begin);
  }
}

/// Runs all once on an asynchronous device, by marks between them in a stream that the host is ahead of.
class RunByMarks {
 public:
  explicit RunByMarks(kernels::Device& device) : device_(device), backlog_(device) {
    for (OwnedMark& mark : marks_) mark = OwnedMark(device, kernels::Mark::time);
  }

  void operator()(std::span<Timed> timed, bool counts) {
    for (std::size_t first = 0; first < timed.size(); first += Backlog::launches) {
      const std::size_t count = std::min(Backlog::launches, timed.size() - first);
      device_.align_clock();  // or times would be too coarse, long after the last time
      backlog_.hold();
      marks_[0].record(kernels::Stream::compute);
      for (std::size_t i = 0; i < count; ++i) {
        timed[first + i].kernel->launch(timed[first + i].arguments);
        marks_[i + 1].record(kernels::Stream::compute);
      }
      device_.finish();
      for (std::size_t i = 0; counts && i < count; ++i) {
        const std::int64_t taken = marks_[i + 1].time() - marks_[i].time();
        timed[first + i].nanoseconds->push_back(std::max<std::int64_t>(1, taken));
      }
    }
  }

 private:
  kernels::Device& device_;
  Backlog backlog_;
  std::array<OwnedMark, Backlog::launches + 1> marks_;
};

}  // namespace

std::int64_t lower_quartile(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::map<std::string, std::int64_t> time_computations(const Computations& computations, kernels::Device& device,
                                                      double seconds_per_op) {
  if (computations.empty()) return {};
  Places places(device);
  KernelCache kernels(device);
  std::int64_t workspace_bytes = 0;
  for (const auto& [key, compute] : computations) {
    workspace_bytes = std::max(workspace_bytes, static_cast<std::int64_t>(kernels.of(*compute).workspace_bytes()));
  }
  const DeviceMemory workspace(device, workspace_bytes);
  const DeviceMemory scalars(device, sizeof(graph::Scalars));
  const graph::Scalars values;  // of learning rate 0: parameters stay as they are
  device.copy_in(scalars.data(), &values, sizeof values);

  std::map<std::string, std::vector<std::int64_t>> nanoseconds;
  std::vector<Timed> timed(computations.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Compute& compute = *computations[i].second;
    Timed& t = timed[i];
    t.nanoseconds = &nanoseconds[computations[i].first];
    t.kernel = &kernels.of(compute);
    for (const Operand& operand : compute.inputs) t.inputs.push_back(places.of(operand));
    for (const Operand& operand : compute.outputs) t.outputs.push_back(places.of(operand));
    t.arguments = {const_cast<const void* const*>(t.inputs.data()), t.outputs.data(), workspace.data(),
                   reinterpret_cast<const graph::Scalars*>(scalars.data())};
  }
  // In a round each key has its turn: of one key alone that is the next of its places.
  const std::size_t launches = nanoseconds.size() == 1 ? 1 : timed.size();
  std::size_t next = 0;
  const auto total = static_cast<std::int64_t>(seconds_per_op * 1e9 * static_cast<double>(nanoseconds.size()));
  std::optional<RunByMarks> by_marks;
  if (device.asynchronous()) by_marks.emplace(device);
  std::int64_t begun = now();
  for (int round = -warm_up_rounds; round < most_rounds; ++round) {
    if (round == 1 - warm_up_rounds && now() - begun >= long_enough / 2) round = 0;  // long ones are warm after one
    if (round == 0) begun = now();
    const std::int64_t spent = round > 0 ? now() - begun : 0;
    if (round >= least_rounds && spent >= long_enough) break;
    if (round >= wanted_rounds && spent >= total) break;
    const std::span<Timed> turn = std::span(timed).subspan(next, launches);
    next = (next + launches) % timed.size();
    if (by_marks) {
      (*by_marks)(turn, round >= 0);
    } else {
      run_by_clock(turn, round >= 0);
    }
  }
  std::map<std::string, std::int64_t> result;
  for (auto& [key, times] : nanoseconds) result[key] = 1000 * lower_quartile(std::move(times));
  return result;
}

}  // namespace ddlbench::runtime
