#pragma once

#include "kernels/own/cross_entropy.h"

/// The mean squared error, row by row. Labels are handled as in cross_entropy.h.
namespace ddlbench::kernels::own {

template <class T>
struct SquaredErrorRowsBody {
  const T* scores;
  const std::int32_t* labels;
  Metrics* rows;
  std::int64_t n, classes;

  struct Part {
    float squares;
    std::int32_t before;
  };
  struct Join {
    DDLBENCH_DEVICE Part operator()(const Part& a, const Part& b) const {
      return {a.squares + b.squares, a.before + b.before};
    }
  };

  DDLBENCH_DEVICE void operator()(auto& team) const {
    metrics_of_rows(team, labels, rows, n, classes,
                    [&](std::int64_t row) { return of_row(team, scores + row * classes, labels[row]); });
  }

 private:
  DDLBENCH_DEVICE Metrics of_row(auto& team, const T* from, std::int32_t label) const {
    const float at_label = to_f32(from[label]);
    const Part all = team.reduce(Join{}, [&](int thread) {
      Part part{0, 0};
      for (std::int64_t c = thread; c < classes; c += team.threads()) {
        const float score = to_f32(from[c]), difference = score - (c == label ? 1.0f : 0.0f);
        part.squares += difference * difference;
        part.before += ranks_before(score, c, at_label, label) ? 1 : 0;
      }
      return part;
    });
    return {all.squares / static_cast<float>(classes), all.before == 0 ? 1.0f : 0.0f, all.before < top5 ? 1.0f : 0.0f};
  }
};

template <class T>
struct SquaredErrorBackwardBody {
  const T* scores;
  const std::int32_t* labels;
  const graph::Scalars* scalars;
  T* gradient;
  std::int64_t n, classes;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const float scale = 2 * scalars->inverse_count * scalars->scaler.scale / static_cast<float>(classes);
    each_index(team, n * classes, [&](std::int64_t i) {
      const std::int32_t label = labels[i / classes];
      const float difference = to_f32(scores[i]) - (i % classes == label ? 1.0f : 0.0f);
      const float known = label >= 0 && label < classes ? difference * scale : NAN;
      store_one(gradient + i, label == -1 ? 0.0f : known, accumulate);
    });
  }
};

std::unique_ptr<Kernel> bind_mean_squared_error(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_cross_entropy(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(
        binding, static_cast<std::size_t>(z.n) * sizeof(Metrics),
        [=, accumulate = binding.accumulate](const Arguments& a) {
          auto* rows = static_cast<Metrics*>(a.workspace);
          const SquaredErrorRowsBody<T> body{input_of<T>(a, 0), input_of<std::int32_t>(a, 1), rows, z.n, z.classes};
          launch_rows(launcher, "mean_squared_error", z.n, z.classes, body);
          launch_metrics(launcher, "mean_squared_error", a, rows, z.n, accumulate);
        });
  });
}

std::unique_ptr<Kernel> bind_mean_squared_error_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_cross_entropy_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const SquaredErrorBackwardBody<T> body{
          input_of<T>(a, 0), input_of<std::int32_t>(a, 1), a.scalars, output_of<T>(a, 0), z.n, z.classes, accumulate};
      launcher.items("mean_squared_error_backward", z.n * z.classes, body);
    });
  });
}

}  // namespace ddlbench::kernels::own
