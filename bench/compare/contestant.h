#pragma once

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

/// Runs a contestant, each time with results in a folder of its own below `folder`. It chooses its cases by `filter`,
/// if that is not empty, and all `overrides` are settings, "/POINTER=VALUE".
class ContestantRuns {
 public:
  ContestantRuns(Contestant contestant, std::string folder, std::vector<std::string> overrides, std::string filter,
                 const StopSignals& signals);

  /// Throws InputError with the program's own error if it cannot run the experiment. Nothing runs yet. Returns false if
  /// a signal stopped it.
  bool validate();
  /// Runs once as the experiment says, but with a single epoch, and without rounds and checkpoints. Returns nothing if
  /// a signal stopped it. Throws InputError if it leaves no results.
  std::optional<RunResults> prepare();
  /// Runs once without certificates; each case times at least `steps` steps. With `own_cache`, kernels are chosen anew
  /// in each round, and kept for its other visit.
  std::optional<RunResults> visit(int round, int place, std::int64_t steps, bool own_cache);

  const Contestant& contestant() const { return contestant_; }

 private:
  LaunchCommand command(const std::string& subcommand) const;
  std::optional<RunResults> run(LaunchCommand command, const std::string& name);

  Contestant contestant_;
  std::string folder_;
  std::vector<std::string> overrides_;
  std::string filter_;
  const StopSignals& signals_;
  std::vector<std::string> known_;  ///< settings of visits that this version of the program has
};

}  // namespace ddlbench::bench
