#pragma once

#include <stdexcept>
#include <string>

#include "bench/config/experiment.h"
#include "bench/records/record.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

/// What a running case tells whoever watches it. Called from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  /// The case lives: `phase` is "prepare", "compile", "train epoch 2", …; `fraction` of the whole case.
  virtual void alive(const std::string& phase, double fraction) = 0;
  virtual void epoch(const EpochRecord& record) = 0;
  virtual void rank(const RankRecord& record) = 0;
};

/// A loss became infinite or not a number: names step and rank.
class NonFinite : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compiles, checks, verifies, measures and trains one case in this process, over its transport.
/// Throws what a case can die of: OutOfMemory, BadData, NonFinite, Unsupported, CommunicationError, std::bad_alloc,
/// InputError. `trace_file` gets the Chrome trace of one measured step of every rank, if it can be written
/// (Measurement::trace_failure). Where the experiment wants certificates alone, the rest of the measurement is left as
/// it was made.
/// Over a transport whose ranks are processes each of them calls this, with the same case: the process of rank 0
/// tells `progress` and returns the measurement; the others tell nothing, and return an empty one. What a rank
/// dies of is thrown in all of them.
Measurement run_case(const Experiment& experiment, const Case& which, const std::string& trace_file,
                     Progress& progress);
/// The same, where `memory` tells what is available for the certificate.
Measurement run_case_within(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                            const std::string& trace_file, Progress& progress);

}  // namespace ddlbench::bench
