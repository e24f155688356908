#pragma once

#include "bench/records/record.h"
#include "runtime/certificate.h"

namespace ddlbench::bench {

/// Writes a certificate into the case's measurement, with what failed in words; of running statistics where the model
/// has some.
void note_certificate(const runtime::Certificate& certificate, bool has_statistics, Measurement& measurement);

}  // namespace ddlbench::bench
