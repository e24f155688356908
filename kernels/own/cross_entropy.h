#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "graph/ops/loss.h"
#include "kernels/functors/softmax.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/flat.h"

/// A team processes a row of logits. A row with the label −1 is ignored. Any other label that is not a class makes the
/// loss, or the row's gradient, NaN, because a GPU kernel cannot report an error.
namespace ddlbench::kernels::own {

/// Combines the softmax of two parts of a row.
struct JoinSoftmax {
  DDLBENCH_DEVICE Softmax<float> operator()(const Softmax<float>& a, const Softmax<float>& b) const {
    const float maximum = a.maximum > b.maximum ? a.maximum : b.maximum;
    return {maximum, a.sum * exponential(a.maximum - maximum) + b.sum * exponential(b.maximum - maximum)};
  }
};

/// Returns the softmax of no logits. Its maximum is finite, so that subtracting it from a logit of −∞ does not give
/// NaN.
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

/// The data that the metrics need from some logits of a row.
struct LossPart {
  Softmax<float> softmax;
  float total;          ///< sum of the logits
  std::int32_t before;  ///< number of logits that rank before the label's
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

/// Returns the metrics of a row whose label is not a class: zeros if it is −1, otherwise a loss of NaN.
DDLBENCH_DEVICE inline Metrics metrics_without_class(std::int32_t label) {
  return {label == -1 ? 0.0f : NAN, 0, 0};
}

/// Writes the metrics of each row: of_row(row) if its label is a class.
DDLBENCH_DEVICE void metrics_of_rows(auto& team, const std::int32_t* labels, Metrics* rows, std::int64_t n,
                                     std::int64_t classes, const auto& of_row) {
  for (std::int64_t row = team.index(); row < n; row += team.count()) {
    const std::int32_t label = labels[row];
    const Metrics result = label >= 0 && label < classes ? of_row(row) : metrics_without_class(label);
    team.each([&](int thread) {
      if (thread == 0) rows[row] = result;
    });
  }
}

/// n rows of logits with a stride of `row` elements. The padding between rows is neither read nor written.
template <class T>
struct LogitMatrix {
  const T* logits;
  const std::int32_t* labels;
  std::int64_t n, classes, row;

  DDLBENCH_DEVICE const T* at(std::int64_t index) const { return logits + index * row; }
};

/// Reduces a whole row. Every thread of the team gets the result.
template <int width, class T, class Team>
DDLBENCH_DEVICE LossPart loss_of_row(Team& team, const T* from, std::int64_t classes, std::int32_t label) {
  const float at_label = to_f32(from[label]);
  return team.reduce(JoinLoss{}, [&](int thread) {
    LossPart part{empty_softmax(), 0, 0};
    each_pack_of_row<width>(team, thread, classes, [&](auto n, std::int64_t i) {
      const auto values = load<n>(from + i);
      for (int k = 0; k < n; ++k) {
        add_logit(part.softmax, values.of[k]);
        part.total += values.of[k];
        part.before += ranks_before(values.of[k], i + k, at_label, label) ? 1 : 0;
      }
    });
    return part;
  });
}

DDLBENCH_DEVICE inline Metrics metrics_of(const LossPart& row, const SmoothedTarget<float>& target, float at_label) {
  return {target.loss(row.softmax, at_label, row.total), row.before == 0 ? 1.0f : 0.0f,
          row.before < top5 ? 1.0f : 0.0f};
}

template <class T, int width>
struct CrossEntropyRowsBody {
  SmoothedTarget<float> target;
  LogitMatrix<T> matrix;
  Metrics* rows;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    metrics_of_rows(team, matrix.labels, rows, matrix.n, matrix.classes, [&](std::int64_t row) {
      const std::int32_t label = matrix.labels[row];
      const T* from = matrix.at(row);
      return metrics_of(loss_of_row<width>(team, from, matrix.classes, label), target, to_f32(from[label]));
    });
  }
};

/// One team sums the metrics of all rows.
struct MetricsSumBody {
  const Metrics* rows;
  const graph::Scalars* scalars;
  float* loss;
  float* correct;
  float* correct_top5;
  std::int64_t n;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
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

/// Computes the gradient, which has the row stride of the logits and may share their memory. If `measures`, also writes
/// the metrics of the rows, which saves one read of the logits.
template <class T, int width, bool measures>
struct CrossEntropyBackwardBody {
  SmoothedTarget<float> target;
  LogitMatrix<T> matrix;
  const graph::Scalars* scalars;
  T* gradient;
  bool accumulate;
  Metrics* rows;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const float scale = scalars->inverse_count * scalars->scaler.scale;
    for (std::int64_t row = team.index(); row < matrix.n; row += team.count()) {
      const std::int32_t label = matrix.labels[row];
      const T* from = matrix.at(row);
      T* to = gradient + row * matrix.row;
      if (label < 0 || label >= matrix.classes) {
        fill(team, to, label == -1 ? 0.0f : NAN);
        write_metrics(team, row, [&] { return metrics_without_class(label); });
        continue;
      }
      const float at_label = to_f32(from[label]);
      Softmax<float> softmax = empty_softmax();
      if constexpr (measures) {
        const LossPart all = loss_of_row<width>(team, from, matrix.classes, label);
        softmax = all.softmax;
        write_metrics(team, row, [&] { return metrics_of(all, target, at_label); });
      } else {
        softmax = softmax_of_row(team, from);
      }
      team.each([&](int thread) {
        each_pack_of_row<width>(team, thread, matrix.classes, [&](auto n, std::int64_t i) {
          auto values = load<n>(from + i);
          for (int k = 0; k < n; ++k) values.of[k] = target.gradient(softmax, values.of[k], i + k == label) * scale;
          store<n>(to + i, values, accumulate);
        });
      });
    }
  }

 private:
  DDLBENCH_DEVICE Softmax<float> softmax_of_row(auto& team, const T* from) const {
    return team.reduce(JoinSoftmax{}, [&](int thread) {
      auto part = empty_softmax();
      each_pack_of_row<width>(team, thread, matrix.classes, [&](auto n, std::int64_t i) {
        const auto values = load<n>(from + i);
        for (int k = 0; k < n; ++k) add_logit(part, values.of[k]);
      });
      return part;
    });
  }
  DDLBENCH_DEVICE void write_metrics(auto& team, std::int64_t row, const auto& make) const {
    if constexpr (measures) {
      team.each([&](int thread) {
        if (thread == 0) rows[row] = make();
      });
    }
  }
  DDLBENCH_DEVICE void fill(auto& team, T* to, float value) const {
    team.each([&](int thread) {
      each_pack_of_row<width>(team, thread, matrix.classes, [&](auto n, std::int64_t i) {
        Floats<n> values;
        for (int k = 0; k < n; ++k) values.of[k] = value;
        store<n>(to + i, values, accumulate);
      });
    });
  }
};

/// Writes one Metrics per row.
template <class T, class Launcher>
void launch_loss_rows(const Launcher& launcher, const char* name, const SmoothedTarget<float>& target,
                      const LogitMatrix<T>& matrix, Metrics* rows) {
  with_width<T>(matrix.row % vector_width<T> == 0 && aligned({matrix.logits}), [&](auto width) {
    const CrossEntropyRowsBody<T, decltype(width)::value> body{target, matrix, rows};
    launch_rows(launcher, name, matrix.n, matrix.classes, body);
  });
}

/// `gradient` may be the memory of the logits. If `rows` is not null, also writes the metrics of each row.
template <class T, class Launcher>
void launch_gradient_rows(const Launcher& launcher, const char* name, const SmoothedTarget<float>& target,
                          const graph::Scalars* scalars, const LogitMatrix<T>& matrix, T* gradient, bool accumulate,
                          Metrics* rows = nullptr) {
  with_width<T>(matrix.row % vector_width<T> == 0 && aligned({matrix.logits, gradient}), [&](auto width) {
    constexpr int n = decltype(width)::value;
    if (rows == nullptr) {
      const CrossEntropyBackwardBody<T, n, false> body{target, matrix, scalars, gradient, accumulate, rows};
      launch_rows(launcher, name, matrix.n, matrix.classes, body);
    } else {
      const CrossEntropyBackwardBody<T, n, true> body{target, matrix, scalars, gradient, accumulate, rows};
      launch_rows(launcher, name, matrix.n, matrix.classes, body);
    }
  });
}

/// Writes the three metric outputs: the sums over rows, with the loss times inverse_count.
void launch_metrics(const auto& launcher, const char* name, const Arguments& a, const Metrics* rows, std::int64_t n,
                    bool accumulate) {
  launcher.blocks(name, 1, MetricsSumBody{rows, a.scalars, output(a, 0), output(a, 1), output(a, 2), n, accumulate});
}

std::unique_ptr<Kernel> bind_cross_entropy(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_cross_entropy(binding, Storage::any_float);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropy>(binding).label_smoothing, z.classes);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(
        binding, static_cast<std::size_t>(z.n) * sizeof(Metrics),
        [=, accumulate = binding.accumulate](const Arguments& a) {
          auto* rows = static_cast<Metrics*>(a.workspace);
          const LogitMatrix<T> matrix{input_of<T>(a, 0), input_of<std::int32_t>(a, 1), z.n, z.classes, z.classes};
          launch_loss_rows(launcher, "cross_entropy", target, matrix, rows);
          launch_metrics(launcher, "cross_entropy", a, rows, z.n, accumulate);
        });
  });
}

std::unique_ptr<Kernel> bind_cross_entropy_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_cross_entropy_backward(binding, Storage::any_float);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropyBackward>(binding).label_smoothing, z.classes);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const LogitMatrix<T> matrix{input_of<T>(a, 0), input_of<std::int32_t>(a, 1), z.n, z.classes, z.classes};
      launch_gradient_rows(launcher, "cross_entropy_backward", target, a.scalars, matrix, output_of<T>(a, 0),
                           accumulate);
    });
  });
}

}  // namespace ddlbench::kernels::own
