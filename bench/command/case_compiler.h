#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Compiles the cases of one experiment, opening the data of each workload once and building its model once for each
/// global batch.
class CaseCompiler {
 public:
  /// The experiment outlives it.
  explicit CaseCompiler(const Experiment& experiment);
  ~CaseCompiler();
  CaseCompiler(const CaseCompiler&) = delete;
  CaseCompiler& operator=(const CaseCompiler&) = delete;

  /// Throws ConfigError where no case can run, whatever its strategy: for bad data, unless a case expects it,
  /// and for a model or a batch that the data do not fit, or weights to begin with that do not fit the model.
  void check_workload();

  /// Of the weights to begin with. Throws ConfigError where they are not what was written, unless a case expects that:
  /// then there is none.
  std::string digest_of_start() const;

  /// The experiment as it is for the case's workload.
  const Experiment& experiment_of(const Case& which);

  /// The case's data, model and optimizer (it may be of another case of the same batch).
  const Setup& setup_of(const Case& which);

  /// The plan, not yet completed. Throws strategies::Unsupported, InputError, workloads::BadData.
  program::Plan compile(const Case& which, const program::CostTable& profile = {});

  /// Notes in the case why it does not compile, or what its plan lacks in memory (libraries' workspaces
  /// left out: they are known where it runs). A defect that it meets is left for the case's run to tell. Throws
  /// workloads::BadData, unless the case expects it: no case could run.
  void judge(Case& which);

 private:
  struct Entry;
  struct Opened;
  struct Judgement {
    std::string unsupported, out_of_memory;
  };
  Opened& opened(const Case& which);
  const Data& data(Opened& workload);
  void check_workload(const Case& smallest);
  void judge_anew(Case& which);
  std::string why_too_large(const program::Plan& plan) const;
  [[noreturn]] void refuse(const std::string& pointer, const std::string& what) const;
  const Experiment& experiment_;
  std::map<int, std::unique_ptr<Opened>> opened_;  ///< by workload
  /// By workload, strategy, ranks and global batch.
  std::map<std::tuple<int, std::string, int, std::int64_t>, Judgement> judged_;
};

}  // namespace ddlbench::bench
