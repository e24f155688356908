#pragma once

#include <cstdint>

#include "kernels/binding.h"

/// Sizes of batch normalisation, dropout and casts, taken from the local types. Each function refuses (InputError)
/// types that do not fit together, and storage that the device does not take.
namespace ddlbench::kernels {

/// x[groups · samples, channels, inner] in groups that share statistics. What is kept of a group may be of more samples
/// than lie here: how many values there are is in its moments.
struct BatchNormSizes {
  std::int64_t groups = 0, samples = 0, channels = 0, inner = 1;
  std::int64_t block = 1;  ///< of channels: x is [groups · samples, channels / block, inner, block]

  constexpr std::int64_t rows() const { return groups * samples * channels; }  ///< of `inner` elements
  constexpr std::int64_t elements() const { return rows() * inner; }
  constexpr std::int64_t places() const { return groups * channels; }  ///< that have statistics of their own
  /// Of a sample and channel, of x without blocks.
  constexpr std::int64_t row(std::int64_t group, std::int64_t sample, std::int64_t channel) const {
    return (group * samples + sample) * channels + channel;
  }
  constexpr std::int64_t values() const { return samples * inner; }  ///< of a place
  /// Where the first value of a place lies, in blocks or not.
  constexpr std::int64_t first(std::int64_t group, std::int64_t channel) const {
    return row(group, 0, channel - channel % block) * inner + channel % block;
  }
};

/// The same with channels that lie last as columns: of x[groups · samples · inner, channels].
BatchNormSizes as_columns(BatchNormSizes z);

BatchNormSizes sizes_of_batch_moments(const Binding& binding, Storage storage = Storage::f32);
/// Groups, the parts, and channels alone.
BatchNormSizes sizes_of_combine_moments(const Binding& binding);
BatchNormSizes sizes_of_batch_norm(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_batch_norm_backward_moments(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_batch_norm_backward_input(const Binding& binding, Storage storage = Storage::f32);
/// One group, of all samples.
BatchNormSizes sizes_of_batch_norm_inference(const Binding& binding, Storage storage = Storage::f32);
/// Groups and channels alone.
BatchNormSizes sizes_of_batch_norm_backward_weight(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_observe_moments(const Binding& binding);

std::int64_t size_of_statistic_update(const Binding& binding);

/// A shard's sample is `runs` runs of `run` elements that lie `stride` apart in the whole sample, from `offset` on.
struct DropoutSizes {
  std::int64_t samples = 0, runs = 1, run = 0, stride = 0, offset = 0;

  constexpr std::int64_t elements() const { return samples * runs * run; }
};

DropoutSizes sizes_of_dropout(const Binding& binding, Storage storage = Storage::f32);

/// Elements, from any floating-point type to any.
std::int64_t size_of_cast(const Binding& binding);

}  // namespace ddlbench::kernels
