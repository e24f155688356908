#include "workloads/images/transform.h"

#include <algorithm>
#include <cmath>

namespace ddlbench::workloads {
namespace {

/// Both directions, in the pixels of `region`, which is what must be decoded.
struct Plan {
  Region region;
  Resize across;
  Resize down;
};

Plan of_random_crop(const Region& crop, int size) {
  return {
      crop, {crop.width, 0, double(crop.width), size, 0, size}, {crop.height, 0, double(crop.height), size, 0, size}};
}

/// One direction of the centre: `length` pixels become `resized`, of which the middle is wanted.
Resize centre(int length, int resized, int size) {
  const auto first = static_cast<int>(std::nearbyint((resized - size) / 2.0));
  return {length, 0, double(length), resized, first, size};
}

Plan of_centre_crop(ImageSize image, int shorter_side, int size) {
  const int shorter = std::min(image.width, image.height);
  const auto resized = [&](int length) { return static_cast<int>(std::int64_t{shorter_side} * length / shorter); };
  return {{0, 0, image.width, image.height},
          centre(image.width, resized(image.width), size),
          centre(image.height, resized(image.height), size)};
}

/// The largest reduction that leaves no fewer pixels than the resized picture has.
int reduction_for(const Plan& plan) {
  int reduction = 1;
  while (reduction < 8 && plan.across.outputs * 2 * reduction <= plan.region.width &&
         plan.down.outputs * 2 * reduction <= plan.region.height) {
    reduction *= 2;
  }
  return reduction;
}

/// `resize` of the pixels from `begin` on of a file as one of pixels [cut, cut + length) of the reduced image.
Resize reduced(const Resize& resize, int begin, int reduction, int cut, int length) {
  Resize result = resize;
  result.size = length;
  result.begin = double(begin) / reduction - cut;
  result.end = std::min(double(begin + resize.size) / reduction - cut, double(length));
  return result;
}

}  // namespace

void transform(const std::string& path, const TransformSettings& settings, const Normalisation& normalisation,
               const SampleDraw& draw, TransformScratch& scratch, float* to) {
  const ImageSize image = scratch.decoder.open(path);
  const Plan plan = settings.random_crop ? of_random_crop(random_crop(image, draw), settings.size)
                                         : of_centre_crop(image, settings.shorter_side, settings.size);
  const int reduction = settings.reduce ? reduction_for(plan) : 1;
  Region needed = plan.region;
  if (reduction == 1) {
    const Reach columns = reach(plan.across), rows = reach(plan.down);
    needed = {needed.left + columns.first, needed.top + rows.first, columns.last - columns.first,
              rows.last - rows.first};
  }
  const Decoded decoded = scratch.decoder.decode(needed, reduction);
  const Region cut = reduced(plan.region, decoded.reduction, decoded.image);
  const Resize across = reduced(plan.across, plan.region.left, decoded.reduction, cut.left, cut.width);
  const Resize down = reduced(plan.down, plan.region.top, decoded.reduction, cut.top, cut.height);
  const Pixels resized = scratch.resampler.resize(decoded.pixels, cut.left - decoded.region.left,
                                                  cut.top - decoded.region.top, across, down);
  write_planes(resized, normalisation, settings.mirror && random_mirror(draw), to);
}

}  // namespace ddlbench::workloads
