#include "tf32.h"

#include <cmath>

namespace ddlbench::test {

/// Both factors of a product are rounded to 10 bits of mantissa, each by up to 2⁻¹¹ of itself and independently of the
/// other terms of a sum. Terms are as large as in tolerance(). Doubled for ops that consist of several products.
double tf32_tolerance(const OpCase& one) {
  const double rounding = 2 * 0x1p-10 * (std::sqrt(one.terms) + 1) * 5;
  for (const char* product : {"conv2d", "linear", "attention", "linear_cross_entropy"})
    if (one.run.op->kind().starts_with(product)) return tolerance(one.terms) + rounding;
  return tolerance(one.terms);
}

}  // namespace ddlbench::test
