#pragma once

#include "bench/records/record.h"
#include "runtime/certificate.h"

namespace ddlbench::bench {

/// Copies a certificate into the case's measurement, with the reasons if it does not hold. `has_statistics`: the model
/// has running statistics.
void note_certificate(const runtime::Certificate& certificate, bool has_statistics, Measurement& measurement);

}  // namespace ddlbench::bench
