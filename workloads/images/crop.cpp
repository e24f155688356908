#include <algorithm>
#include <cmath>

#include "graph/random.h"
#include "workloads/images/transform.h"

namespace ddlbench::workloads {
namespace {

constexpr double least_area = 0.08;
constexpr double least_ratio = 3.0 / 4.0;
constexpr double largest_ratio = 4.0 / 3.0;
constexpr std::uint64_t tries = 10;

graph::Philox drawn(const SampleDraw& draw, std::uint64_t number) {
  return graph::philox(draw.key, static_cast<std::uint64_t>(draw.index), number);
}

double uniform(std::uint32_t bits, double from, double to) {
  return from + (to - from) * (bits * 0x1p-32);
}

/// Returns a number in [0, count), uniform up to a bias of count / 2^32.
int below(std::uint32_t bits, int count) {
  return static_cast<int>((std::uint64_t{bits} * static_cast<std::uint64_t>(count)) >> 32);
}

}  // namespace

Region random_crop(ImageSize image, const SampleDraw& draw) {
  const double area = static_cast<double>(image.width) * image.height;
  const double widest = std::log(largest_ratio);
  for (std::uint64_t i = 0; i < tries; ++i) {
    const graph::Philox random = drawn(draw, i);
    const double part = area * uniform(random.v[0], least_area, 1.0);
    const double ratio = std::exp(uniform(random.v[1], -widest, widest));
    const auto width = static_cast<int>(std::nearbyint(std::sqrt(part * ratio)));
    const auto height = static_cast<int>(std::nearbyint(std::sqrt(part / ratio)));
    if (width <= 0 || width > image.width || height <= 0 || height > image.height) continue;
    return {below(random.v[3], image.width - width + 1), below(random.v[2], image.height - height + 1), width, height};
  }
  Region centre{0, 0, image.width, image.height};
  const double ratio = static_cast<double>(image.width) / image.height;
  if (ratio < least_ratio) {
    centre.height = static_cast<int>(std::nearbyint(image.width / least_ratio));
  } else if (ratio > largest_ratio) {
    centre.width = static_cast<int>(std::nearbyint(image.height * largest_ratio));
  }
  centre.left = (image.width - centre.width) / 2;
  centre.top = (image.height - centre.height) / 2;
  return centre;
}

bool random_mirror(const SampleDraw& draw) {
  return (drawn(draw, tries).v[0] >> 31) != 0;
}

}  // namespace ddlbench::workloads
