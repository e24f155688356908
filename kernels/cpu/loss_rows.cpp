#include "kernels/cpu/loss_rows.h"

#include <algorithm>

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/labels.h"
#include "kernels/operands.h"
#include "kernels/own/storage.h"

namespace ddlbench::kernels::cpu {
namespace {

/// Returns the largest logit. A NaN may be ignored or returned: in both cases the sum of exponentials is NaN.
float largest_of(const float* logits, std::int64_t classes) {
  constexpr std::int64_t lanes = 16;
  std::array<float, lanes> largest;
  largest.fill(logits[0]);
  std::int64_t c = 0;
  for (; c + lanes <= classes; c += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) {
      float& lane = largest[static_cast<std::size_t>(l)];
      lane = logits[c + l] > lane ? logits[c + l] : lane;
    }
  }
  for (; c < classes; ++c) largest[0] = logits[c] > largest[0] ? logits[c] : largest[0];
  return *std::max_element(largest.begin(), largest.end());
}

Softmax<float> softmax_of(const float* logits, std::int64_t classes) {
  const float maximum = largest_of(logits, classes);
  return {maximum, sum_in_lanes(classes, [=](std::int64_t c) { return exponential(logits[c] - maximum); })};
}

/// Returns the metrics of a row with `loss`: whether the label has the largest score, and whether one of the five
/// largest. The order of equal scores is that of stands_before().
LossRow ranked(float loss, const float* scores, std::int32_t label, std::int64_t classes) {
  const float own = scores[label];
  std::int32_t before = 0;
  for (std::int32_t c = 0; c < label; ++c) before += scores[c] >= own ? 1 : 0;
  for (auto c = label + std::int64_t{1}; c < classes; ++c) before += scores[c] > own ? 1 : 0;
  return {loss, before == 0 ? 1.0f : 0.0f, before < top5 ? 1.0f : 0.0f};
}

/// Returns the sum of the logits if `target` smooths labels, otherwise 0.
float total_of(const float* logits, std::int64_t classes, const SmoothedTarget<float>& target) {
  return target.smooths() ? sum_in_lanes(classes, [=](std::int64_t c) { return logits[c]; }) : 0.0f;
}

LossRow loss_row(const float* logits, std::int32_t label, std::int64_t classes, const SmoothedTarget<float>& target) {
  if (label < 0) return {};
  const float loss = target.loss(softmax_of(logits, classes), logits[label], total_of(logits, classes, target));
  return ranked(loss, logits, label, classes);
}

/// Writes the gradient of one row and returns its softmax. First writes the exponentials, so that each is computed
/// once; after the first pass, the row is in the core's L2 cache. `exponentials` may be the same array as `logits`, and
/// `gradient` the same as `exponentials`. Loops have no branch, which would prevent their vectorisation.
template <class T>
Softmax<float> write_gradient(const float* logits, std::int32_t label, std::int64_t classes,
                              const SmoothedTarget<float>& target, float scale, float* exponentials, T* gradient) {
  const float maximum = largest_of(logits, classes);
  const float sum =
      sum_in_lanes(classes, [=](std::int64_t c) { return exponentials[c] = exponential(logits[c] - maximum); });
  const float inverse = 1 / sum;
  const SmoothedTarget<float> aim = target;
  DDLBENCH_INDEPENDENT
  for (std::int64_t c = 0; c < classes; ++c)
    gradient[c] = own::from_f32<T>(aim.gradient(exponentials[c] * inverse, c == label) * scale);
  return {maximum, sum};
}

void add_gradient(const float* logits, std::int32_t label, std::int64_t classes, const SmoothedTarget<float>& target,
                  float scale, float* gradient) {
  const Softmax<float> softmax = softmax_of(logits, classes);
  const SmoothedTarget<float> aim = target;
  DDLBENCH_INDEPENDENT
  for (std::int64_t c = 0; c < classes; ++c) gradient[c] += aim.gradient(softmax, logits[c], c == label) * scale;
}

void gradient_row(const float* logits, std::int32_t label, std::int64_t classes, const SmoothedTarget<float>& target,
                  float scale, bool accumulate, float* gradient) {
  if (label < 0) {
    if (!accumulate) std::fill(gradient, gradient + classes, 0.0f);
  } else if (accumulate) {
    add_gradient(logits, label, classes, target, scale, gradient);
  } else {
    write_gradient(logits, label, classes, target, scale, gradient, gradient);
  }
}

template <class T>
void differentiate_row(float* logits, std::int32_t label, std::int64_t classes, const SmoothedTarget<float>& target,
                       float scale, T* gradient, LossRow& metrics) {
  if (label < 0) {
    std::fill(gradient, gradient + classes, own::from_f32<T>(0));
    metrics = {};
  } else {
    const float of_label = logits[label], total = total_of(logits, classes, target);
    metrics = ranked(0, logits, label, classes);
    const Softmax<float> softmax = write_gradient(logits, label, classes, target, scale, logits, gradient);
    metrics.loss = target.loss(softmax, of_label, total);
  }
}

}  // namespace

void loss_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
               const SmoothedTarget<float>& target, LossRow* rows) {
  parallel_for(threads, z.n, z.n * z.classes * cost_of_exponential, [&](auto begin, auto end) {
    for (std::int64_t n = begin; n < end; ++n) rows[n] = loss_row(logits + n * z.classes, labels[n], z.classes, target);
  });
}

void gradient_rows(int threads, const float* logits, const std::int32_t* labels, const ClassSizes& z,
                   const SmoothedTarget<float>& target, float scale, bool accumulate, float* gradients) {
  parallel_for(threads, z.n, z.n * z.classes * cost_of_exponential, [&](auto begin, auto end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const std::int64_t row = n * z.classes;
      gradient_row(logits + row, labels[n], z.classes, target, scale, accumulate, gradients + row);
    }
  });
}

template <class T>
void differentiate_rows(int threads, float* logits, const std::int32_t* labels, const ClassSizes& z,
                        const SmoothedTarget<float>& target, float scale, T* gradients, LossRow* rows) {
  parallel_for(threads, z.n, z.n * z.classes * cost_of_exponential, [&](auto begin, auto end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const std::int64_t row = n * z.classes;
      differentiate_row(logits + row, labels[n], z.classes, target, scale, gradients + row, rows[n]);
    }
  });
}

template void differentiate_rows(int, float*, const std::int32_t*, const ClassSizes&, const SmoothedTarget<float>&,
                                 float, float*, LossRow*);
template void differentiate_rows(int, float*, const std::int32_t*, const ClassSizes&, const SmoothedTarget<float>&,
                                 float, own::Bfloat16*, LossRow*);

void squared_error_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                        LossRow* rows) {
  parallel_for(threads, z.n, z.n * z.classes, [&](auto begin, auto end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const float* row = scores + n * z.classes;
      const auto label = labels[n];
      const auto square = [=](std::int64_t c) {
        const float difference = row[c] - (c == label ? 1.0f : 0.0f);
        return difference * difference;
      };
      const float loss = sum_in_lanes(z.classes, square) / static_cast<float>(z.classes);
      rows[n] = label < 0 ? LossRow{} : ranked(loss, row, label, z.classes);
    }
  });
}

void squared_error_gradient_rows(int threads, const float* scores, const std::int32_t* labels, const ClassSizes& z,
                                 float scale, bool accumulate, float* gradients) {
  const float factor = 2 * scale / static_cast<float>(z.classes);
  parallel_for(threads, z.n, z.n * z.classes, [&](auto begin, auto end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const std::int64_t row = n * z.classes;
      const std::int32_t label = labels[n];
      DDLBENCH_INDEPENDENT
      for (std::int64_t c = 0; c < z.classes; ++c) {
        const float gradient = label < 0 ? 0.0f : (scores[row + c] - (c == label ? 1.0f : 0.0f)) * factor;
        gradients[row + c] = accumulate ? gradients[row + c] + gradient : gradient;
      }
    }
  });
}

void write_metrics(const Arguments& arguments, const LossRow* rows, std::int64_t n, bool accumulate) {
  double loss = 0, correct = 0, correct_top5 = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    loss += rows[i].loss;
    correct += rows[i].correct;
    correct_top5 += rows[i].correct_top5;
  }
  write(output(arguments, 0)[0], loss * arguments.scalars->inverse_count, accumulate);
  write(output(arguments, 1)[0], correct, accumulate);
  write(output(arguments, 2)[0], correct_top5, accumulate);
}

void check_labels(const std::int32_t* labels, const ClassSizes& z) {
  for (std::int64_t n = 0; n < z.n; ++n) is_sample(labels, n, z.classes);
}

}  // namespace ddlbench::kernels::cpu
