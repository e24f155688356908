#pragma once

#include "kernels/own/bind.h"
#include "kernels/own/column_sums.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::own {

/// A thread sums `width` columns of dgamma and dbeta over a run of rows (see kernels/own/column_sums.h). `To` is T if
/// there is only one run, otherwise float.
template <class T, class To, int width>
struct LayerNormWeightRunBody {
  Divider packs;  ///< packs per row
  const T* dy;
  const T* x;
  const float* means;
  const float* rstds;
  To* dgamma;
  To* dbeta;
  std::int64_t rows, rows_of_run, runs;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t columns = packs.divisor() * width;
    each_index(team, packs.divisor() * runs, [&](std::int64_t item) {
      const std::int64_t run = packs.quotient(item), column = (item - run * packs.divisor()) * width;
      const std::int64_t begin = run * rows_of_run, end = begin + rows_of_run < rows ? begin + rows_of_run : rows;
      Floats<width> gamma{}, beta{};
      DDLBENCH_UNROLL
      for (std::int64_t row = begin; row < end; ++row) {
        const auto gradients = load<width>(dy + row * columns + column),
                   values = load<width>(x + row * columns + column);
        const float mean = means[row], rstd = rstds[row];
        for (int k = 0; k < width; ++k) {
          gamma.of[k] += gradients.of[k] * ((values.of[k] - mean) * rstd);
          beta.of[k] += gradients.of[k];
        }
      }
      store<width>(dgamma + run * columns + column, gamma, accumulate);
      store<width>(dbeta + run * columns + column, beta, accumulate);
    });
  }
};

std::unique_ptr<Kernel> bind_layer_norm_backward_weight(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_layer_norm_backward_weight(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) -> std::unique_ptr<Kernel> {
    const auto runs = sum_runs(z.rows, z.features / vector_width<T>, launcher.multiprocessors());
    const auto rows_of_run = quotient_up(z.rows, runs);
    return make_kernel(
        binding, 2 * bytes_of_runs(z.features, runs), [=, accumulate = binding.accumulate](const Arguments& a) {
          const char* name = "layer_norm_backward_weight";
          const T *dy = input_of<T>(a, 0), *x = input_of<T>(a, 1);
          const auto launch_runs = [&](auto* dgamma, auto* dbeta, bool adds) {
            using To = std::remove_pointer_t<decltype(dgamma)>;
            with_width<T>(z.features % vector_width<T> == 0 && aligned({dy, x, dgamma, dbeta}), [&](auto width) {
              if (z.features == 0) return;
              const Divider packs(z.features / width);
              const LayerNormWeightRunBody<T, To, decltype(width)::value> body{
                  packs, dy, x, input(a, 2), input(a, 3), dgamma, dbeta, z.rows, rows_of_run, runs, adds};
              launcher.items(name, packs.divisor() * runs, body);
            });
          };
          T *dgamma = output_of<T>(a, 0), *dbeta = output_of<T>(a, 1);
          if (runs == 1) return launch_runs(dgamma, dbeta, accumulate);
          auto* partial_gamma = static_cast<float*>(a.workspace);
          float* partial_beta = partial_gamma + z.features * runs;
          launch_runs(partial_gamma, partial_beta, false);
          launcher.warps(name, z.features, FinishColumnsBody<T>{partial_gamma, dgamma, z.features, runs, accumulate});
          launcher.warps(name, z.features, FinishColumnsBody<T>{partial_beta, dbeta, z.features, runs, accumulate});
        });
  });
}

}  // namespace ddlbench::kernels::own
