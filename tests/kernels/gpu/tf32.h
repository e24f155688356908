#pragma once

#include "../cases.h"

namespace ddlbench::test {

/// How far a device that computes products in TF32 may be from the reference (test::tolerance).
double tf32_tolerance(const OpCase& one);

}  // namespace ddlbench::test
