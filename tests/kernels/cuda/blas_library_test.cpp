#include "kernels/cuda/blas/library.h"

#include "catch.h"
#include "kernels/cuda/device.h"
#include "kernels/gpu_info.h"
#include "mapped.h"

using namespace ddlbench;
using namespace ddlbench::kernels;

TEST_CASE("libraries that are loaded by name are loaded on first use") {
  const auto mapped = [] { return test::is_mapped("libcublasLt") && test::is_mapped("libnvrtc.so"); };
  const bool before = mapped();
  const CudaInfo cuda = describe_cuda();
  CHECK(mapped() == (before || cuda.why_unusable.empty()));
  REQUIRE(cuda.libraries.size() == 4);
  CHECK(cuda.libraries[2].name == "cuBLASLt");
  CHECK(cuda.libraries[3].name == "NVRTC");
  for (const auto& library : {cuda.libraries[2], cuda.libraries[3]}) {
    CHECK(library.loaded.empty() != cuda.why_unusable.empty());
  }

  CHECK(cuda::missing_library().empty());
  CHECK(cuda::blas::library().get_version() / 10000 == CUBLAS_VER_MAJOR);
  CHECK(mapped());
}

TEST_CASE("a file that is not cuBLASLt is reported with what it lacks") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(cuda::blas::Library("libno-such-blas.so.1"), Contains("cuBLASLt cannot be loaded") &&
                                                                     Contains("libno-such-blas.so.1") &&
                                                                     Contains("LD_LIBRARY_PATH"));
  CHECK_THROWS_WITH(cuda::blas::Library("libz.so.1"), Contains("libz.so.1") && Contains("it lacks cublasLtGetVersion"));
}
