#pragma once

#include <cstdint>
#include <vector>

#include "workloads/images/image.h"
#include "workloads/images/weighted_sums.h"

namespace ddlbench::workloads {

/// How one direction of a picture is resized: [begin, end) of `size` pixels becomes `outputs` pixels, of which
/// [first, first + count) are wanted. Pixels before 0 and from `size` on do not count, whatever lies there.
struct Resize {
  int size = 0;
  double begin = 0;
  double end = 0;
  int outputs = 0;
  int first = 0;
  int count = 0;
};

/// Pixels of the source that the wanted outputs of `resize` depend on: [first, last).
struct Reach {
  int first = 0;
  int last = 0;
};
Reach reach(const Resize& resize);

/// Bilinear resizing with antialias, equal to `Image.resize(…, BILINEAR)` of Pillow 9.4 to 12.0 byte by byte: the
/// triangle filter is widened by the ratio where it shrinks; weights are of 22 bits; first rows, then columns, 8 bits
/// between (Pillow 9.4, src/libImaging/Resample.c; 13.0 differs by a level here and there). Keeps its memory from image
/// to image.
class Resampler {
 public:
  /// Pixel (0, 0) of `across` and `down` is at (left, top) of `from`, which holds all that they reach. The result is
  /// RGB rows, down.count of across.count pixels, valid until the next call.
  Pixels resize(const Pixels& from, int left, int top, const Resize& across, const Resize& down);

 private:
  /// Of each wanted output: its first pixel and the weights of its pixels.
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
