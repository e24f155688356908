#pragma once

#include <cstddef>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// A completed epoch. Times are in seconds since 1970 (UTC).
struct PastEpoch {
  std::size_t row = 0;  ///< in Records::epochs
  double begin_seconds = 0;
  double trained_seconds = 0;  ///< the end of the training part, where validation begins
  double end_seconds = 0;
};

/// A validation within an epoch, likewise.
struct PastValidation {
  std::size_t row = 0;  ///< in Records::validations
  double begin_seconds = 0;
  double end_seconds = 0;
};

/// A case that completed at least one validation, at the end of an epoch or within it.
struct CaseHistory {
  std::size_t row = 0;          ///< in Records::cases
  double begin_seconds = 0;     ///< of the case's process, likewise since 1970
  double training_seconds = 0;  ///< the begin of training
  double end_seconds = 0;
  std::vector<PastEpoch> epochs;            ///< those that were completed
  std::vector<PastValidation> validations;  ///< also those of an epoch that was not completed
};

/// Returns the cases that completed a validation, in the order in which they ran, with times from what the records
/// hold:
/// - A case's process begins at the time in `started`, in whole seconds.
/// - It ends `elapsed_seconds` of its last sample of utilisation later.
/// - Training is the last thing that it does, so its last validation ends with it. Epochs ended earlier by the
///   difference of their `elapsed_seconds`.
/// - An epoch begins `epoch_seconds` and its validations, also those within it, before its end.
/// - Training begins with the first epoch. If none was completed, it begins `elapsed_seconds` before its last
///   validation, but not before the process.
/// So absolute times are accurate to a second. If a case failed during an epoch, all its epochs appear later than they
/// were, by the time that it spent in that epoch. The time of saving checkpoints is not in the records and left out.
/// Throws InputError if a time in `started` is not one of UTC.
std::vector<CaseHistory> histories_of(const Records& records);

}  // namespace ddlbench::bench
