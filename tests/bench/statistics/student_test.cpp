#include "bench/statistics/student.h"

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("quantiles and probabilities of Student's t are those of published tables") {
  CHECK(student_quantile(0.975, 1) == Approx(12.706204736));
  CHECK(student_quantile(0.975, 2) == Approx(4.302652730));
  CHECK(student_quantile(0.975, 3) == Approx(3.182446305));
  CHECK(student_quantile(0.025, 10) == Approx(-2.228138852));
  CHECK(student_quantile(0.975, 100) == Approx(1.983971519));
  CHECK(student_quantile(0.5, 7) == 0);
  CHECK(student_two_sided(2, 5) == Approx(0.1019394788));
  CHECK(student_two_sided(-2, 5) == student_two_sided(2, 5));
  CHECK(student_two_sided(0, 4) == Approx(1));
  CHECK(student_two_sided(1, 1) == Approx(0.5));
  CHECK(student_two_sided(1e9, 3) < 1e-20);
  CHECK(normal_probability(1.959963985) == Approx(0.975));
}
