#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "bench/config/collective_choices.h"
#include "bench/config/limits.h"
#include "bench/config/throttle.h"
#include "comm/communicator.h"

namespace ddlbench::bench {

/// The devices and ranks that a training runs on.
struct Devices {
  std::string kind = "cpu";           ///< "auto" until choose_devices replaces it
  std::string transport = "threads";  ///< once an experiment is read: the transport that starts the ranks
  std::string collectives = "auto";   ///< the name of an algorithm, or "auto": the one that is measured fastest
  bool deterministic = true;          ///< this and the next: see kernels::DeviceOptions
  bool winograd = true;
  Throttle throttle = {};
  std::vector<int> ranks = {};  ///< a sweep
  int threads_per_rank = 0;     ///< 0: cores / ranks, at least one
  std::optional<std::int64_t> memory_bytes = {};

  /// Values that are not settings.
  struct Derived {
    std::string channel = {};     ///< "nccl" if it carries tensors in place of the transport; empty: none
    bool is_accelerator = false;  ///< whether the kind's devices are accelerators, with their own cores and memory
    int seen = 0;                 ///< number of accelerators on the machine on which the kind was chosen
    int other_cores = 0;          ///< of other machines, on which ranks that are processes may run
  };
  Derived derived = {};

  /// Returns the name that the configuration and the rows use for it.
  const std::string& transport_choice() const { return derived.channel.empty() ? transport : derived.channel; }
  bool ranks_are_processes() const { return comm::find_transport(transport).processes; }  ///< otherwise threads
  bool needs_launcher() const { return comm::find_transport(transport).launcher; }  ///< of MPI, for several machines
};

template <class Visitor>
void describe(Visitor& v, Devices& d) {
  v("kind", d.kind, v.names([](const auto& all) { return all.devices; }, "auto"),
    "Device that computes; `auto`: GPUs if there are any, otherwise the CPU.");
  v.sweep("transport", d.transport, v.names([](const auto& all) { return all.transport_choices; }),
          "Transport that carries messages between ranks.");
  v.sweep("collectives", d.collectives, v.names(collective_choices),
          "Algorithm of the collectives (see `ddlbench list`); `auto`: for each collective the fastest one, timed "
          "before the "
          "case. A collective that the algorithm does not implement uses the ring.");
  v.sweep(
      "deterministic", d.deterministic,
      "Use only deterministic kernels, whose result is the same in every run; some kernels of GPU libraries are not "
      "deterministic.");
  v.sweep("winograd", d.winograd,
          "Allow Winograd convolutions, and on GPUs FFT convolutions, where they are faster; "
          "their rounding differs.");
  v("throttle", d.throttle, "Slows down the ranks' links to each other, or one rank.");
  v("ranks", d.ranks, Range{1, max_ranks}, "Numbers of ranks; `single` always uses one, and a mesh defines its own.");
  v.sweep("threads_per_rank", d.threads_per_rank, Range{0, 4096},
          "Threads per rank; 0: cores / ranks, at least one, and 1 for a rank on a GPU.");
  v("memory_bytes", d.memory_bytes, Range{1, 9007199254740991.0},
    "Memory limit of a rank; not set: the ranks on a machine or GPU share all of its memory.");
}

}  // namespace ddlbench::bench
