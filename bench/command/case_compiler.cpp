#include "bench/command/case_compiler.h"

#include "bench/case/setup.h"
#include "graph/error.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

/// A Setup refers to its case: the two stay together.
struct CaseCompiler::Entry {
  Entry(const Experiment& experiment, Case first) : which(std::move(first)), setup(prepare(experiment, which)) {}
  Case which;
  Setup setup;
};

CaseCompiler::CaseCompiler(const Experiment& experiment) : experiment_(experiment) {}
CaseCompiler::~CaseCompiler() = default;

program::Plan CaseCompiler::compile(const Case& which) {
  auto& entry = by_batch_[which.global_batch];
  if (!entry) entry = std::make_unique<Entry>(experiment_, which);
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
