#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "kernels/exponential.h"
#include "kernels/flat_sizes.h"
#include "kernels/own/bind.h"

/// A team takes a row of logits. A label of −1 is none; one that is no class makes the loss, or its row of the
/// gradient, NaN: a GPU cannot name it.
namespace ddlbench::kernels::own {

/// What is known of some logits of a row: kernels/functors.h's SoftmaxRow, in parts that can be put together.
struct SoftmaxPart {
  float maximum;
  float sum;             ///< of exp(logit − maximum)
  std::int64_t largest;  ///< index of the first largest logit

  /// Of none. Finite: the difference from −∞, which is a logit like others, must be no NaN.
  DDLBENCH_DEVICE static SoftmaxPart none() { return {-FLT_MAX, 0, INT64_MAX}; }

  DDLBENCH_DEVICE void add(float logit, std::int64_t index) {
    if (logit > maximum) {
      sum *= exponential(maximum - logit);
      maximum = logit;
      largest = index;
    }
    sum += exponential(logit - maximum);
  }
  /// −log softmax at a logit.
  DDLBENCH_DEVICE float loss(float logit) const { return std::log(sum) + maximum - logit; }
  DDLBENCH_DEVICE float probability(float logit) const { return exponential(logit - maximum) / sum; }
};

struct JoinSoftmax {
  DDLBENCH_DEVICE SoftmaxPart operator()(const SoftmaxPart& a, const SoftmaxPart& b) const {
    const bool first = a.maximum > b.maximum || (a.maximum == b.maximum && a.largest < b.largest);
    const float maximum = first ? a.maximum : b.maximum;
    const float sum = a.sum * exponential(a.maximum - maximum) + b.sum * exponential(b.maximum - maximum);
    return {maximum, sum, first ? a.largest : b.largest};
  }
};

template <int width, class T, class Team>
DDLBENCH_DEVICE SoftmaxPart softmax_of_row(Team& team, const T* logits, std::int64_t classes) {
  return team.reduce(JoinSoftmax{}, [&](int thread) {
    auto part = SoftmaxPart::none();
    each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
      const auto values = load<width>(logits + i);
      for (int k = 0; k < width; ++k) part.add(values.of[k], i + k);
    });
    return part;
  });
}

/// Loss and hit of each row.
template <class T, int width>
struct CrossEntropyRowsBody {
  const T* logits;
  const std::int32_t* labels;
  Two* rows;
  std::int64_t n, classes;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    for (std::int64_t row = team.index(); row < n; row += team.count()) {
      const std::int32_t label = labels[row];
      Two result{0, 0};
      if (label < -1 || label >= classes) {
        result.a = NAN;
      } else if (label >= 0) {
        const T* from = logits + row * classes;
        const auto part = softmax_of_row<width>(team, from, classes);
        result = {part.loss(to_f32(from[label])), part.largest == label ? 1.0f : 0.0f};
      }
      team.each([&](int thread) {
        if (thread == 0) rows[row] = result;
      });
    }
  }
};

/// The sums over all rows: one team.
struct CrossEntropySumBody {
  const Two* rows;
  const graph::Scalars* scalars;
  float* loss;
  float* correct;
  std::int64_t n;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const Two sums = team.reduce(Sum{}, [&](int thread) {
      Two two{0, 0};
      DDLBENCH_UNROLL
      for (std::int64_t row = thread; row < n; row += team.threads()) two = two + rows[row];
      return two;
    });
    team.each([&](int thread) {
      if (thread != 0) return;
      store_one(loss, sums.a * scalars->inverse_count, accumulate);
      store_one(correct, sums.b, accumulate);
    });
  }
};

template <class T, int width>
struct CrossEntropyBackwardBody {
  const T* logits;
  const std::int32_t* labels;
  const graph::Scalars* scalars;
  T* gradient;
  std::int64_t n, classes;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const float scale = scalars->inverse_count * scalars->loss_scale;
    for (std::int64_t row = team.index(); row < n; row += team.count()) {
      const std::int32_t label = labels[row];
      const T* from = logits + row * classes;
      T* to = gradient + row * classes;
      if (label < 0 || label >= classes) {
        fill(team, to, label == -1 ? 0.0f : NAN);
        continue;
      }
      const auto part = softmax_of_row<width>(team, from, classes);
      team.each([&](int thread) {
        each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
          auto values = load<width>(from + i);
          for (int k = 0; k < width; ++k) {
            values.of[k] = (part.probability(values.of[k]) - (i + k == label ? 1.0f : 0.0f)) * scale;
          }
          store<width>(to + i, values, accumulate);
        });
      });
    }
  }

 private:
  template <class Team>
  DDLBENCH_DEVICE void fill(Team& team, T* to, float value) const {
    team.each([&](int thread) {
      each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
        Floats<width> values;
        for (int k = 0; k < width; ++k) values.of[k] = value;
        store<width>(to + i, values, accumulate);
      });
    });
  }
};

template <class Launcher>
std::unique_ptr<Kernel> bind_cross_entropy(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_cross_entropy(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* logits = input_of<T>(a, 0);
      auto* rows = static_cast<Two*>(a.workspace);
      with_width<T>(z.classes % vector_width<T> == 0 && aligned({logits}), [&](auto width) {
        const CrossEntropyRowsBody<T, decltype(width)::value> body{logits, input_of<std::int32_t>(a, 1), rows, z.n,
                                                                   z.classes};
        launch_rows(launcher, "cross_entropy", z.n, z.classes, body);
      });
      const CrossEntropySumBody sum{rows, a.scalars, output(a, 0), output(a, 1), z.n, accumulate};
      launcher.blocks("cross_entropy", 1, sum);
    };
    return make_kernel(flops_of(binding), launch, static_cast<std::size_t>(z.n) * sizeof(Two));
  });
}

template <class Launcher>
std::unique_ptr<Kernel> bind_cross_entropy_backward(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_cross_entropy_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* logits = input_of<T>(a, 0);
      T* gradient = output_of<T>(a, 0);
      with_width<T>(z.classes % vector_width<T> == 0 && aligned({logits, gradient}), [&](auto width) {
        const CrossEntropyBackwardBody<T, decltype(width)::value> body{
            logits, input_of<std::int32_t>(a, 1), a.scalars, gradient, z.n, z.classes, accumulate};
        launch_rows(launcher, "cross_entropy_backward", z.n, z.classes, body);
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
