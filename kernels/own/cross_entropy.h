#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "graph/ops/loss.h"
#include "kernels/flat_sizes.h"
#include "kernels/own/bind.h"
#include "kernels/softmax.h"

/// A team takes a row of logits. A label of −1 is none; one that is no class makes the loss, or its row of the
/// gradient, NaN: a GPU cannot name it.
namespace ddlbench::kernels::own {

/// Two parts of a softmax put together.
struct JoinSoftmax {
  DDLBENCH_DEVICE Softmax<float> operator()(const Softmax<float>& a, const Softmax<float>& b) const {
    const float maximum = a.maximum > b.maximum ? a.maximum : b.maximum;
    return {maximum, a.sum * exponential(a.maximum - maximum) + b.sum * exponential(b.maximum - maximum)};
  }
};

/// Of no logits. Finite: the difference from −∞, which is a logit like others, must be no NaN.
DDLBENCH_DEVICE inline Softmax<float> empty_softmax() {
  return {-FLT_MAX, 0};
}

DDLBENCH_DEVICE inline void add_logit(Softmax<float>& part, float logit) {
  if (logit > part.maximum) {
    part.sum *= exponential(part.maximum - logit);
    part.maximum = logit;
  }
  part.sum += exponential(logit - part.maximum);
}

/// What the metrics need of some logits of a row.
struct LossPart {
  Softmax<float> softmax;
  float total;          ///< of the logits
  std::int32_t before;  ///< that stand before the label's
};

struct JoinLoss {
  DDLBENCH_DEVICE LossPart operator()(const LossPart& a, const LossPart& b) const {
    return {JoinSoftmax{}(a.softmax, b.softmax), a.total + b.total, a.before + b.before};
  }
};

/// The three metrics of a row, or their sums.
struct Metrics {
  float loss, correct, correct_top5;
};
DDLBENCH_DEVICE inline Metrics operator+(Metrics a, Metrics b) {
  return {a.loss + b.loss, a.correct + b.correct, a.correct_top5 + b.correct_top5};
}

/// Of each row: of_row(row) where its label is a class, nothing where it is −1, a loss of NaN where it is no class at
/// all.
template <class Team, class OfRow>
DDLBENCH_DEVICE void metrics_of_rows(Team& team, const std::int32_t* labels, Metrics* rows, std::int64_t n,
                                     std::int64_t classes, const OfRow& of_row) {
  for (std::int64_t row = team.index(); row < n; row += team.count()) {
    const std::int32_t label = labels[row];
    Metrics result{0, 0, 0};
    if (label < -1 || label >= classes)
      result.loss = NAN;
    else if (label >= 0)
      result = of_row(row);
    team.each([&](int thread) {
      if (thread == 0) rows[row] = result;
    });
  }
}

template <class T, int width>
struct CrossEntropyRowsBody {
  SmoothedTarget<float> target;
  const T* logits;
  const std::int32_t* labels;
  Metrics* rows;
  std::int64_t n, classes;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    metrics_of_rows(team, labels, rows, n, classes,
                    [&](std::int64_t row) { return of_row(team, logits + row * classes, labels[row]); });
  }

 private:
  template <class Team>
  DDLBENCH_DEVICE Metrics of_row(Team& team, const T* from, std::int32_t label) const {
    const float at_label = to_f32(from[label]);
    const auto all = team.reduce(JoinLoss{}, [&](int thread) {
      LossPart part{empty_softmax(), 0, 0};
      each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
        const auto values = load<width>(from + i);
        for (int k = 0; k < width; ++k) {
          add_logit(part.softmax, values.of[k]);
          part.total += values.of[k];
          part.before += stands_before(values.of[k], i + k, at_label, label) ? 1 : 0;
        }
      });
      return part;
    });
    return {target.loss(all.softmax, at_label, all.total), all.before == 0 ? 1.0f : 0.0f,
            all.before < first_five ? 1.0f : 0.0f};
  }
};

/// The sums over all rows: one team.
struct MetricsSumBody {
  const Metrics* rows;
  const graph::Scalars* scalars;
  float* loss;
  float* correct;
  float* correct_top5;
  std::int64_t n;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const Metrics sums = team.reduce(Sum{}, [&](int thread) {
      Metrics sum{0, 0, 0};
      DDLBENCH_UNROLL
      for (std::int64_t row = thread; row < n; row += team.threads()) sum = sum + rows[row];
      return sum;
    });
    team.each([&](int thread) {
      if (thread != 0) return;
      store_one(loss, sums.loss * scalars->inverse_count, accumulate);
      store_one(correct, sums.correct, accumulate);
      store_one(correct_top5, sums.correct_top5, accumulate);
    });
  }
};

template <class T, int width>
struct CrossEntropyBackwardBody {
  SmoothedTarget<float> target;
  const T* logits;
  const std::int32_t* labels;
  const graph::Scalars* scalars;
  T* gradient;
  std::int64_t n, classes;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const float scale = scalars->inverse_count * scalars->scaler.scale;
    for (std::int64_t row = team.index(); row < n; row += team.count()) {
      const std::int32_t label = labels[row];
      const T* from = logits + row * classes;
      T* to = gradient + row * classes;
      if (label < 0 || label >= classes) {
        fill(team, to, label == -1 ? 0.0f : NAN);
        continue;
      }
      const auto softmax = team.reduce(JoinSoftmax{}, [&](int thread) {
        auto part = empty_softmax();
        each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
          const auto values = load<width>(from + i);
          for (int k = 0; k < width; ++k) add_logit(part, values.of[k]);
        });
        return part;
      });
      team.each([&](int thread) {
        each_of_row<width>(team, thread, classes, [&](std::int64_t i) {
          auto values = load<width>(from + i);
          for (int k = 0; k < width; ++k) values.of[k] = target.gradient(softmax, values.of[k], i + k == label) * scale;
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

/// Into one Metrics a row.
template <class T, class Launcher>
void launch_loss_rows(const Launcher& launcher, const char* name, const SmoothedTarget<float>& target, const T* logits,
                      const std::int32_t* labels, const ClassSizes& z, Metrics* rows) {
  with_width<T>(z.classes % vector_width<T> == 0 && aligned({logits}), [&](auto width) {
    const CrossEntropyRowsBody<T, decltype(width)::value> body{target, logits, labels, rows, z.n, z.classes};
    launch_rows(launcher, name, z.n, z.classes, body);
  });
}

/// `gradient` may be `logits`.
template <class T, class Launcher>
void launch_gradient_rows(const Launcher& launcher, const char* name, const SmoothedTarget<float>& target,
                          const graph::Scalars* scalars, const T* logits, const std::int32_t* labels,
                          const ClassSizes& z, T* gradient, bool accumulate) {
  with_width<T>(z.classes % vector_width<T> == 0 && aligned({logits, gradient}), [&](auto width) {
    const CrossEntropyBackwardBody<T, decltype(width)::value> body{target,   logits, labels,    scalars,
                                                                   gradient, z.n,    z.classes, accumulate};
    launch_rows(launcher, name, z.n, z.classes, body);
  });
}

/// The three outputs.
template <class Launcher>
void launch_metrics(const Launcher& launcher, const char* name, const Arguments& a, const Metrics* rows, std::int64_t n,
                    bool accumulate) {
  launcher.blocks(name, 1, MetricsSumBody{rows, a.scalars, output(a, 0), output(a, 1), output(a, 2), n, accumulate});
}

template <class Launcher>
std::unique_ptr<Kernel> bind_cross_entropy(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_cross_entropy(binding, Storage::any_float);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropy>(binding).label_smoothing, z.classes);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [=, accumulate = binding.accumulate](const Arguments& a) {
      auto* rows = static_cast<Metrics*>(a.workspace);
      launch_loss_rows(launcher, "cross_entropy", target, input_of<T>(a, 0), input_of<std::int32_t>(a, 1), z, rows);
      launch_metrics(launcher, "cross_entropy", a, rows, z.n, accumulate);
    };
    return make_kernel(flops_of(binding), launch, static_cast<std::size_t>(z.n) * sizeof(Metrics));
  });
}

template <class Launcher>
std::unique_ptr<Kernel> bind_cross_entropy_backward(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_cross_entropy_backward(binding, Storage::any_float);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropyBackward>(binding).label_smoothing, z.classes);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      launch_gradient_rows(launcher, "cross_entropy_backward", target, a.scalars, input_of<T>(a, 0),
                           input_of<std::int32_t>(a, 1), z, output_of<T>(a, 0), accumulate);
    });
  });
}

}  // namespace ddlbench::kernels::own
