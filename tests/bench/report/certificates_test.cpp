#include "bench/report/certificates.h"

#include "../record_fixtures.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;

TEST_CASE("certificates are listed with noise and tolerance") {
  std::vector<CaseRecord> records{finished_case("ddp", 2, 1, 0), finished_case("tensor", 2, 1, 0),
                                  finished_case("gpt", 1, 1, 0), finished_case("zero", 2, 1, 0),
                                  ended_case("gpipe", 3, Status::unsupported, "4 layers")};
  for (CaseRecord& record : records) {
    if (!record.measurement) continue;
    Measurement& measured = *record.measurement;
    measured.certificate_loss = 1.25e-7;
    measured.noise_loss = 2e-7;
    measured.tolerance_loss = 1e-4;
    measured.certificate_gradient = 3e-7;
    measured.noise_gradient = 4e-7;
    measured.tolerance_gradient = 1e-3;
    measured.noise_update = 5e-7;
    measured.tolerance_update = 1e-3;
  }
  records[1].measurement->certified = false;
  records[1].measurement->certificate_loss = 2e-4;
  records[1].measurement->certificate_reason = "the losses deviate";
  records[2].measurement->certified = false;
  records[2].measurement->certificate_update.reset();
  records[2].measurement->certificate_reason = "no one-rank reference";
  records[3].measurement->certified = false;
  records[3].measurement->noise_update = 0.4;
  records[3].measurement->tolerance_update = 4;
  records[3].measurement->certificate_reason = "proves nothing: rounding alone";
  CHECK(format_certificates(records) ==
        "case       strategy  ranks×threads   losses    noise  tolerance  gradients    noise  tolerance   update    "
        "noise  tolerance  certificate\n"
        "ddp-r2     ddp       2×1            1.2e-07  2.0e-07    1.0e-04    3.0e-07  4.0e-07    1.0e-03  3.1e-07  "
        "5.0e-07    1.0e-03  holds\n"
        "tensor-r2  tensor    2×1            2.0e-04  2.0e-07    1.0e-04    3.0e-07  4.0e-07    1.0e-03  3.1e-07  "
        "5.0e-07    1.0e-03  FAILS: the losses deviate\n"
        "zero-r2    zero      2×1            1.2e-07  2.0e-07    1.0e-04    3.0e-07  4.0e-07    1.0e-03  3.1e-07  "
        "4.0e-01    4.0e+00  proves nothing: rounding alone\n"
        "no certificate:\n"
        "  gpt-r1    gpt    1×1  no one-rank reference\n"
        "  gpipe-r3  gpipe  3×1  unsupported: 4 layers\n"
        "1 of 3 certificates hold; inconclusive: 1.\n");
  CHECK(format_certificates({}) == "0 of 0 certificates hold.\n");
}
