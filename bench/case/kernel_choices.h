#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/records/cache_file.h"
#include "comm/communicator.h"
#include "kernels/choice/choices.h"
#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// A device's kernel choices in the cache folder (bench/records/cache_file.h). The constructor loads them into the
/// device; keep() adds to them. Does nothing for a device without choices.
class ChoiceCache {
 public:
  explicit ChoiceCache(kernels::Device& device);

  /// Stores choices; if that fails, prints the reason to std::cerr.
  void keep(const kernels::Choices::Table& made) const;

 private:
  CacheFile file_;
};

/// Chooses the kernels of a plan, the same on all ranks (runtime::agree_on_choices): from the cache where it has them,
/// else by timing, and stores the timed ones. Rank 0 prints how long it took to std::cerr and calls `progress` from
/// time to time. Returns which kinds of kernels with deviating numerics (kernels::numerical_properties) were chosen and
/// how often, as in "winograd: 12"; empty if none. Collective.
std::string choose_kernels(const program::Plan& plan, kernels::Device& device, comm::Communicator& world,
                           const std::function<void()>& progress = {});

/// Stores the choices that a device made since the last call and returns a summary: "60 choices, 12 of them timed now",
/// and ", 3 not kept: the machine was busy or short of memory" for choices that are not reliable (Choices::Choice).
std::string store_new_choices(kernels::Device& device, const ChoiceCache& kept);

}  // namespace ddlbench::bench
