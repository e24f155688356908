#pragma once

#include <optional>
#include <string>

#include "bench/case/process_memory.h"
#include "bench/case/pulse.h"
#include "bench/case/reference.h"
#include "bench/case/setup.h"
#include "bench/records/record.h"
#include "platform/available_memory.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// A case in one process, which its ranks share where they are threads of it. Only rank 0 tells the pulse and
/// writes reference and measurement; the plan is written between barriers (bench/case/setup.h, complete()).
struct CaseState {
  const std::string& trace_file;  ///< of one measured step; empty: none is written
  const platform::MemoryProbe& available_memory;
  ProcessMemory& process_memory;
  Pulse& pulse;

  std::optional<Setup> setup;  ///< by prepare
  program::Plan plan;          ///< by compile; completed when ranks bind
  Reference reference;      ///< by make_reference, in the process of rank 0; its trace is dropped after the certificate
  Measurement measurement;  ///< by all phases from compile on, in the process of rank 0
};

}  // namespace ddlbench::bench
