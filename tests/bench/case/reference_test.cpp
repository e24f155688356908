#include "bench/case/reference.h"

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("a stored reference is read back completely, and nothing else is accepted") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/references/one";
  Reference reference;
  reference.trace.losses = {2.5, 1.25};
  reference.trace.initial = {{"b", {1}}, {"w", {1, 2, 3}}};
  reference.trace.first_gradients = {{"b", {0.5F}}, {"w", {4, 5, 6}}};
  reference.trace.final = {{"b", {}}, {"w", {7, 8, 9}}};
  reference.trace.initial_statistics = {{"mean", {0, 1}}};
  reference.trace.final_statistics = {{"mean", {0.5F, 2}}};
  reference.noise = {1e-7, 2e-6, 3e-5, 4e-4};
  CHECK_FALSE(load_reference(file, "key"));
  REQUIRE(store_reference(file, "key", reference).empty());

  const auto kept = load_reference(file, "key");
  REQUIRE(kept);
  CHECK(kept->trace.losses == reference.trace.losses);
  CHECK(kept->trace.initial == reference.trace.initial);
  CHECK(kept->trace.first_gradients == reference.trace.first_gradients);
  CHECK(kept->trace.final == reference.trace.final);
  CHECK(kept->trace.initial_statistics == reference.trace.initial_statistics);
  CHECK(kept->trace.final_statistics == reference.trace.final_statistics);
  CHECK(kept->noise.update == 3e-5);
  CHECK(kept->noise.statistic == 4e-4);
  CHECK_FALSE(load_reference(file, "another key"));

  const auto bytes = std::filesystem::file_size(file);
  for (const auto size : {bytes - 1, bytes / 2, std::uintmax_t{5}}) {
    std::filesystem::resize_file(file, size);
    CHECK_FALSE(load_reference(file, "key"));
  }
  CHECK_FALSE(store_reference("/proc/nowhere/one", "key", reference).empty());
}
