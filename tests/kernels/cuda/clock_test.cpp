#include "kernels/cuda/clock.h"

#include "catch.h"

using ddlbench::kernels::cuda::Anchors;
using ddlbench::kernels::cuda::host_time;

namespace {

/// Anchors half a second apart by the host's clock; the GPU's clock counts a millisecond more.
constexpr Anchors anchors{1'000'000'000, 1'500'000'000, 501.0};

std::int64_t at(double milliseconds_since_older) {
  return host_time(anchors, milliseconds_since_older, milliseconds_since_older - anchors.milliseconds);
}

}  // namespace

TEST_CASE("a GPU's times lie on the line through the anchors, and after the newer one advance at the GPU's rate") {
  CHECK(at(0) == anchors.older);
  CHECK(at(501.0) == anchors.newer);
  CHECK(at(250.5) == 1'250'000'000);
  CHECK(at(501.0 + 2) == anchors.newer + 2'000'000);
  CHECK(at(-1.002) == anchors.older - 1'000'000);  // before both: at the rate between them
}

TEST_CASE("a later moment never gets an earlier host time") {
  std::int64_t last = at(499.0);
  for (double t = 499.0; t < 503.0; t += 0.0005) {
    CHECK(at(t) >= last);
    last = at(t);
  }
}
