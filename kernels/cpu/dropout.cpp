#include "graph/ops/dropout.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/draws.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/dropout_mask.h"
#include "kernels/operands.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::cpu {
namespace {

constexpr std::int64_t cost_of_draw = 4;  ///< of one element, in plain elements

/// Returns the random words of `draws_at_once` draws of a sample, starting at `at`, in the order of the elements.
std::array<std::uint32_t, draws_at_once * words_per_draw> words_of(const DropoutDraw& draw, std::int32_t sample,
                                                                   std::int64_t at) {
  Draws made;
  draw_words(draw.key, draw.step, DropoutDraw::counter(sample, at), made);
  std::array<std::uint32_t, draws_at_once * words_per_draw> words;
  for (std::size_t d = 0; d < draws_at_once; ++d) {
    words[4 * d] = made[0][d];
    words[4 * d + 1] = made[1][d];
    words[4 * d + 2] = made[2][d];
    words[4 * d + 3] = made[3][d];
  }
  return words;
}

/// Applies dropout to elements [first, first + size) of a sample; `x` and `y` point to the first of them.
void drop_run(const DropoutDraw& draw, std::int32_t sample, std::int64_t first, std::int64_t size,
              const DropoutRule& rule, const float* x, float* y, bool accumulate) {
  const auto scale = static_cast<float>(rule.scale);
  for (std::int64_t at = first / words_per_draw; at * words_per_draw < first + size; at += draws_at_once) {
    const auto words = words_of(draw, sample, at);
    const std::int64_t begin = std::max(first, at * words_per_draw);
    const std::int64_t end = std::min(first + size, (at + draws_at_once) * words_per_draw);
    const std::uint32_t* word = words.data() + (begin - at * words_per_draw);
    const float* from = x + (begin - first);
    float* to = y + (begin - first);
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const float value = word[i] >= rule.threshold ? from[i] * scale : 0.0f;
      to[i] = accumulate ? to[i] + value : value;
    }
  }
}

}  // namespace

DDLBENCH_CPU_KERNEL(dropout) {
  const auto z = sizes_of_dropout(binding);
  const auto& op = attributes_of<graph::Dropout>(binding);
  const DropoutRule rule(op.rate, op.layer);
  return make_kernel(binding, [z, rule, threads = context.threads,
                               accumulate = binding.accumulate](const Arguments& a) {
    const DropoutDraw draw(rule, *a.scalars);
    const float* x = input(a, 0);
    float* y = output(a, 0);
    parallel_for(threads, z.samples * z.runs, z.elements() * cost_of_draw, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int32_t sample = input_of<std::int32_t>(a, 1)[i / z.runs];
        drop_run(draw, sample, i % z.runs * z.stride + z.offset, z.run, rule, x + i * z.run, y + i * z.run, accumulate);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
