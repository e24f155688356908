#include "kernels/cuda/device.h"

#include "base/error.h"
#include "catch.h"
#include "kernels/cuda/versions.h"
#include "kernels/cuda/visible.h"

using namespace ddlbench;
using namespace ddlbench::kernels;

namespace {

std::string rejection(int ordinal) {
  DeviceOptions options;
  options.ordinal = ordinal;
  try {
    cuda::make_device(options);
  } catch (const InputError& refused) {
    return refused.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a GPU that does not exist is rejected with the number of GPUs, or why there is none") {
  const auto count = cuda::count_devices();
  if (count.devices == 0) {
    CHECK(rejection(0) == "no device of kind 'cuda': " + count.why_none);
    CHECK(count.why_none.rfind(cuda::driver_cuda_version() == 0 ? "no NVIDIA driver: " : "", 0) == 0);
    return;
  }
  for (const int ordinal : {count.devices, -1}) {
    const std::string error = rejection(ordinal);
    CHECK(error.rfind("GPU " + std::to_string(ordinal) + " was requested, but " + std::to_string(count.devices), 0) ==
          0);
    CHECK(error.find(cuda::visible_devices()) != std::string::npos);
  }
}

TEST_CASE("the loaded libraries have the major versions of the build") {
  const auto libraries = cuda::library_versions(cuda::Load::yes);
  REQUIRE(libraries.size() == 4);
  for (const auto& library : libraries) {
    CAPTURE(library.name, library.built, library.loaded);
    REQUIRE(library.built.find('.') != std::string::npos);
    CHECK(library.loaded.substr(0, library.loaded.find('.')) == library.built.substr(0, library.built.find('.')));
  }
  CHECK(cuda::cuda_version_text(13000) == "13.0");
  CHECK(cuda::cuda_version_text(12090) == "12.9");
  CHECK(cuda::cuda_version_text(0).empty());
}
