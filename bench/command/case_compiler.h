#pragma once

#include <map>
#include <memory>
#include <string>

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Compiles the cases of one experiment, opening the data once and building the model once for each global batch.
class CaseCompiler {
 public:
  /// The experiment outlives it.
  explicit CaseCompiler(const Experiment& experiment);
  ~CaseCompiler();
  CaseCompiler(const CaseCompiler&) = delete;
  CaseCompiler& operator=(const CaseCompiler&) = delete;

  /// Throws ConfigError where no case can run, whatever its strategy: for bad data, unless a case expects it,
  /// and for a model or a batch that the data do not fit.
  void check_workload();

  /// The plan, not yet completed. Throws strategies::Unsupported, InputError, workloads::BadData.
  program::Plan compile(const Case& which);

  /// What `compile` says against it; empty where it compiles, and where bad data is what the case expects.
  /// Throws workloads::BadData otherwise: no case could run.
  std::string why_unsupported(const Case& which);

 private:
  struct Entry;
  const Data& data();
  [[noreturn]] void refuse(const std::string& pointer, const std::string& what) const;
  const Experiment& experiment_;
  Data data_;  ///< once it is needed
  std::map<std::int64_t, std::unique_ptr<Entry>> by_batch_;
};

}  // namespace ddlbench::bench
