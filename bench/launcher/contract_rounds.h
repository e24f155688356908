#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/launcher/deadline.h"
#include "bench/launcher/executor.h"
#include "bench/launcher/machine_noise.h"
#include "bench/launcher/progress_display.h"
#include "bench/launcher/time_slice_plan.h"
#include "bench/records/rounds.h"
#include "bench/records/store.h"

namespace ddlbench::bench {

/// A case that takes turns with the others of its contract.
struct Participant {
  Case which;
  SlicedCase measured;  ///< in its own process; `setup_seconds` without the certificate
  std::string collective_choices;
};

/// How the rounds of a contract ended.
struct RoundsEnd {
  std::string remark;        ///< why there are none; empty if there are
  bool by_deadline = false;  ///< whether the deadline ended or prevented them
};

/// Times the cases of one contract again, in rounds in which they take turns: what differs between processes and
/// minutes then affects all of them alike, and shows as the difference between rounds. Each turn is a process of its
/// own. Where possible, the processes of a round run at once, in time slices (time_slice_plan.h). The fastest one-rank
/// case (without one, the fastest case) has a second copy, which takes turns like a case.
class ContractRounds {
 public:
  /// All participants have the contract of the first; their variants may differ. The references must outlive this
  /// object.
  ContractRounds(const Experiment& experiment, std::vector<Participant> participants, Executor& executor,
                 RecordStore& store, ProgressDisplay& display, Deadline deadline = {});

  /// Runs rounds until the decision is precise enough or the time is spent (Measure), and records each visit. A case
  /// takes no further turns if its visit fails, or if it is shown to be slower than the fastest and the decision does
  /// not name it: that leaves time for the cases that it does. If the run is stopped, the unfinished round does not
  /// count. No round starts that could not end before the deadline; such rounds have not ended, and a resumed run
  /// begins them anew.
  RoundsEnd run();

 private:
  struct Place {
    std::size_t participant = 0;
    bool control = false;
  };

  int copies(std::size_t participant) const;
  std::vector<Place> places() const;
  /// Lets as many participants run at once as possible. One that once has to run alone does so from then on.
  void plan_slices();
  /// Returns how often the current round visits each case.
  int visits_of_round() const;
  bool runs_alone(std::size_t participant) const { return !slices_.time_slice || why_alone_[participant].has_value(); }
  double expected_visit_seconds(std::size_t participant) const;
  double expected_round_seconds() const;
  std::int64_t steps_of_visit(std::size_t participant) const;
  /// Returns the places of a round in random order: those that are visited at once in one group, each of the others
  /// alone.
  std::vector<std::vector<Place>> groups(int round) const;
  /// Returns them in reverse, without those that have left, and those that now run alone by themselves.
  std::vector<std::vector<Place>> mirrored(const std::vector<std::vector<Place>>& groups) const;
  /// Returns false if the run was stopped.
  bool run_round(int round);
  /// Visits one place, or several at once, and adds the records. `first`: the number of the first one's place. A case
  /// that fails beside others runs alone from then on; one that fails alone has left.
  bool visit(const std::vector<Place>& group, int round, int first);
  std::vector<Outcome> outcomes_of(const std::vector<Place>& group);
  /// Returns the cases that the decision names: the fastest, the runner-up, and the fastest one-rank case if it is
  /// neither.
  std::vector<std::size_t> decisive(const Rounds& rounds) const;
  /// Returns the largest half-width of the log-ratios of the fastest case with the other decisive ones; of a single
  /// case, that of its own step time.
  double decision_half_width() const;
  /// Lets cases leave that are shown to be slower than the fastest.
  void release_settled();

  const Experiment& experiment_;
  const Measure& measure_;
  std::vector<Participant> participants_;
  Executor& executor_;
  RecordStore& store_;
  ProgressDisplay& display_;
  const Deadline deadline_;
  SpeedProbe probe_;
  double least_core_probe_ = std::numeric_limits<double>::infinity();
  std::size_t control_ = 0;                            ///< participant that has a second copy
  std::vector<bool> has_left_;                         ///< by participant: takes no further turns
  SlicePlan slices_;                                   ///< of those that run at once in the current round
  std::vector<std::optional<std::string>> why_alone_;  ///< by participant
  std::optional<std::int64_t> memory_;                 ///< of those that run at once
  std::vector<VisitRecord> visits_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace ddlbench::bench
