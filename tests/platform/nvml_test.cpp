#include "platform/nvml.h"

#include "catch.h"

using ddlbench::platform::Nvml;

TEST_CASE("values that NVML reports are read, and values that it does not report are empty") {
  Nvml nvml(FAKE_NVML);
  REQUIRE(nvml.why_not().empty());
  CHECK(nvml.driver_version() == "580.65.06");

  const std::string tells_all = "0000:01:00.0", tells_memory = "0000:02:00.0", unknown = "0000:03:00.0";
  const auto samples = nvml.sample({tells_memory, unknown, tells_all});
  REQUIRE(samples.size() == 3);
  CHECK(samples[2].utilisation_ratio == 0.37);
  CHECK(samples[2].memory_used_bytes == std::int64_t{3} << 30);
  CHECK(samples[2].power_watts == 250.5);
  CHECK_FALSE(samples[0].utilisation_ratio.has_value());
  CHECK(samples[0].memory_used_bytes == std::int64_t{3} << 30);
  CHECK_FALSE(samples[0].power_watts.has_value());
  CHECK_FALSE(samples[1].memory_used_bytes.has_value());

  CHECK(nvml.nvlinks(tells_all) == 2);
  CHECK_FALSE(nvml.nvlinks(tells_memory).has_value());
  CHECK_FALSE(nvml.nvlinks(unknown).has_value());
}

TEST_CASE("without NVML all values are empty and the reason is given") {
  for (const std::string library : {"libno-such-nvml.so.1", "libz.so.1"}) {
    Nvml nvml(library);
    CHECK(nvml.why_not().find(library) != std::string::npos);
    CHECK(nvml.driver_version().empty());
    const auto samples = nvml.sample({"0000:01:00.0"});
    REQUIRE(samples.size() == 1);
    CHECK_FALSE(samples[0].utilisation_ratio.has_value());
    CHECK_FALSE(samples[0].memory_used_bytes.has_value());
    CHECK_FALSE(samples[0].power_watts.has_value());
    CHECK_FALSE(nvml.nvlinks("0000:01:00.0").has_value());
  }
}
