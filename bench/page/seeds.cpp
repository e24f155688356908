#include "bench/report/seeds.h"

#include "bench/page/sections.h"

namespace ddlbench::bench {

Html seeds_section(const RunResults& results) {
  const std::string text = format_seeds(results.rankings);
  return text.empty() ? Html() : element("pre", html_text(text.substr(1)));
}

}  // namespace ddlbench::bench
