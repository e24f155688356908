#include "kernels/cuda/blas/library.h"

#include <fstream>
#include <string>

#include "catch.h"
#include "kernels/cuda/device.h"
#include "kernels/gpu_info.h"

using namespace ddlbench::kernels;

namespace {

bool is_mapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libcublasLt") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a process has cuBLASLt from when it is asked for") {
  const bool before = is_mapped();
  const CudaInfo cuda = describe_cuda();
  CHECK(is_mapped() == (before || cuda.why_unusable.empty()));
  REQUIRE(cuda.libraries.back().name == "cuBLASLt");
  CHECK(cuda.libraries.back().loaded.empty() != cuda.why_unusable.empty());

  CHECK(cuda::missing_library().empty());
  CHECK(cuda::blas::library().get_version() / 10000 == CUBLAS_VER_MAJOR);
  CHECK(is_mapped());
}

TEST_CASE("what is no cuBLASLt is named, with what it lacks") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(cuda::blas::Library("libno-such-blas.so.1"), Contains("cuBLASLt cannot be loaded") &&
                                                                     Contains("libno-such-blas.so.1") &&
                                                                     Contains("LD_LIBRARY_PATH"));
  CHECK_THROWS_WITH(cuda::blas::Library("libz.so.1"),
                    Contains("libz.so.1") && Contains("it has no cublasLtGetVersion"));
}
