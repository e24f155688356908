#include "runtime/op_timer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "graph/scalars.h"
#include "program/program.h"
#include "runtime/backlog.h"
#include "runtime/kernel_cache.h"
#include "runtime/recorder.h"
#include "runtime/storage.h"
#include "runtime/timed_memory.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

constexpr int warm_up_rounds = 2;
constexpr int least_rounds = 2;
constexpr int wanted_rounds = 12;
constexpr std::int64_t long_enough = 1000000000;  // nanoseconds
constexpr int most_rounds = 50;

struct Timed {
  kernels::Kernel* kernel = nullptr;
  std::vector<void*> inputs, outputs;
  kernels::Arguments arguments;
  std::vector<std::int64_t>* nanoseconds = nullptr;  ///< of its key
};

/// Runs each once, timed by the host's clock.
void run_by_clock(std::span<Timed> timed, bool counts) {
  for (Timed& t : timed) {
    const std::int64_t begin = now();
    t.kernel->launch(t.arguments);
    if (counts) t.nanoseconds->push_back(now() - begin);
  }
}

/// Runs each once on an asynchronous device, timed by events in between, in a stream that the host stays ahead of.
class RunByEvents {
 public:
  explicit RunByEvents(kernels::Device& device) : device_(device), backlog_(device) {
    for (OwnedEvent& event : events_) event = OwnedEvent(device, kernels::EventKind::time);
  }

  void operator()(std::span<Timed> timed, bool counts) {
    for (std::size_t first = 0; first < timed.size(); first += Backlog::launches) {
      const std::size_t count = std::min(Backlog::launches, timed.size() - first);
      device_.align_clock();  // after a long time without alignment, times would be too coarse
      backlog_.wait_for_event();
      events_[0].record(graph::Stream::compute);
      for (std::size_t i = 0; i < count; ++i) {
        timed[first + i].kernel->launch(timed[first + i].arguments);
        events_[i + 1].record(graph::Stream::compute);
      }
      device_.finish();
      for (std::size_t i = 0; counts && i < count; ++i) {
        const std::int64_t taken = events_[i + 1].time() - events_[i].time();
        timed[first + i].nanoseconds->push_back(std::max<std::int64_t>(1, taken));
      }
    }
  }

 private:
  kernels::Device& device_;
  Backlog backlog_;
  std::array<OwnedEvent, Backlog::launches + 1> events_;
};

}  // namespace

std::int64_t lower_quartile(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

namespace {

using TimedPart = std::span<const Computations::value_type>;
using Nanoseconds = std::map<std::string, std::vector<std::int64_t>>;

/// Splits the computations into parts of neighbours that touch at most `most_bytes`; a single computation may touch
/// more. A small part, such as the last one, is extended backwards into the previous part: in rounds of its own, it
/// would find data in caches that are not there in a step.
std::vector<TimedPart> parts_within(std::int64_t most_bytes, const Computations& computations) {
  const auto work = [&](std::size_t i) -> const Compute& { return *computations[i].second; };
  std::vector<TimedPart> parts;
  for (std::size_t begin = 0, end = 0; end < computations.size(); begin = end) {
    TouchedParts touched;
    for (; end < computations.size(); ++end) {
      touched.add(work(end));
      if (touched.bytes() > most_bytes && end > begin) break;
    }
    touched = {};
    for (std::size_t i = begin; i < end; ++i) touched.add(work(i));
    for (; begin > 0; --begin) {
      touched.add(work(begin - 1));
      if (touched.bytes() > most_bytes) break;
    }
    parts.push_back(std::span(computations).subspan(begin, end - begin));
  }
  return parts;
}

/// Resources shared by all parts.
struct Shared {
  kernels::Device& device;
  KernelCache kernels;
  std::optional<RunByEvents> by_events;
  DeviceMemory workspace;
  DeviceMemory scalars;
};

std::int64_t workspace_bytes(const Computations& computations, KernelCache& kernels) {
  std::int64_t bytes = 0;
  for (const auto& [key, compute] : computations)
    bytes = std::max(bytes, static_cast<std::int64_t>(kernels.of(*compute).workspace_bytes()));
  return bytes;
}

void time_part(const TimedPart& part, Shared& shared, double seconds_per_op, Nanoseconds& nanoseconds) {
  TouchedParts touched;
  for (const auto& [key, compute] : part) touched.add(*compute);
  const TimedMemory memory(shared.device, touched);
  std::set<std::string> keys;
  std::vector<Timed> timed(part.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const auto& [key, compute] = part[i];
    keys.insert(key);
    Timed& t = timed[i];
    t.nanoseconds = &nanoseconds[key];
    t.kernel = &shared.kernels.of(*compute);
    for (const Operand& operand : compute->inputs) t.inputs.push_back(memory.of(operand.view));
    for (const Operand& operand : compute->outputs) t.outputs.push_back(memory.of(operand.view));
    t.arguments = {const_cast<const void* const*>(t.inputs.data()), t.outputs.data(), shared.workspace.data(),
                   reinterpret_cast<const graph::Scalars*>(shared.scalars.data())};
  }
  // In a round each key is timed. If there is only one key, a round runs only the next of its places.
  const std::size_t launches = keys.size() == 1 ? 1 : timed.size();
  std::size_t next = 0;
  const auto total = static_cast<std::int64_t>(seconds_per_op * 1e9 * static_cast<double>(keys.size()));
  std::int64_t begun = now();
  for (int round = -warm_up_rounds; round < most_rounds; ++round) {
    // One round suffices to warm up long computations.
    if (round == 1 - warm_up_rounds && now() - begun >= long_enough / 2) round = 0;
    if (round == 0) begun = now();
    const std::int64_t spent = round > 0 ? now() - begun : 0;
    if (round >= least_rounds && spent >= long_enough) break;
    if (round >= wanted_rounds && spent >= total) break;
    const std::span<Timed> turn = std::span(timed).subspan(next, launches);
    next = (next + launches) % timed.size();
    if (shared.by_events) {
      (*shared.by_events)(turn, round >= 0);
    } else {
      run_by_clock(turn, round >= 0);
    }
  }
}

}  // namespace

std::map<std::string, std::int64_t> time_computations(const Computations& computations, kernels::Device& device,
                                                      double seconds_per_op, std::int64_t most_bytes) {
  if (computations.empty()) return {};
  KernelCache kernels(device);
  const std::int64_t shared_bytes = workspace_bytes(computations, kernels);
  Shared shared{device, std::move(kernels), {}, {device, shared_bytes}, {device, sizeof(graph::Scalars)}};
  const graph::Scalars values;  // of learning rate 0, so that parameters do not change
  device.copy_in(shared.scalars.data(), &values, sizeof values);
  if (device.asynchronous()) shared.by_events.emplace(device);
  Nanoseconds nanoseconds;
  for (const TimedPart& part : parts_within(most_bytes - shared_bytes, computations))
    time_part(part, shared, seconds_per_op, nanoseconds);
  std::map<std::string, std::int64_t> result;
  for (auto& [key, times] : nanoseconds) result[key] = 1000 * lower_quartile(std::move(times));
  return result;
}

}  // namespace ddlbench::runtime
