#include "runtime/calibrate.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include "base/error.h"
#include "program/account.h"
#include "program/actions.h"
#include "runtime/communication_timer.h"
#include "runtime/op_timer.h"
#include "runtime/tally.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// The number of different memory locations at which equal work is timed: enough that caches are no warmer than in a
/// step.
constexpr int most_places = 8;

/// The work to be timed, the same on all ranks.
struct Work {
  std::map<std::string, int> turns;                    ///< of computations: the first turn in which a rank has the key
  std::map<std::string, std::vector<Members>> groups;  ///< of collectives: disjoint groups that have the key
  std::int64_t largest_message = 0;

  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, turn] : turns) all.push_back(key);
    for (const auto& [key, list] : groups) all.push_back(key);
    return all;
  }
};

void for_each_trained(const Plan& plan, int rank, const auto& visit) {
  for (const auto* part : sections(plan.role(rank).train)) {
    for (const Instruction& instruction : *part) visit(instruction);
  }
}

void add_disjoint(std::vector<Members>& groups, const Members& group) {
  const auto shares = [&](const Members& other) {
    return std::any_of(group.begin(), group.end(),
                       [&](int rank) { return std::find(other.begin(), other.end(), rank) != other.end(); });
  };
  if (std::none_of(groups.begin(), groups.end(), shares)) groups.push_back(group);
}

Work work_of(const Plan& plan, int at_once) {
  Work work;
  std::set<std::pair<std::string, Members>> collectives;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for_each_trained(plan, rank, [&](const Instruction& instruction) {
      if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
        work.turns.try_emplace(cost_key(*compute), rank / at_once);
      }
      if (const CollectiveCall* call = collective(instruction.action)) {
        const Members group = members(call->group, plan.meshes, rank);
        collectives.emplace(cost_key(*call, static_cast<int>(group.size())), group);
      }
      for (const Message* message : messages(instruction.action).sends) {
        work.largest_message = std::max(work.largest_message, message->operand.view.bytes);
      }
    });
  }
  for (const auto& [key, group] : collectives) add_disjoint(work.groups[key], group);
  return work;
}

/// One rank's part of the calibration.
class Calibrator {
 public:
  Calibrator(const Plan& plan, kernels::Device& device, const Channels& channels, const CalibrationOptions& options)
      : plan_(plan),
        device_(device),
        channels_(channels),
        world_(channels.host),
        host_groups_(plan, channels.host),
        device_groups_(plan, channels.device),
        options_(options),
        work_(work_of(plan, options.at_once)) {}

  const Work& work() const { return work_; }

  void time_computations(Tally& tally) {
    const int turns = (plan_.ranks() + options_.at_once - 1) / options_.at_once;
    for (int turn = 0; turn < turns; ++turn) {
      comm::run(world_.barrier());
      note_progress();
      if (world_.rank() / options_.at_once != turn) continue;
      Computations own;
      std::map<std::string, int> seen;
      for_each_trained(plan_, world_.rank(), [&](const Instruction& instruction) {
        const auto* compute = std::get_if<Compute>(&instruction.action);
        if (compute == nullptr) return;
        std::string key = cost_key(*compute);
        if (work_.turns.at(key) != turn || !tally.wants(key) || ++seen[key] > most_places) return;
        own.emplace_back(std::move(key), compute);
      });
      try {
        // Timed in smaller parts, an op would find data in caches that are not there in a step.
        const std::int64_t most = std::max(beyond_caches, account(plan_, world_.rank()).peak_bytes);
        for (const auto& [key, time] : runtime::time_computations(own, device_, options_.seconds_per_op, most)) {
          tally.add(key, time);
        }
      } catch (const std::bad_alloc&) {  // the plan may still fit: costs that were not timed are unknown
      }
    }
    comm::run(world_.barrier());
  }

  void time_collectives(Tally& tally) {
    for (const auto& [key, groups] : work_.groups) {
      if (!tally.wants(key)) continue;
      note_progress();
      const CollectiveCall* call = own_call(key, groups);
      constexpr int first_runs = 3, least_runs = 3, most_runs = 50;
      std::vector<std::int64_t> first{call == nullptr ? 0 : run(*call, first_runs)};
      all_reduce(first, world_, graph::Reduction::max);
      const double expected = std::max(1e-9, static_cast<double>(first[0]) * 1e-12);
      const int runs = std::clamp(static_cast<int>(2 * options_.seconds_per_op / expected), least_runs, most_runs);
      if (call != nullptr) tally.add(key, run(*call, runs));
      comm::run(world_.barrier());
    }
  }

  void time_link(Calibration& result) {
    const std::int64_t bytes = std::max<std::int64_t>(work_.largest_message, 1 << 16);
    std::vector<std::int64_t> times(3, 0);
    if (world_.size() > 1 && world_.rank() < 2) {
      const LinkTimes own = runtime::time_link(channels_, device_, bytes);
      if (world_.rank() == 0) times = {own.latency, own.large, own.start};
    }
    all_reduce(times, world_);
    if (world_.size() == 1) return;
    const auto seconds = [&](std::size_t i) { return static_cast<double>(times[i]) * 1e-12; };
    result.link_latency_seconds = seconds(0);
    result.link_bytes_per_second = static_cast<double>(bytes) / std::max(1e-9, seconds(1) - seconds(0));
    result.start_seconds = seconds(2);
  }

 private:
  void note_progress() const {
    if (world_.rank() == 0 && options_.progress) options_.progress();
  }

  const CollectiveCall* own_call(const std::string& key, const std::vector<Members>& groups) {
    const CollectiveCall* found = nullptr;
    for_each_trained(plan_, world_.rank(), [&](const Instruction& instruction) {
      const CollectiveCall* call = collective(instruction.action);
      if (call == nullptr || found != nullptr) return;
      const Members group = members(call->group, plan_.meshes, world_.rank());
      if (cost_key(*call, static_cast<int>(group.size())) != key) return;
      if (std::find(groups.begin(), groups.end(), group) != groups.end()) found = call;
    });
    return found;
  }

  std::int64_t run(const CollectiveCall& call, int runs) {
    const Members group = members(call.group, plan_.meshes, world_.rank());
    return time_collective(call, {host_groups_.of(group), device_groups_.of(group), channels_.route}, device_, runs);
  }

  const Plan& plan_;
  kernels::Device& device_;
  Channels channels_;
  comm::Communicator& world_;  ///< for host memory
  Communicators host_groups_, device_groups_;
  const CalibrationOptions& options_;
  Work work_;
};

}  // namespace

Calibration calibrate(const Plan& plan, kernels::Device& device, const Channels& channels, const CostTable& known,
                      const CalibrationOptions& options) {
  require(plan.ranks() == channels.host.size() && options.at_once > 0, "a plan must be calibrated on its own ranks");
  Calibrator calibrator(plan, device, channels, options);
  Tally tally(calibrator.work().keys(), known);
  tally.agree_on_known(channels.host);
  calibrator.time_computations(tally);
  calibrator.time_collectives(tally);
  Calibration result;
  calibrator.time_link(result);
  result.costs = tally.close(channels.host);
  return result;
}

}  // namespace ddlbench::runtime
