#pragma once

#include <optional>
#include <string>

#include "bench/case/certified_steps.h"
#include "bench/case/heartbeat.h"
#include "bench/case/process_memory.h"
#include "bench/case/reference.h"
#include "bench/case/setup.h"
#include "bench/records/record.h"
#include "platform/available_memory.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// The state of a case in one process. Where ranks are threads of this process, they share it. Only rank 0 calls the
/// heartbeat and writes reference and measurement; the plan is written between barriers (bench/case/setup.h,
/// complete()).
struct CaseState {
  const std::string& trace_file;  ///< for one measured step; empty: no trace is written
  const platform::MemoryProbe& available_memory;
  ProcessMemory& process_memory;
  Heartbeat& heartbeat;

  std::optional<Setup> setup;      ///< set by prepare()
  program::Plan plan;              ///< set by compile(); completed when ranks bind
  CertifiedSteps certified_steps;  ///< set by compile()
  Reference reference;             ///< set by make_reference() in the process of rank 0; its trace is freed after the
                                   ///< certificate
  Measurement measurement;         ///< filled by all phases from compile() on, in the process of rank 0
};

}  // namespace ddlbench::bench
