#include "runtime/collectives.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/median.h"
#include "collectives/algorithm.h"
#include "program/cost_table.h"
#include "runtime/groups.h"
#include "runtime/operations.h"
#include "runtime/storage.h"
#include "runtime/tally.h"

namespace ddlbench::runtime {

using namespace program;
using collectives::Algorithm;

namespace {

/// Odd, for the median. The first round warms up and is not counted.
constexpr int rounds = 5;
/// The largest count that MPI supports; longer collectives are not timed with MPI's own algorithm.
constexpr std::int64_t most_native_elements = std::numeric_limits<int>::max();

/// A collective of one group, as timed by its members.
struct Trial {
  std::string key;
  Members group;
  const CollectiveCall* call = nullptr;
};

std::string key_of(CollectiveCall call, std::size_t members) {
  call.algorithm = {};
  return cost_key(call, static_cast<int>(members));
}

void for_each_call(const Role& role, const auto& visit) {
  for (const Program* program : {&role.train, &role.evaluate}) {
    for (const auto* part : sections(*program)) {
      for (const Instruction& instruction : *part) {
        const auto* call = std::get_if<CollectiveCall>(&instruction.action);
        if (call != nullptr && collectives::has_algorithms(call->kind)) visit(*call);
      }
    }
  }
}

/// Returns every distinct collective of the plan with at least `least_members` members, in the same order on all ranks.
std::vector<Trial> trials_of(const Plan& plan, std::size_t least_members) {
  std::map<std::pair<std::string, Members>, const CollectiveCall*> found;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for_each_call(plan.role(rank), [&](const CollectiveCall& call) {
      Members group = members(call.group, plan.meshes, rank);
      if (group.size() < least_members) return;
      std::string key = key_of(call, group.size());
      found.try_emplace({std::move(key), std::move(group)}, &call);
    });
  }
  std::vector<Trial> trials;
  for (const auto& [place, call] : found) trials.push_back({place.first, place.second, call});
  return trials;
}

std::int64_t bytes_of(const CollectiveCall& call) {
  return graph::bytes_of(moved_elements(call), call.input.type.dtype);
}

/// Returns the largest workspace that any of the algorithms needs.
std::int64_t largest_workspace(CollectiveCall call, const comm::Communicator& group,
                               const std::vector<Algorithm>& algorithms) {
  std::int64_t most = 0;
  for (const Algorithm algorithm : algorithms) {
    call.algorithm = algorithm;
    most = std::max(most, workspace_bytes(call, group));
  }
  return most;
}

/// The memory of a trial and one prepared operation for each algorithm. They run one at a time and share a workspace.
class TimedCollective {
 public:
  TimedCollective(const Trial& trial, comm::Communicator& group, kernels::Device& device,
                  const std::vector<Algorithm>& algorithms)
      : input_(device, bytes_of(*trial.call)),
        output_(device, in_place(*trial.call) ? 0 : bytes_of(*trial.call)),
        workspace_(device, largest_workspace(*trial.call, group, algorithms)) {
    const CollectiveCall& call = *trial.call;
    const std::int64_t elements = moved_elements(call);
    const graph::DType dtype = call.input.type.dtype;
    const auto bytes = static_cast<std::size_t>(bytes_of(call));
    if (bytes > 0) device.fill_zero(input_.data(), bytes);
    if (bytes > 0 && !in_place(call)) device.fill_zero(output_.data(), bytes);
    for (const Algorithm algorithm : algorithms) {
      if (in_place(call)) {
        operations_.push_back(group.all_reduce({input_.data(), input_.data(), elements, dtype, call.reduction,
                                                algorithm, workspace_.data(), "time all_reduce"}));
        continue;
      }
      comm::Parts parts{input_.data(),  output_.data(),    call.counts, dtype,
                        call.reduction, workspace_.data(), "",          algorithm};
      parts.label = "time " + std::string(graph::name(call.kind));
      operations_.push_back(call.kind == graph::Collective::reduce_scatter ? group.reduce_scatter(parts)
                                                                           : group.all_gather(parts));
    }
  }

  double seconds(std::size_t index, const comm::OperationPtr& barrier) {
    comm::run(barrier);
    const comm::Clock::time_point begun = comm::Clock::now();
    comm::run(operations_[index]);
    return std::chrono::duration<double>(comm::Clock::now() - begun).count();
  }

 private:
  static bool in_place(const CollectiveCall& call) { return call.kind == graph::Collective::all_reduce; }

  DeviceMemory input_;
  DeviceMemory output_;
  DeviceMemory workspace_;
  std::vector<comm::OperationPtr> operations_;
};

std::vector<Algorithm> algorithms_for(const CollectiveCall& call, const comm::Communicator& communicator) {
  std::vector<Algorithm> all = communicator.algorithms(call.kind);
  const bool has_others = all.size() > 1;
  if (has_others && moved_elements(call) > most_native_elements) std::erase(all, collectives::native());
  return all;
}

/// Returns the median time in seconds of each algorithm.
std::vector<double> time_algorithms(const Trial& trial, comm::Communicator& group, kernels::Device& device,
                                    const std::vector<Algorithm>& algorithms, const std::function<void()>& progress) {
  TimedCollective prepared(trial, group, device, algorithms);
  const comm::OperationPtr barrier = group.barrier();
  std::vector<std::vector<double>> seconds(algorithms.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      const double one = prepared.seconds(i, barrier);
      if (round >= 0) seconds[i].push_back(one);
      if (progress) progress();
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& list : seconds) medians.push_back(median(std::move(list)));
  return medians;
}

std::string describe(const Trial& trial) {
  return fmt::format("{} of {} {} over {}", graph::name(trial.call->kind), moved_elements(*trial.call),
                     graph::name(trial.call->input.type.dtype), trial.group.size());
}

CollectiveChoice best_of(const Trial& trial, const std::vector<Algorithm>& algorithms,
                         const std::int64_t* nanoseconds) {
  CollectiveChoice choice;
  choice.key = trial.key;
  std::string times;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (nanoseconds[i] < least) choice.algorithm = algorithms[i];
    least = std::min(least, nanoseconds[i]);
    times += fmt::format("{}{} {:.3g} ms", i > 0 ? ", " : "", algorithms[i].name(),
                         static_cast<double>(nanoseconds[i]) * 1e-6);
  }
  choice.what = fmt::format("{}: {} ({})", describe(trial), choice.algorithm.name(), times);
  return choice;
}

std::vector<CollectiveChoice> take(const std::vector<Trial>& trials, const comm::Communicator& communicator,
                                   Algorithm wanted) {
  std::vector<CollectiveChoice> choices;
  for (const Trial& trial : trials) {
    const std::vector<Algorithm> there = communicator.algorithms(trial.call->kind);
    const bool has = std::find(there.begin(), there.end(), wanted) != there.end();
    if (!has && wanted == collectives::native()) {
      throw InputError(fmt::format(
          "transport {} has no collectives of its own here{}; set devices/collectives to another algorithm, or to auto",
          communicator.transport(), communicator.transport() == "mpi" ? ", because they ignore devices/throttle" : ""));
    }
    const Algorithm algorithm = has ? wanted : there.front();
    choices.push_back({trial.key, algorithm, fmt::format("{}: {}", describe(trial), algorithm.name())});
  }
  return choices;
}

}  // namespace

std::vector<CollectiveChoice> choose_collectives(const Plan& plan, kernels::Device& device, const Channels& channels,
                                                 std::optional<Algorithm> wanted,
                                                 const std::function<void()>& progress) {
  comm::Communicator& communicator = channels.device;
  require(plan.ranks() == communicator.size(), "collectives are chosen on a different number of ranks than the plan's");
  // A single rank can run any algorithm of the host's transport, but on a stream only those that the library provides.
  const std::vector<Trial> trials = trials_of(plan, communicator.on_stream() ? 1 : 2);
  if (wanted) return take(trials, communicator, *wanted);

  const Communicators communicators(plan, communicator);
  const std::size_t most_algorithms = collectives::all_algorithms().size();
  std::vector<std::int64_t> slowest(trials.size() * most_algorithms, 0);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Members& group = trials[i].group;
    if (std::find(group.begin(), group.end(), communicator.rank()) == group.end()) continue;
    const std::vector<Algorithm> algorithms = algorithms_for(*trials[i].call, communicator);
    const std::vector<double> medians =
        time_algorithms(trials[i], communicators.of(group), device, algorithms, progress);
    for (std::size_t k = 0; k < medians.size(); ++k) {
      slowest[i * most_algorithms + k] = static_cast<std::int64_t>(medians[k] * 1e9);
    }
  }
  all_reduce(slowest, channels.host, graph::Reduction::max, "agree on algorithms");

  // Several groups may run the same collective. They need the same algorithm, because a role has only one program.
  for (std::size_t i = 0; i + 1 < trials.size(); ++i) {
    for (std::size_t j = i + 1; j < trials.size() && trials[j].key == trials[i].key; ++j) {
      for (std::size_t k = 0; k < most_algorithms; ++k) {
        std::int64_t& first = slowest[i * most_algorithms + k];
        first = std::max(first, slowest[j * most_algorithms + k]);
      }
    }
  }
  std::vector<CollectiveChoice> choices;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (i > 0 && trials[i].key == trials[i - 1].key) continue;
    choices.push_back(best_of(trials[i], algorithms_for(*trials[i].call, communicator), &slowest[i * most_algorithms]));
  }
  return choices;
}

void apply(const std::vector<CollectiveChoice>& choices, Plan& plan) {
  std::map<std::string, Algorithm> by_key;
  for (const CollectiveChoice& choice : choices) {
    if (by_key.try_emplace(choice.key, choice.algorithm).second) plan.choices.push_back(choice.what);
  }
  for (Role& role : plan.roles) {
    for (Program* program : {&role.train, &role.evaluate}) {
      for (auto* part : sections(*program)) {
        for (Instruction& instruction : *part) {
          auto* call = std::get_if<CollectiveCall>(&instruction.action);
          if (call == nullptr || !collectives::has_algorithms(call->kind)) continue;
          const std::size_t members = static_cast<std::size_t>(member_count(call->group, plan.meshes));
          const auto found = by_key.find(key_of(*call, members));
          if (found != by_key.end()) call->algorithm = found->second;
        }
      }
    }
  }
}

}  // namespace ddlbench::runtime
