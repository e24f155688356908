#pragma once

#include <cstdint>
#include <vector>

#include "workloads/images/image.h"
#include "workloads/images/weighted_sums.h"

namespace ddlbench::workloads {

/// Resizing in one dimension: the range [begin, end) of `size` pixels becomes `outputs` pixels, of which `count` from
/// `first` on are computed. Pixels before 0 and from `size` on have no weight, whatever memory there holds.
struct Resize {
  int size = 0;
  double begin = 0;
  double end = 0;
  int outputs = 0;
  int first = 0;
  int count = 0;
};

/// The range [first, last) of source pixels that the computed outputs of `resize` depend on.
struct SourceRange {
  int first = 0;
  int last = 0;
};
SourceRange source_range(const Resize& resize);

/// Bilinear resizing with antialiasing, byte-identical to `Image.resize(…, BILINEAR)` of Pillow 9.4 to 12.0. The
/// triangle filter is widened by the ratio when downscaling; weights have 22 bits; first rows, then columns, with 8
/// bits in between (Pillow 9.4, src/libImaging/Resample.c; 13.0 differs by one level in some pixels). Reuses its memory
/// between images.
class Resampler {
 public:
  /// Resizes a part of `from`. Pixel (0, 0) of the source of `across` and `down` is at (left, top) of `from`, which
  /// must hold all source pixels that they depend on. Returns RGB rows, down.count rows of across.count pixels, valid
  /// until the next call.
  Pixels resize(const Pixels& from, int left, int top, const Resize& across, const Resize& down);

 private:
  /// The first source pixel and the weights of each computed output.
  struct Weights {
    void compute(const Resize& resize);
    WeightTable table() const { return {first.data(), count.data(), pairs.data(), most, outputs}; }
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> count;
    std::vector<WeightPair> pairs;
    std::vector<double> exact;  ///< of one output
    std::size_t most = 0;
    int outputs = 0;
  };

  Weights across_;
  Weights down_;
  std::vector<std::uint8_t> rows_;
  std::vector<std::uint8_t> result_;
};

}  // namespace ddlbench::workloads
