#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/report/timeline_drawing.h"

namespace ddlbench::bench {

/// Returns the drawing of a trace/CASE.json (bench/case/trace_writer.h). Throws InputError if it has another form.
Drawing drawing_of_trace(const nlohmann::json& trace);

}  // namespace ddlbench::bench
