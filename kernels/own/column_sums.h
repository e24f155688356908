#pragma once

#include "graph/ops/activation.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/flat.h"
#include "kernels/sizes/transformer.h"

/// Sums of a tensor [outer, size, inner] over outer and inner, in a fixed order and in two steps. First, runs of
/// elements are summed in parallel into partial[run][size]. Then, if there is more than one run, the runs of each sum
/// are added.
namespace ddlbench::kernels::own {

/// Sums the columns of x[rows, columns]: a thread sums `width` columns over a run of rows. `To` is T if there is only
/// one run, otherwise float.
template <class T, class To, int width>
struct ColumnRunBody {
  Divider packs;  ///< packs per row
  const T* x;
  To* sums;
  std::int64_t rows, rows_of_run, runs;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t columns = packs.divisor() * width;
    each_index(team, packs.divisor() * runs, [&](std::int64_t item) {
      const std::int64_t run = packs.quotient(item), column = (item - run * packs.divisor()) * width;
      const std::int64_t begin = run * rows_of_run, end = begin + rows_of_run < rows ? begin + rows_of_run : rows;
      Floats<width> total{};
      DDLBENCH_UNROLL
      for (std::int64_t row = begin; row < end; ++row) {
        const auto values = load<width>(x + row * columns + column);
        for (int k = 0; k < width; ++k) total.of[k] += values.of[k];
      }
      store<width>(sums + run * columns + column, total, accumulate);
    });
  }
};

/// Sums x[outer, size, inner] over outer and inner: a block sums a run of the outer · inner elements at one index of
/// the middle dimension. The inner size is a multiple of `width`.
template <class T, class To, int width>
struct MiddleRunBody {
  Divider packs;  ///< packs in the inner dimension
  const T* x;
  To* sums;
  std::int64_t outer, size, packs_of_run, runs;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t inner = packs.divisor() * width, all = outer * packs.divisor();
    for (std::int64_t item = team.index(); item < size * runs; item += team.count()) {
      const std::int64_t run = item / size, place = item % size;
      const std::int64_t begin = run * packs_of_run, end = begin + packs_of_run < all ? begin + packs_of_run : all;
      const float total = team.reduce(Sum{}, [&](int thread) {
        float sum = 0;
        DDLBENCH_UNROLL
        for (std::int64_t pack = begin + thread; pack < end; pack += team.threads()) {
          const std::int64_t o = packs.quotient(pack), i = (pack - o * packs.divisor()) * width;
          const auto values = load<width>(x + (o * size + place) * inner + i);
          for (int k = 0; k < width; ++k) sum += values.of[k];
        }
        return sum;
      });
      team.each([&](int thread) {
        if (thread == 0) store_one(sums + item, total, accumulate);
      });
    }
  }
};

/// A warp sums the runs of one column.
template <class T>
struct FinishColumnsBody {
  const float* partial;
  T* sums;
  std::int64_t columns, runs;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t column = team.index(); column < columns; column += team.count()) {
      const float total = team.reduce(Sum{}, [&](int thread) {
        float sum = 0;
        DDLBENCH_UNROLL
        for (std::int64_t run = thread; run < runs; run += team.threads()) sum += partial[run * columns + column];
        return sum;
      });
      team.each([&](int thread) {
        if (thread == 0) store_one(sums + column, total, accumulate);
      });
    }
  }
};

/// Calls launch_runs(To* sums, bool accumulate), which enqueues the sums of runs, and, if there is more than one run,
/// launches the sums over runs.
template <class T, class Launcher, class LaunchRuns>
void sum_in_runs(const Launcher& launcher, const char* name, std::int64_t columns, std::int64_t runs, void* workspace,
                 T* sums, bool accumulate, const LaunchRuns& launch_runs) {
  if (runs == 1) {
    launch_runs(sums, accumulate);
    return;
  }
  auto* partial = static_cast<float*>(workspace);
  launch_runs(partial, false);
  launcher.warps(name, columns, FinishColumnsBody<T>{partial, sums, columns, runs, accumulate});
}

inline std::size_t bytes_of_runs(std::int64_t columns, std::int64_t runs) {
  return runs == 1 ? 0 : static_cast<std::size_t>(columns * runs) * sizeof(float);
}

template <class T, class Launcher>
std::unique_ptr<Kernel> bind_column_sums(const Binding& binding, const Launcher& launcher, const char* name,
                                         std::int64_t rows, std::int64_t columns) {
  const auto runs = sum_runs(rows, columns / vector_width<T>, launcher.multiprocessors());
  const auto rows_of_run = quotient_up(rows, runs);
  return make_kernel(binding, bytes_of_runs(columns, runs), [=, accumulate = binding.accumulate](const Arguments& a) {
    const T* x = input_of<T>(a, 0);
    const auto launch_runs = [&](auto* sums, bool adds) {
      using To = std::remove_pointer_t<decltype(sums)>;
      with_width<T>(columns % vector_width<T> == 0 && aligned({x, sums}), [&](auto width) {
        if (columns == 0) return;
        const Divider packs(columns / width);
        const ColumnRunBody<T, To, decltype(width)::value> body{packs, x, sums, rows, rows_of_run, runs, adds};
        launcher.items(name, packs.divisor() * runs, body);
      });
    };
    sum_in_runs(launcher, name, columns, runs, a.workspace, output_of<T>(a, 0), accumulate, launch_runs);
  });
}

template <class T, class Launcher>
std::unique_ptr<Kernel> bind_middle_sums(const Binding& binding, const Launcher& launcher, const AroundDimension& z) {
  const std::int64_t length = z.outer * z.inner;
  const auto runs = sum_runs(quotient_up(length, block_threads), z.size * block_threads, launcher.multiprocessors());
  return make_kernel(binding, bytes_of_runs(z.size, runs), [=, accumulate = binding.accumulate](const Arguments& a) {
    const T* x = input_of<T>(a, 0);
    const auto launch_runs = [&](auto* sums, bool adds) {
      using To = std::remove_pointer_t<decltype(sums)>;
      with_width<T>(z.inner % vector_width<T> == 0 && aligned({x}), [&](auto width) {
        const Divider packs = divider_of(z.inner / width);
        const std::int64_t packs_of_run = quotient_up(length / width, runs);
        const MiddleRunBody<T, To, decltype(width)::value> body{packs,        x,    sums, z.outer, z.size,
                                                                packs_of_run, runs, adds};
        launcher.blocks("bias_backward", z.size * runs, body);
      });
    };
    sum_in_runs(launcher, "bias_backward", z.size, runs, a.workspace, output_of<T>(a, 0), accumulate, launch_runs);
  });
}

std::unique_ptr<Kernel> bind_bias_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_bias_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    if (z.inner == 1) return bind_column_sums<T>(binding, launcher, "bias_backward", z.outer, z.size);
    return bind_middle_sums<T>(binding, launcher, z);
  });
}

std::unique_ptr<Kernel> bind_add_positions_backward_weight(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_add_positions_backward_weight(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return bind_column_sums<T>(binding, launcher, "add_positions_backward_weight", z.samples, z.elements);
  });
}

}  // namespace ddlbench::kernels::own
