#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/records/cache_file.h"
#include "comm/communicator.h"
#include "kernels/choices.h"
#include "kernels/device.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// What is kept in the cache folder (bench/records/cache_file.h) of a device's choices: read when this is made, and
/// added to by keep(). A device that has none keeps nothing.
class KeptChoices {
 public:
  explicit KeptChoices(kernels::Device& device);

  /// Where they cannot be kept, std::cerr is told.
  void keep(const kernels::Choices::Table& made) const;

 private:
  CacheFile file_;
};

/// Chooses the kernels of a plan, the same on all ranks (runtime::agree_on_choices): as the cache has them, else by
/// timing, and then they are kept. Rank 0 tells std::cerr what it took. `progress` is called now and then by rank 0.
/// Returns what sets numbers of some of them apart (kernels::peculiarities) and how many they are, "winograd: 12",
/// empty where nothing does. Collective.
std::string choose_kernels(const program::Plan& plan, kernels::Device& device, comm::Communicator& world,
                           const std::function<void()>& progress = {});

/// Keeps what a device has chosen since it was asked last, and tells of it: "60 choices, 12 of them timed now", where
/// others had the processors ", 3 not kept: the machine was busy".
std::string keep_made(kernels::Device& device, const KeptChoices& kept);

}  // namespace ddlbench::bench
