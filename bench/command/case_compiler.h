#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Compiles the cases of one experiment. Opens each data set once and builds each model once per global batch. Variants
/// of which only the training differs share plans.
class CaseCompiler {
 public:
  /// `experiment` must outlive this object.
  explicit CaseCompiler(const Experiment& experiment);
  ~CaseCompiler();
  CaseCompiler(const CaseCompiler&) = delete;
  CaseCompiler& operator=(const CaseCompiler&) = delete;

  /// Throws ConfigError if no case can run, whatever its strategy: for bad data, unless a case expects them; for a
  /// model or a batch that does not fit the data; and for initial weights that do not fit the model.
  void check_workload();

  /// Returns the digest of the initial weights. If the file does not hold what was written, throws ConfigError, or
  /// returns "" if a case expects that.
  std::string digest_of_start() const;

  /// Returns data, model and optimizer of the case. The result may have been made for another case with the same batch
  /// and an equal Variant::compiled; it is valid until some other variants have been asked for.
  const Setup& setup_of(const Case& which);

  /// Compiles the case's plan; it is not yet completed. Throws strategies::Unsupported, InputError or
  /// workloads::BadData.
  program::Plan compile(const Case& which, const program::CostTable& profile = {});

  /// Records in the case why it does not compile, or why its plan does not fit into memory (without the workspaces of
  /// libraries, which are known only where it runs). A ContractError is ignored here: the case's run reports it. Throws
  /// workloads::BadData unless the case expects it, because no case could run.
  void check_case(Case& which);

 private:
  struct Entry;
  struct Opened;
  struct Judgement {
    std::string unsupported, out_of_memory;
  };
  Opened& opened(const Case& which);
  const Data& data(Opened& workload);
  void check_workload(const Case& smallest);
  void check_schedule(const Case& of, std::int64_t samples) const;
  std::string pointer_of(const Case& which, const std::string& setting) const;
  int key_of(const Case& which);
  void judge_uncached(Case& which);
  static std::string why_too_large(const program::Plan& plan, const Devices& devices);
  [[noreturn]] void throw_config_error(const std::string& pointer, const std::string& what) const;
  const Experiment& experiment_;
  std::map<std::string, int> keys_;                ///< numbers of the different values of Variant::compiled
  std::map<int, std::unique_ptr<Opened>> opened_;  ///< by key: those of the latest variants
  std::vector<int> order_;                         ///< their keys, the oldest first
  /// By key, index of the strategy, ranks and global batch.
  std::map<std::tuple<int, int, int, std::int64_t>, Judgement> judged_;
};

}  // namespace ddlbench::bench
