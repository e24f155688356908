#include "bench/case/kernel_choices.h"

#include <fmt/core.h>
#include <chrono>
#include <iostream>

#include "base/counted.h"
#include "base/join.h"
#include "base/units.h"
#include "bench/records/build_info.h"
#include "runtime/agree_on_choices.h"

namespace ddlbench::bench {
namespace {

std::string context_of(kernels::Device& device) {
  const kernels::Choices* const choices = device.choices();
  return fmt::format("{}|{}|{}", device.kind(), choices == nullptr ? "" : choices->context(), build_info.version);
}

/// Returns the cache folder; empty for a device without choices, so that the cache file neither reads nor writes.
std::string folder_of(kernels::Device& device) {
  return device.choices() == nullptr ? "" : cache_folder();
}

std::string describe_choices(std::size_t used, std::size_t made, std::size_t unreliable) {
  std::string text = fmt::format("{}, {} of them timed now", counted(used, "choice"), made);
  if (unreliable > 0) text += fmt::format(", {} not kept: the machine was busy or short of memory", unreliable);
  return text;
}

std::string to_text(const std::map<std::string, std::size_t>& deviating) {
  return joined(deviating, ", ", [](const auto& one) { return fmt::format("{}: {}", one.first, one.second); });
}

}  // namespace

ChoiceCache::ChoiceCache(kernels::Device& device) : file_(folder_of(device), "choices", context_of(device)) {
  kernels::Choices::Table known;
  const nlohmann::json entries = file_.load();
  for (const auto& [key, candidate] : entries.items()) {
    if (candidate.is_string()) known[key] = candidate.get<std::string>();
  }
  if (!known.empty()) device.choices()->learn(known);
}

void ChoiceCache::keep(const kernels::Choices::Table& made) const {
  file_.add(made);
}

std::string store_new_choices(kernels::Device& device, const ChoiceCache& kept) {
  kernels::Choices* const choices = device.choices();
  if (choices == nullptr) return describe_choices(0, 0, 0);
  const auto made = choices->take_made();
  kept.keep(made.reliable);
  return describe_choices(choices->take_used().size(), made.size(), made.unreliable);
}

std::string choose_kernels(const program::Plan& plan, kernels::Device& device, comm::Communicator& world,
                           const std::function<void()>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const ChoiceCache kept(device);
  const runtime::AgreedChoices agreed = runtime::agree_on_choices(plan, device, world, progress);
  kept.keep(agreed.own);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::string deviating = to_text(agreed.numerical_properties);
  if (world.rank() == 0 && agreed.used > 0) {
    std::clog << fmt::format("kernels bound in {}: {}{}\n", format_seconds(seconds),
                             describe_choices(agreed.used, agreed.made, agreed.unreliable),
                             deviating.empty() ? "" : "; " + deviating)
              << std::flush;
  }
  return deviating;
}

}  // namespace ddlbench::bench
