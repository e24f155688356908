#include "bench/command/case_compiler.h"

#include <algorithm>

#include "bench/config/problem.h"
#include "graph/error.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

/// A Setup refers to its case: the two stay together.
struct CaseCompiler::Entry {
  Entry(const Experiment& experiment, Case first, Data data)
      : which(std::move(first)), setup(prepare(experiment, which, std::move(data))) {}
  Case which;
  Setup setup;
};

CaseCompiler::CaseCompiler(const Experiment& experiment) : experiment_(experiment) {}
CaseCompiler::~CaseCompiler() = default;

const Data& CaseCompiler::data() {
  if (!data_.training) data_ = open_data(experiment_);
  return data_;
}

void CaseCompiler::refuse(const std::string& pointer, const std::string& what) const {
  const auto at = experiment_.locations.find(pointer);
  throw ConfigError({{at == experiment_.locations.end() ? Location{} : at->second, pointer, what}}, experiment_.file);
}

void CaseCompiler::check_workload() {
  try {
    data();
  } catch (const workloads::BadData& error) {
    const auto expects = [](const StrategyChoice& strategy) { return strategy.expect == "bad_data"; };
    if (std::any_of(experiment_.strategies.begin(), experiment_.strategies.end(), expects)) return;
    refuse("/workload/dataset", error.what());
  } catch (const InputError& error) {
    refuse("/workload/dataset", error.what());
  }
  const auto& batches = experiment_.workload.global_batch;
  Case smallest;
  smallest.global_batch = *std::min_element(batches.begin(), batches.end());
  const bool fits = smallest.global_batch <= data().training->size();
  try {
    prepare(experiment_, smallest, data());
  } catch (const InputError& error) {
    refuse(fits ? "/workload/model" : "/workload/global_batch", error.what());
  }
}

program::Plan CaseCompiler::compile(const Case& which) {
  auto& entry = by_batch_[which.global_batch];
  if (!entry) entry = std::make_unique<Entry>(experiment_, which, data());
  return bench::compile(entry->setup, which.strategy.choice, which.ranks);
}

std::string CaseCompiler::why_unsupported(const Case& which) {
  try {
    compile(which);
  } catch (const strategies::Unsupported& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  } catch (const workloads::BadData&) {
    if (which.strategy.expect != "bad_data") throw;
  }
  return "";
}

}  // namespace ddlbench::bench
