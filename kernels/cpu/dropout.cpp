#include "graph/ops/dropout.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/dropout_mask.h"
#include "kernels/norm_sizes.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

constexpr std::int64_t draws = 16;        ///< that are drawn beside each other
constexpr std::int64_t cost_of_draw = 4;  ///< in plain elements, for each element

/// Elements [first, first + size) of a sample, which lie at x and y.
void drop_run(const DropoutDraw& draw, std::int32_t sample, std::int64_t first, std::int64_t size,
              const DropoutRule& rule, const float* x, float* y, bool accumulate) {
  const auto scale = static_cast<float>(rule.scale);
  for (std::int64_t at = first / words_per_draw; at * words_per_draw < first + size; at += draws) {
    std::array<std::uint32_t, draws * words_per_draw> words;
    DDLBENCH_INDEPENDENT
    for (std::int64_t d = 0; d < draws; ++d) {
      const auto drawn = draw.words(sample, at + d);
      for (int k = 0; k < words_per_draw; ++k) words[static_cast<std::size_t>(d * words_per_draw + k)] = drawn.v[k];
    }
    const std::int64_t begin = std::max(first, at * words_per_draw);
    const std::int64_t end = std::min(first + size, (at + draws) * words_per_draw);
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

void add_dropout(KernelTable& table, const Context& context) {
  table.add("dropout", [&context](const Binding& binding) {
    const auto z = sizes_of_dropout(binding);
    const auto& op = attributes_of<graph::Dropout>(binding);
    const DropoutRule rule(op.rate, op.layer);
    const auto launch = [z, rule, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const DropoutDraw draw(rule, *a.scalars);
      const float* x = input(a, 0);
      float* y = output(a, 0);
      parallel_for(threads, z.samples * z.runs, z.elements() * cost_of_draw, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int32_t sample = input_of<std::int32_t>(a, 1)[i / z.runs];
          drop_run(draw, sample, i % z.runs * z.stride + z.offset, z.run, rule, x + i * z.run, y + i * z.run,
                   accumulate);
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
