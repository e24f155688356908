#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/device.h"
#include "kernels/functors/softmax.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::reference {

inline Softmax<double> softmax_of(const float* logits, std::int64_t classes) {
  Softmax<double> softmax{*std::max_element(logits, logits + classes), 0};
  for (std::int64_t c = 0; c < classes; ++c) softmax.sum += exponential(logits[c] - softmax.maximum);
  return softmax;
}

/// Sums over rows.
struct Metrics {
  double loss = 0, correct = 0, correct_top5 = 0;

  void add(double row_loss, const float* scores, std::int64_t classes, std::int64_t label) {
    std::int64_t before = 0;
    for (std::int64_t c = 0; c < classes; ++c) before += ranks_before(scores[c], c, scores[label], label) ? 1 : 0;
    loss += row_loss;
    correct += before == 0 ? 1 : 0;
    correct_top5 += before < top5 ? 1 : 0;
  }
  void add_cross_entropy(const SmoothedTarget<double>& target, const float* logits, std::int64_t classes,
                         std::int64_t label) {
    double total = 0;
    for (std::int64_t c = 0; c < classes; ++c) total += logits[c];
    add(target.loss(softmax_of(logits, classes), logits[label], total), logits, classes, label);
  }
  void write_to(const Arguments& a, bool accumulate) const {
    write(output(a, 0)[0], loss * a.scalars->inverse_count, accumulate);
    write(output(a, 1)[0], correct, accumulate);
    write(output(a, 2)[0], correct_top5, accumulate);
  }
};

}  // namespace ddlbench::kernels::reference
