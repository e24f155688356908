#include "runtime/agree_on_choices.h"

#include <fmt/core.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/all_gather.h"
#include "platform/scratch_memory.h"
#include "runtime/kernel_cache.h"
#include "runtime/tally.h"

namespace ddlbench::runtime {

using namespace program;
using kernels::Choices;

namespace {

void for_each_computation(const Role& role, const auto& visit) {
  for (const Program* program : {&role.train, &role.evaluate}) {
    for (const auto* part : sections(*program)) {
      for (const Instruction& instruction : *part) {
        if (const auto* compute = std::get_if<Compute>(&instruction.action)) visit(*compute);
      }
    }
  }
}

std::vector<std::string> all_gather_text(comm::Communicator& world, const std::string& own) {
  std::vector<std::string> all;
  for (const auto& text : comm::all_gather(world, std::vector<char>(own.begin(), own.end()))) {
    all.emplace_back(text.begin(), text.end());
  }
  return all;
}

/// Returns the computations of `rank` that no lower rank with the same context has, by kernel key.
std::map<std::string, const Compute*> own_work(const Plan& plan, int rank, const kernels::Device& device,
                                               const std::vector<std::string>& contexts) {
  const auto context_of = [&](int which) { return contexts.at(static_cast<std::size_t>(which)); };
  std::set<const Role*> earlier;
  for (int before = 0; before < rank; ++before) {
    if (context_of(before) == context_of(rank)) earlier.insert(&plan.role(before));
  }
  if (earlier.contains(&plan.role(rank))) return {};
  std::set<std::string> theirs;
  for (const Role* role : earlier) {
    for_each_computation(*role, [&](const Compute& compute) { theirs.insert(kernel_key(compute, device)); });
  }
  std::map<std::string, const Compute*> own;
  for_each_computation(plan.role(rank), [&](const Compute& compute) {
    std::string key = kernel_key(compute, device);
    if (!theirs.contains(key)) own.try_emplace(std::move(key), &compute);
  });
  return own;
}

/// Binds the computations one by one. The ranks synchronise after each, so that no rank waits for long.
void bind_side_by_side(const std::map<std::string, const Compute*>& own, kernels::Device& device,
                       comm::Communicator& world, const std::function<void()>& progress) {
  std::vector<std::int64_t> most{static_cast<std::int64_t>(own.size())};
  all_reduce(most, world, graph::Reduction::max);
  KernelCache kernels(device);
  auto next = own.begin();
  for (std::int64_t turn = 0; turn < most.front(); ++turn) {
    if (world.rank() == 0 && progress) progress();
    if (next != own.end()) kernels.of(*(next++)->second);
    comm::run(world.barrier());
  }
}

/// Serialises choices. The first line has the number of choices made by timing and how many of these were disturbed;
/// then keys and candidate names follow on alternating lines.
std::string to_text(const Choices::Table& used, const Choices::Made& made) {
  std::string text = fmt::format("{} {}\n", made.size(), made.unreliable);
  for (const auto& [key, candidate] : used) text += key + '\n' + candidate + '\n';
  return text;
}

void add(const std::string& text, Choices::Table& agreed, AgreedChoices& result) {
  std::istringstream lines(text);
  std::size_t made = 0, unreliable = 0;
  require(static_cast<bool>(lines >> made >> unreliable), "a rank sent no counts of its kernel choices");
  lines.ignore();
  result.made += made;
  result.unreliable += unreliable;
  std::string key, candidate;
  while (std::getline(lines, key) && std::getline(lines, candidate)) agreed.try_emplace(key, candidate);
}

}  // namespace

AgreedChoices agree_on_choices(const Plan& plan, kernels::Device& device, comm::Communicator& world,
                               const std::function<void()>& progress) {
  Choices* const choices = device.choices();
  if (choices == nullptr) return {};
  choices->take_used();  // discards uses by earlier bindings; no rank binds again until all ranks have done so
  const auto contexts = all_gather_text(world, choices->context());
  const auto scratch = choices->scratch();  // kept from the first trial to the last
  bind_side_by_side(own_work(plan, world.rank(), device, contexts), device, world, progress);

  AgreedChoices result;
  auto made = choices->take_made();
  const auto told = all_gather_text(world, to_text(choices->take_used(), made));
  result.own = std::move(made.reliable);
  std::map<std::string, Choices::Table> agreed;  // by context
  for (std::size_t rank = 0; rank < told.size(); ++rank) add(told[rank], agreed[contexts[rank]], result);
  for (const auto& [context, table] : agreed) {
    result.used += table.size();
    for (const auto& [key, candidate] : table)
      for (const std::string& property : kernels::numerical_properties(candidate))
        ++result.numerical_properties[property];
  }
  const Choices::Table& mine = agreed.at(choices->context());
  choices->agree(mine);
  // Drops choices that differ from the agreed ones: a lower rank has timed the same work, and one of the two may have
  // been disturbed.
  std::erase_if(result.own, [&](const auto& own) {
    const auto found = mine.find(own.first);
    return found != mine.end() && found->second != own.second;
  });
  return result;
}

}  // namespace ddlbench::runtime
