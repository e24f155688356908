#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness.h"

namespace ddlbench::test {

/// An op on inputs drawn at random, with what is needed to bound the error of a device that sums in f32.
struct OpCase {
  std::string name;
  Run run;
  double terms = 1;  ///< number of terms of the longest sum
};

/// Returns the same case with accumulating outputs.
OpCase added(OpCase one);

/// Returns cases for every op that devices compute, with difficult shapes: batch 1, 1 × 1 images, odd channels, stride
/// 2, padding, uneven parts, sizes of 0, with and without bias, activation, accumulation.
std::vector<OpCase> op_cases();

/// Calls body for each case. An exception is a failed check, so that the other cases run, too. After an error of a GPU
/// every later launch of the process fails: with a regular expression in the environment variable DDLBENCH_TEST_OPS,
/// only cases run whose op's whole kind it matches; it must match some op.
void on_each(const std::vector<OpCase>& cases, const std::function<void(const OpCase&)>& body);

/// How far a device that computes in f32 may be from the reference: operands lie in about [−1, 1] (logits in [−5, 5]),
/// so each of n terms is at most about 5, and a sum of n terms in f32, in any order, errs by at most n·ε times the sum
/// of the terms' magnitudes; with independent roundings by about √n of it. The bound is 8·ε·(√n + 1) times the largest
/// magnitude of a term, absolute below 1 and relative above; none for what is only moved (0 terms).
double tolerance(double terms);

}  // namespace ddlbench::test
