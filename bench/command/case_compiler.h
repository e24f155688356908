#pragma once

#include <map>
#include <memory>
#include <string>

#include "bench/config/experiment.h"
#include "program/plan.h"

namespace ddlbench::bench {

struct Setup;

/// Compiles the cases of one experiment, opening data and building the model once for each global batch.
class CaseCompiler {
 public:
  /// The experiment outlives it.
  explicit CaseCompiler(const Experiment& experiment);
  ~CaseCompiler();
  CaseCompiler(const CaseCompiler&) = delete;
  CaseCompiler& operator=(const CaseCompiler&) = delete;

  /// The plan, not yet completed. Throws strategies::Unsupported, InputError, workloads::BadData.
  program::Plan compile(const Case& which);

  /// What `compile` says against it; empty where it compiles, and where bad data is what the case expects.
  /// Throws workloads::BadData otherwise: no case could run.
  std::string why_unsupported(const Case& which);

 private:
  struct Entry;
  const Experiment& experiment_;
  std::map<std::int64_t, std::unique_ptr<Entry>> by_batch_;
};

}  // namespace ddlbench::bench
