#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/winograd_transforms.h"

/// Planes of channels, the tiles that cover them, and the layout of transformed tiles.
namespace ddlbench::kernels::cpu::winograd {

/// The vectors of output channels and the tiles that are processed together: all their sums fit in registers.
constexpr int vectors_at_once = 2;
constexpr int tiles_at_once = 8;
constexpr std::int64_t channels_at_once = vectors_at_once * lanes;

/// The number of tiles in a chunk; the last chunk may have fewer.
constexpr std::int64_t chunk_tiles = 64;

/// The number of floats that stay in caches. (Passes of 2, 5 and 8 MB took 412, 398 and 392 ms for VGG-16's
/// convolutions of 4 images, forward and gradients of inputs, on one thread of Zen 5 with 1 MiB of private and 32 MiB
/// of shared cache.)
constexpr std::int64_t cache_floats = 5'000'000 / sizeof(float);

/// The shape of a tensor with channels in blocks: [n, channels / lanes, h, w, lanes].
struct Planes {
  std::int64_t n = 0, channels = 0, h = 0, w = 0;

  std::int64_t blocks() const { return channels / lanes; }
  std::int64_t offset(std::int64_t image, std::int64_t block, std::int64_t y, std::int64_t x) const {
    return (((image * blocks() + block) * h + y) * w + x) * lanes;
  }
};

/// A range of the tiles of all images.
struct Tiles {
  std::int64_t begin = 0, end = 0;

  std::int64_t count() const { return end - begin; }
};

/// The position of a tile's first output.
struct Place {
  std::int64_t image = 0, y = 0, x = 0;
};

struct Tiling {
  std::int64_t n = 0, rows = 0, columns = 0;

  explicit Tiling(const Planes& y)
      : n(y.n), rows((y.h + outputs - 1) / outputs), columns((y.w + outputs - 1) / outputs) {}

  std::int64_t tiles() const { return n * rows * columns; }
  Place place(std::int64_t tile) const {
    const std::int64_t of_image = tile % (rows * columns);
    return {tile / (rows * columns), of_image / columns * outputs, of_image % columns * outputs};
  }

  /// Returns the number of tiles per pass, which are transformed and multiplied before the next ones: a multiple of
  /// chunk_tiles whose transformed values for `channels` channels are at most `floats` numbers. It is at least one
  /// chunk, because every pass reads all weights, and at most all tiles.
  std::int64_t tiles_per_pass(std::int64_t channels, std::int64_t floats) const {
    const std::int64_t fit = floats / (positions * channels) / chunk_tiles * chunk_tiles;
    return std::min(std::max(fit, chunk_tiles), tiles());
  }
  Tiles pass_from(std::int64_t begin, std::int64_t tiles_per_pass) const {
    return {begin, std::min(begin + tiles_per_pass, tiles())};
  }
};

/// The layout of the transformed tiles of all channels: for each block of channels and position, groups of
/// tiles_at_once tiles are contiguous. Positions are an odd number of vectors apart, so that those of a tile do not map
/// to the same few cache sets.
struct Transformed {
  std::int64_t block_step = 0, group_step = 0, position_step = 0, floats = 0;

  static constexpr std::int64_t group_floats = tiles_at_once * lanes;

  static std::int64_t groups(std::int64_t tiles) { return (tiles + tiles_at_once - 1) / tiles_at_once; }

  /// [positions, groups, blocks], contiguous for sums over channels.
  static Transformed by_tiles(std::int64_t blocks, std::int64_t tiles) {
    const std::int64_t step = groups(tiles) * blocks * group_floats + lanes;
    return {group_floats, blocks * group_floats, step, positions * step};
  }
  /// [blocks, positions, groups], contiguous for sums over tiles.
  static Transformed by_channels(std::int64_t blocks, std::int64_t tiles) {
    const std::int64_t step = groups(tiles) * group_floats + lanes;
    return {positions * step, group_floats, step, blocks * positions * step};
  }
};

/// Transforms `tiles` of planes. A tile is Transform::from × Transform::from elements, starting `padding` before its
/// first output; elements outside the plane are 0. Fills the last group with zeros.
template <class Transform, class T>
void transform(int threads, const Planes& planes, const Tiling& tiling, Tiles tiles, std::int64_t padding,
               const T* from, const Transformed& shape, float* to) {
  const auto one = [&](std::int64_t block, std::int64_t tile, float* transformed) {
    const auto store = [&](int r, int c, Lanes values) {
      store_vector<lanes>(transformed + (r * points + c) * shape.position_step, values);
    };
    const Place place = tiling.place(tile);
    const std::int64_t top = place.y - padding, left = place.x - padding;
    const std::int64_t first = planes.offset(place.image, block, top, left);
    const auto load = [&](int r, int c) { return load_vector<lanes>(from + first + (r * planes.w + c) * lanes); };
    const auto load_inside = [&](int r, int c) {
      const bool inside = top + r >= 0 && top + r < planes.h && left + c >= 0 && left + c < planes.w;
      return inside ? load(r, c) : Lanes{};
    };
    if (top >= 0 && left >= 0 && top + Transform::from <= planes.h && left + Transform::from <= planes.w)
      return transform_2d<Transform>(load, store);
    transform_2d<Transform>(load_inside, store);
  };
  const std::int64_t groups = Transformed::groups(tiles.count());
  parallel_for(threads, planes.blocks() * groups, planes.channels * tiles.count() * positions,
               [&](auto begin, auto end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t block = i / groups, group = i % groups;
                   float* const transformed = to + block * shape.block_step + group * shape.group_step;
                   for (std::int64_t t = 0; t < tiles_at_once; ++t) {
                     const std::int64_t tile = tiles.begin + group * tiles_at_once + t;
                     if (tile < tiles.end) {
                       one(block, tile, transformed + t * lanes);
                     } else {
                       for (int p = 0; p < positions; ++p)
                         store_vector<lanes>(transformed + p * shape.position_step + t * lanes, Lanes{});
                     }
                   }
                 }
               });
}

}  // namespace ddlbench::kernels::cpu::winograd
