#include "bench/page/data_table.h"
#include "bench/page/environment_text.h"
#include "bench/page/sections.h"

namespace ddlbench::bench {

Html environment_section(const RunResults& results) {
  const auto values = flattened(results.environment);
  return values.empty() ? Html()
                        : fact_table("The machine, the libraries and the build, from environment.json", values);
}

}  // namespace ddlbench::bench
