#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "kernels/functors/softmax.h"
#include "kernels/sizes/flat.h"

/// Cross-entropy row by row, as the op over logits and the one that makes them itself need it.
namespace ddlbench::kernels::cpu {

/// What one row adds to the metrics.
struct LossRow {
  float loss = 0, correct = 0, correct_top5 = 0;
};

/// Of n rows of logits. Labels are known to be classes or −1.
void loss_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
               const SmoothedTarget<float>& target, LossRow* rows);

/// Writes, or adds, the gradients of n rows of logits times `scale`; they may take the logits' place.
void gradient_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
                   const SmoothedTarget<float>& target, float scale, bool accumulate, float* gradients);

/// Writes gradients times `scale`, of type T and in the logits' place where that is f32, and into `rows`, unless it is
/// null, what loss_rows does. The logits are lost.
template <class T>
void differentiate_rows(int threads, float* logits, const std::int32_t* labels, const ClassSizes& z,
                        const SmoothedTarget<float>& target, float scale, T* gradients, LossRow* rows);

/// The same of the mean squared error of scores.
void squared_error_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                        LossRow* rows);
void squared_error_gradient_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                                 float scale, bool accumulate, float* gradients);

/// The three metrics: sums in the order of the rows, on one thread.
void write_metrics(const Arguments& arguments, const LossRow* rows, std::int64_t n, bool accumulate);

/// Throws InputError at the first label that is neither a class nor −1.
void check_labels(const std::int32_t* labels, const ClassSizes& z);

}  // namespace ddlbench::kernels::cpu
