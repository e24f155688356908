#pragma once

#include <cstdint>

#include "kernels/binding.h"

/// Sizes of batch normalisation, dropout and casts, taken from the types on this rank. Each function throws InputError
/// if the types are inconsistent or the device does not support their `storage`.
namespace ddlbench::kernels {

/// x[groups · samples, channels, inner], where samples of a group share statistics. The statistics of a group may
/// include samples on other ranks: the number of values is in the moments.
struct BatchNormSizes {
  std::int64_t groups = 0, samples = 0, channels = 0, inner = 1;
  std::int64_t block = 1;  ///< channel block: x is [groups · samples, channels / block, inner, block]

  constexpr std::int64_t rows() const { return groups * samples * channels; }  ///< rows of `inner` elements
  constexpr std::int64_t elements() const { return rows() * inner; }
  constexpr std::int64_t places() const { return groups * channels; }  ///< each with its own statistics
  /// Returns the row of a sample and channel if x has no channel blocks.
  constexpr std::int64_t row(std::int64_t group, std::int64_t sample, std::int64_t channel) const {
    return (group * samples + sample) * channels + channel;
  }
  constexpr std::int64_t values() const { return samples * inner; }  ///< of a group and channel, on this rank
  /// Returns the index of the first value of a group and channel, with or without channel blocks.
  constexpr std::int64_t first(std::int64_t group, std::int64_t channel) const {
    return row(group, 0, channel - channel % block) * inner + channel % block;
  }
};

/// Returns the same sizes with channels-last channels as columns, x[groups · samples · inner, channels].
BatchNormSizes as_columns(BatchNormSizes z);

BatchNormSizes sizes_of_batch_moments(const Binding& binding, Storage storage = Storage::f32);
/// Sets only `groups`, the number of parts, and `channels`.
BatchNormSizes sizes_of_combine_moments(const Binding& binding);
BatchNormSizes sizes_of_batch_norm(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_batch_norm_backward_moments(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_batch_norm_backward_input(const Binding& binding, Storage storage = Storage::f32);
/// Returns one group of all samples.
BatchNormSizes sizes_of_batch_norm_inference(const Binding& binding, Storage storage = Storage::f32);
/// Sets only `groups` and `channels`.
BatchNormSizes sizes_of_batch_norm_backward_weight(const Binding& binding, Storage storage = Storage::f32);
BatchNormSizes sizes_of_observe_moments(const Binding& binding);

std::int64_t size_of_statistic_update(const Binding& binding);

/// The elements that a shard has of each sample: `runs` runs of `run` elements, `stride` apart in the whole sample,
/// beginning at `offset`.
struct DropoutSizes {
  std::int64_t samples = 0, runs = 1, run = 0, stride = 0, offset = 0;

  constexpr std::int64_t elements() const { return samples * runs * run; }
};

DropoutSizes sizes_of_dropout(const Binding& binding, Storage storage = Storage::f32);

/// Returns the number of elements. Both types may be any floating-point type.
std::int64_t size_of_cast(const Binding& binding);

}  // namespace ddlbench::kernels
