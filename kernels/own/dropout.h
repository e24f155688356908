#pragma once

#include "graph/ops/dropout.h"

#include "kernels/functors/dropout_mask.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::own {

/// A thread processes a pack, which lies within one run and consists of whole draws, or a single element.
template <class T, int width>
struct DropoutBody {
  Divider packs_of_run, runs;
  DropoutRule rule;
  const graph::Scalars* scalars;
  const T* x;
  const std::int32_t* samples;
  T* y;
  std::int64_t packs, stride, offset;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    static_assert(width == 1 || width % words_per_draw == 0);
    const DropoutDraw draw = team.first([&] { return DropoutDraw(rule, *scalars); });
    const auto scale = static_cast<float>(rule.scale);
    each_index(team, packs, [&](std::int64_t pack) {
      const std::int64_t row = packs_of_run.quotient(pack), sample = runs.quotient(row);
      const std::int64_t run = row - sample * runs.divisor();
      const std::int64_t e = run * stride + offset + (pack - row * packs_of_run.divisor()) * width;
      auto values = load<width>(x + pack * width);
      for (int k = 0; k < width; k += words_per_draw) {
        const auto words = draw.words(samples[sample], (e + k) / words_per_draw);
        if constexpr (width == 1) {
          const auto word = static_cast<int>(e % words_per_draw);
          values.of[0] = words.v[word] >= rule.threshold ? values.of[0] * scale : 0.0f;
        } else {
          for (int w = 0; w < words_per_draw; ++w)
            values.of[k + w] = words.v[w] >= rule.threshold ? values.of[k + w] * scale : 0.0f;
        }
      }
      store<width>(y + pack * width, values, accumulate);
    });
  }
};

std::unique_ptr<Kernel> bind_dropout(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_dropout(binding, Storage::any_float);
  const auto& op = attributes_of<graph::Dropout>(binding);
  const DropoutRule rule(op.rate, op.layer);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      const bool whole_packs = z.run % vector_width<T> == 0;
      const bool whole_draws = z.stride % words_per_draw == 0 && z.offset % words_per_draw == 0;
      with_width<T>(whole_packs && whole_draws && aligned({x, y}), [&](auto width) {
        const std::int64_t packs = z.elements() / width;
        const DropoutBody<T, decltype(width)::value> body{divider_of(z.run / width),
                                                          divider_of(z.runs),
                                                          rule,
                                                          a.scalars,
                                                          x,
                                                          input_of<std::int32_t>(a, 1),
                                                          y,
                                                          packs,
                                                          z.stride,
                                                          z.offset,
                                                          accumulate};
        launcher.items("dropout", packs, body);
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
