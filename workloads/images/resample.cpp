#include "workloads/images/resample.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace ddlbench::workloads {
namespace {

constexpr std::size_t channels = 3;
constexpr std::size_t behind = 16;  ///< see Pixels

/// The filter of one output pixel.
struct Taps {
  double centre;
  double width;  ///< half of the filter's width
  double shrink;
  int first;
  int last;
};

Taps taps_of(const Resize& resize, int output) {
  const double ratio = (resize.end - resize.begin) / resize.outputs;
  Taps taps{};
  taps.width = std::max(ratio, 1.0);  // a triangle of half width 1
  taps.shrink = 1.0 / taps.width;
  taps.centre = resize.begin + (output + 0.5) * ratio;
  taps.first = std::max(static_cast<int>(taps.centre - taps.width + 0.5), 0);
  taps.last = std::min(static_cast<int>(taps.centre + taps.width + 0.5), resize.size);
  return taps;
}

void grow(std::vector<std::uint8_t>& bytes, std::size_t size) {
  if (bytes.size() < size) bytes.resize(size);
}

}  // namespace

SourceRange source_range(const Resize& resize) {
  return {taps_of(resize, resize.first).first, taps_of(resize, resize.first + resize.count - 1).last};
}

void Resampler::Weights::compute(const Resize& resize) {
  require(resize.count > 0 && resize.first >= 0 && resize.first + resize.count <= resize.outputs && resize.begin >= 0 &&
              resize.end > resize.begin && resize.end <= resize.size,
          "resize: the box must lie in the source, and the region in the result");
  outputs = resize.count;
  const auto wanted = static_cast<std::size_t>(outputs);
  const std::size_t taps_at_most = static_cast<std::size_t>(std::ceil(taps_of(resize, 0).width)) * 2 + 1;
  most = (taps_at_most + 1) / 2;
  if (first.size() < wanted) {
    first.resize(wanted);
    count.resize(wanted);
  }
  if (pairs.size() < wanted * most) pairs.resize(wanted * most);
  if (exact.size() < most * 2) exact.resize(most * 2);
  for (std::size_t x = 0; x < wanted; ++x) {
    const Taps taps = taps_of(resize, resize.first + static_cast<int>(x));
    const auto length = static_cast<std::size_t>(taps.last - taps.first);
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const double distance = std::abs((static_cast<int>(i) + taps.first - taps.centre + 0.5) * taps.shrink);
      exact[i] = distance < 1.0 ? 1.0 - distance : 0.0;
      sum += exact[i];
    }
    const auto weight = [&](std::size_t i) {
      return i < length && sum != 0.0 ? static_cast<std::int32_t>(0.5 + exact[i] / sum * (1 << weight_bits)) : 0;
    };
    first[x] = taps.first;
    count[x] = static_cast<std::int32_t>((length + 1) / 2);
    for (std::size_t i = 0; i < length; i += 2) pairs[x * most + i / 2] = weight_pair(weight(i), weight(i + 1));
  }
}

Pixels Resampler::resize(const Pixels& from, int left, int top, const Resize& across, const Resize& down) {
  across_.compute(across);
  down_.compute(down);
  const SourceRange columns = source_range(across), rows = source_range(down);
  require(left + columns.first >= 0 && left + columns.last <= from.width && top + rows.first >= 0 &&
              top + rows.last <= from.height,
          "resize: the source lacks pixels that the result depends on");

  const std::size_t stride = static_cast<std::size_t>(across.count) * channels + 1;  // resize_rows writes one byte more
  const int height = rows.last - rows.first;
  // One extra row, because the last pair of weights may end after the last row.
  grow(rows_, stride * static_cast<std::size_t>(height + 1) + behind);
  for (int y = 0; y < height; y += 4) {
    std::array<const std::uint8_t*, 4> source{};
    std::array<std::uint8_t*, 4> to{};
    for (int i = 0; i < 4; ++i) {  // beyond the last row, repeat it
      const int row = std::min(y + i, height - 1);
      source[static_cast<std::size_t>(i)] =
          from.data + std::ptrdiff_t{top + rows.first + row} * static_cast<std::ptrdiff_t>(from.stride) +
          std::ptrdiff_t{left} * static_cast<std::ptrdiff_t>(channels);
      to[static_cast<std::size_t>(i)] = rows_.data() + static_cast<std::size_t>(row) * stride;
    }
    resize_rows(source, across_.table(), to);
  }

  const std::size_t result_stride = static_cast<std::size_t>(across.count) * channels;
  grow(result_, result_stride * static_cast<std::size_t>(down.count) + behind);
  const WeightTable table = down_.table();
  for (std::size_t y = 0; y < static_cast<std::size_t>(down.count); ++y) {
    sum_rows(rows_.data() + static_cast<std::size_t>(table.first[y] - rows.first) * stride, stride,
             table.pairs + y * table.most, table.count[y], result_stride, result_.data() + y * result_stride);
  }
  return {result_.data(), across.count, down.count, result_stride};
}

}  // namespace ddlbench::workloads
