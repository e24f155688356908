#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/compare/run_program.h"
#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// One of two things that take turns: a ddlbench program with an experiment.
struct Contestant {
  std::string name;     ///< "OLD" or "NEW"
  std::string program;  ///< a path
  std::string config;   ///< the experiment's file
};

/// Returns the contestants that two words of the command line name: two experiments (their names end in ".json"), which
/// this program runs, or two programs, which run `config`. Throws InputError if they are of different kinds, do not
/// exist, or if a config is missing or not needed.
std::pair<Contestant, Contestant> contestants_of(const std::string& old_word, const std::string& new_word,
                                                 const std::string& config);

/// A run of one case in a round.
struct Visit {
  std::string case_id;
  int round = 1;
  int place = 1;           ///< in the round, from 1; 0: it only chooses kernels
  std::int64_t steps = 1;  ///< to time
  bool own_cache = false;  ///< kernels are chosen anew in each round, and kept for its later visits
};

/// Runs a contestant, each time with results in a folder of its own below `folder`. It chooses its cases by `filter`,
/// if that is not empty, and all `overrides` are settings, "/POINTER=VALUE".
class ContestantRuns {
 public:
  ContestantRuns(Contestant contestant, std::string folder, std::vector<std::string> overrides, std::string filter,
                 const StopSignals& signals);

  /// Throws InputError with the program's own error if it cannot run the experiment. Nothing runs yet. Returns false if
  /// a signal stopped it.
  bool validate();
  /// Runs the experiment once, but with a single epoch, and without predictions, rounds and checkpoints. Returns
  /// nothing if a signal stopped it. Throws InputError if it leaves no results.
  std::optional<RunResults> prepare();
  /// Returns what starts a visit: a run of one case that only times steps. A version without `measure/train` also
  /// trains an epoch.
  ProgramStart start_of(const Visit& visit) const;
  /// Returns the results of a visit that ended. Throws InputError if it left none.
  RunResults results_of(const Visit& visit, const ProgramEnd& end) const;

  const Contestant& contestant() const { return contestant_; }

 private:
  LaunchCommand command(const std::string& subcommand, const std::string& filter) const;
  /// Adds those settings to `known` with which the program accepts the experiment. Returns false if a signal stopped
  /// it.
  bool find_known(std::initializer_list<const char*> settings, std::vector<std::string>& known);
  /// Returns what starts a run whose results go to the folder `results`.
  ProgramStart start_of(LaunchCommand command, const std::string& results) const;
  RunResults results_in(const std::string& results, const ProgramEnd& end) const;
  std::string folder_of(const Visit& visit) const;

  Contestant contestant_;
  std::string folder_;
  std::vector<std::string> overrides_;
  std::string filter_;
  const StopSignals& signals_;
  // Those that this version of the program has:
  std::vector<std::string> settings_;        ///< for all runs
  std::vector<std::string> visit_settings_;  ///< for visits only
};

}  // namespace ddlbench::bench
