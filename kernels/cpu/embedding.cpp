#include <cstring>

#include "kernels/cpu/loops.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/labels.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::cpu {
namespace {

void add_row(float* target, const float* source, std::int64_t begin, std::int64_t end) {
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) target[i] += source[i];
}

/// Copies the table rows of tokens [begin, end) to `y`, or adds them if `accumulate`.
template <class T>
void look_up(const EmbeddingSizes& z, const std::int32_t* tokens, const T* table, T* y, bool accumulate,
             std::int64_t begin, std::int64_t end) {
  for (std::int64_t t = begin; t < end; ++t) {
    const T* row = table + tokens[t] * z.features;
    T* to = y + t * z.features;
    if (!accumulate) {
      std::memcpy(to, row, static_cast<std::size_t>(z.features) * sizeof(T));
      continue;
    }
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < z.features; ++i) to[i] = own::from_f32<T>(own::to_f32(to[i]) + own::to_f32(row[i]));
  }
}

/// Sums columns [begin, end) of all rows. Threads then share no element, and the order of sums is that of positions for
/// any number of threads.
void sum_tokens(const EmbeddingSizes& z, const std::int32_t* tokens, const float* dy, float* table, bool accumulate,
                std::int64_t begin, std::int64_t end) {
  if (!accumulate) {
    for (std::int64_t row = 0; row < z.vocabulary; ++row)
      std::fill(table + row * z.features + begin, table + row * z.features + end, 0.0f);
  }
  for (std::int64_t t = 0; t < z.tokens; ++t) add_row(table + tokens[t] * z.features, dy + t * z.features, begin, end);
}

}  // namespace

DDLBENCH_CPU_KERNEL(embedding, Storage::any_float) {
  const auto z = sizes_of_embedding(binding, Storage::any_float);
  return own::with_storage(binding.inputs[1].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* tokens = input_of<std::int32_t>(a, 0);
      require_tokens(tokens, z.tokens, z.vocabulary);
      parallel_for(threads, z.tokens, z.tokens * z.features, [&](std::int64_t begin, std::int64_t end) {
        look_up(z, tokens, input_of<T>(a, 1), output_of<T>(a, 0), accumulate, begin, end);
      });
    });
  });
}

DDLBENCH_CPU_KERNEL(embedding_backward_weight) {
  const auto z = sizes_of_embedding_backward_weight(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const auto* tokens = input_of<std::int32_t>(a, 0);
    require_tokens(tokens, z.tokens, z.vocabulary);
    parallel_for(threads, z.features, z.tokens * z.features, [&](std::int64_t begin, std::int64_t end) {
      sum_tokens(z, tokens, input(a, 1), output(a, 0), accumulate, begin, end);
    });
  });
}

DDLBENCH_CPU_KERNEL(add_positions) {
  const auto z = sizes_of_add_positions(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const float* p = input(a, 1);
    parallel_for(threads, z.elements, z.samples * z.elements, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = 0; n < z.samples; ++n) {
        const float* x = input(a, 0) + n * z.elements;
        float* y = output(a, 0) + n * z.elements;
        if (accumulate) add_row(y, x, begin, end);
        DDLBENCH_INDEPENDENT
        for (std::int64_t i = begin; i < end; ++i) y[i] = (accumulate ? y[i] : x[i]) + p[i];
      }
    });
  });
}

DDLBENCH_CPU_KERNEL(add_positions_backward_weight, Storage::any_float) {
  const auto z = sizes_of_add_positions_backward_weight(binding, Storage::any_float);
  const AroundDimension around{z.samples, z.elements, 1};
  return make_kernel(
      binding, [around, threads = context.threads, dtype = binding.inputs[0].dtype, accumulate = binding.accumulate](
                   const Arguments& a) { sum_around(threads, around, dtype, a.inputs[0], a.outputs[0], accumulate); });
}

}  // namespace ddlbench::kernels::cpu
