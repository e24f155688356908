#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "kernels/functors/softmax.h"
#include "kernels/sizes/flat.h"

/// Cross-entropy row by row, for the op on logits and for the fused linear cross-entropy.
namespace ddlbench::kernels::cpu {

/// The contribution of one row to the metrics.
struct LossRow {
  float loss = 0, correct = 0, correct_top5 = 0;
};

/// Computes the metrics of n rows of logits. Each label must be a class, or −1 for a row that does not count.
void loss_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
               const SmoothedTarget<float>& target, LossRow* rows);

/// Writes the gradients of n rows of logits, multiplied by `scale`, or adds them if `accumulate`. `gradients` may be
/// the same array as `logits`.
void gradient_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
                   const SmoothedTarget<float>& target, float scale, bool accumulate, float* gradients);

/// Writes the gradients of n rows of logits, multiplied by `scale`, as type T. If T is float, `gradients` may be the
/// same array as `logits`. Also writes the metrics that loss_rows computes. The logits are overwritten.
template <class T>
void differentiate_rows(int threads, float* logits, const std::int32_t* labels, const ClassSizes& z,
                        const SmoothedTarget<float>& target, float scale, T* gradients, LossRow* rows);

/// The same for the mean squared error between scores and one-hot labels.
void squared_error_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                        LossRow* rows);
void squared_error_gradient_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                                 float scale, bool accumulate, float* gradients);

/// Writes the three metrics, or adds to them if `accumulate`. Sums the rows in their order, on one thread.
void write_metrics(const Arguments& arguments, const LossRow* rows, std::int64_t n, bool accumulate);

/// Throws InputError at the first label that is neither a class nor −1.
void check_labels(const std::int32_t* labels, const ClassSizes& z);

}  // namespace ddlbench::kernels::cpu
