#include "workloads/images/transform.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlbench::workloads {
namespace {

/// Resizing in both dimensions, in pixels of `region`, the part to decode.
struct Plan {
  Region region;
  Resize across;
  Resize down;
};

Plan of_random_crop(const Region& crop, int size) {
  return {
      crop, {crop.width, 0, double(crop.width), size, 0, size}, {crop.height, 0, double(crop.height), size, 0, size}};
}

/// Returns the resizing of `length` to `resized` pixels in one dimension, of which the central `size` are computed.
Resize centre(int length, int resized, int size) {
  const auto first = static_cast<int>(std::nearbyint((resized - size) / 2.0));
  return {length, 0, double(length), resized, first, size};
}

/// Throws BadData if the image is so long that the resized length is not an int.
Plan of_centre_crop(const std::string& path, ImageSize image, int shorter_side, int size) {
  const int shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
  if (std::int64_t{shorter_side} * longer / shorter > std::numeric_limits<int>::max()) {
    throw BadData(fmt::format("{}: an image of {}x{} pixels is too long to be resized to a shorter side of {}", path,
                              image.width, image.height, shorter_side));
  }
  const auto resized = [&](int length) { return static_cast<int>(std::int64_t{shorter_side} * length / shorter); };
  return {{0, 0, image.width, image.height},
          centre(image.width, resized(image.width), size),
          centre(image.height, resized(image.height), size)};
}

/// Returns the largest reduction that leaves at least as many pixels as the resized image has.
int reduction_for(const Plan& plan) {
  int reduction = 1;
  const std::int64_t width = plan.across.outputs, height = plan.down.outputs;  // times 16 they may not be ints
  while (reduction < 8 && width * 2 * reduction <= plan.region.width && height * 2 * reduction <= plan.region.height) {
    reduction *= 2;
  }
  return reduction;
}

/// Converts `resize`, of the file's pixels from `begin` on, to the reduced image, of which it uses `length` pixels from
/// `cut` on.
Resize reduced(const Resize& resize, int begin, int reduction, int cut, int length) {
  Resize result = resize;
  result.size = length;
  result.begin = double(begin) / reduction - cut;
  result.end = std::min(double(begin + resize.size) / reduction - cut, double(length));
  return result;
}

/// Decodes, crops and resizes the image at `path`. The pixels are valid until `scratch` is used again.
Pixels crop_and_resize(const std::string& path, const TransformSettings& settings, const SampleDraw& draw,
                       TransformScratch& scratch) {
  const ImageSize image = scratch.decoder.open(path);
  const Plan plan = settings.random_crop ? of_random_crop(random_crop(image, draw), settings.size)
                                         : of_centre_crop(path, image, settings.shorter_side, settings.size);
  const int reduction = settings.reduce ? reduction_for(plan) : 1;
  Region needed = plan.region;
  if (reduction == 1) {
    const SourceRange columns = source_range(plan.across), rows = source_range(plan.down);
    needed = {needed.left + columns.first, needed.top + rows.first, columns.last - columns.first,
              rows.last - rows.first};
  }
  const Decoded decoded = scratch.decoder.decode(needed, reduction);
  const Region cut = reduced(plan.region, decoded.reduction, decoded.image);
  const Resize across = reduced(plan.across, plan.region.left, decoded.reduction, cut.left, cut.width);
  const Resize down = reduced(plan.down, plan.region.top, decoded.reduction, cut.top, cut.height);
  return scratch.resampler.resize(decoded.pixels, cut.left - decoded.region.left, cut.top - decoded.region.top, across,
                                  down);
}

/// Converts interleaved RGB to planes of table values.
template <class Tables, class Value>
void write_planes(const Pixels& pixels, const Tables& tables, bool mirrored, Value* to) {
  const auto width = static_cast<std::size_t>(pixels.width), height = static_cast<std::size_t>(pixels.height);
  const auto &red = tables[0], &green = tables[1], &blue = tables[2];
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* from = pixels.data + y * pixels.stride + (mirrored ? (width - 1) * 3 : 0);
    const std::ptrdiff_t step = mirrored ? -3 : 3;
    Value* const r = to + y * width;
    Value* const g = r + height * width;
    Value* const b = g + height * width;
    for (std::size_t x = 0; x < width; ++x, from += step) {
      r[x] = red[from[0]];
      g[x] = green[from[1]];
      b[x] = blue[from[2]];
    }
  }
}

}  // namespace

void transform(const std::string& path, const TransformSettings& settings, const NormalisationTables& tables,
               const SampleDraw& draw, TransformScratch& scratch, float* to) {
  write_planes(crop_and_resize(path, settings, draw, scratch), tables, settings.mirror && random_mirror(draw), to);
}

void transform(const std::string& path, const TransformSettings& settings, const SampleDraw& draw,
               TransformScratch& scratch, std::uint8_t* to) {
  write_planes(crop_and_resize(path, settings, draw, scratch), IdentityTables{}, settings.mirror && random_mirror(draw),
               to);
}

}  // namespace ddlbench::workloads
