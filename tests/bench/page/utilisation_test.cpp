#include "bench/page/sections.h"
#include "bench/page/text_parts.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::is_in;
using ddlbench::test::times_in;

namespace {

/// A sample every second; the load alternates between two values of mean 1/2, and that of GPUs between 0 and 1/2.
Records alternating(int intervals, bool gpus) {
  Records records;
  for (int i = 0; i <= intervals; ++i) {
    UtilisationRecord sample;
    sample.case_id = "ddp-r2";
    sample.elapsed_seconds = i;
    sample.threads = 3;
    if (i > 0) sample.cpu_user_ratio = i % 2 == 0 ? 0.25 : 0.75;
    if (gpus) sample.gpu_utilisation_ratio = i % 2 == 0 ? 0 : 0.5;
    records.utilisation.push_back(sample);
  }
  return records;
}

std::string section_of(const Records& records) {
  return utilisation_section(results_of("folder", records)).str();
}

}  // namespace

TEST_CASE("samples of a long case are joined into means") {
  // The area is 62 high and begins at 8, so a load of 1/4 is drawn at 54.5, and one of 1/2 at 39: the top of user time,
  // and both edges of two shares without load above it.
  constexpr int edges = 5;
  CHECK(times_in(section_of(alternating(120, false)), " 54.5H") == 60 * edges);
  const std::string joined = section_of(alternating(240, true));
  CHECK(times_in(joined, " 39H") == 120 * edges);
  CHECK(times_in(joined, " 54.5H") == 120);  // GPUs, whose mean is 1/4
  CHECK(is_in(joined, "3 threads"));
}

TEST_CASE("the load of GPUs is a line, and has an entry in the legend, only if it was sampled") {
  CHECK(is_in(section_of(alternating(2, true)), "GPUs busy"));
  const std::string without = section_of(alternating(2, false));
  CHECK(!is_in(without, "GPUs busy"));
  CHECK(!is_in(without, "class=\"line\""));
}
