#include "kernels/cuda/nvrtc.h"

#include <cuda_runtime_api.h>

#include "catch.h"
#include "kernels/cuda/device.h"
#include "mapped.h"
#include "planner.h"

using namespace ddlbench;
using namespace ddlbench::kernels;

TEST_CASE("NVRTC is loaded before cuDNN plans anything") {
  const auto dnn = test::planner("sm90");
  CHECK(test::is_mapped("libnvrtc.so"));
  int major = 0, minor = 0;
  REQUIRE(cuda::nvrtc().version(&major, &minor) == NVRTC_SUCCESS);
  CHECK(major == CUDART_VERSION / 1000);
  CHECK(cuda::missing_library().empty());
}

TEST_CASE("a file that is not NVRTC is reported with what it lacks") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(cuda::Nvrtc("libno-such-compiler.so.1"), Contains("NVRTC") && Contains("cannot be loaded") &&
                                                                 Contains("libno-such-compiler.so.1") &&
                                                                 Contains("LD_LIBRARY_PATH"));
  CHECK_THROWS_WITH(cuda::Nvrtc("libz.so.1"), Contains("libz.so.1 is not NVRTC: it lacks nvrtcVersion"));
}
