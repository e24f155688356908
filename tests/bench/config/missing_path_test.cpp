#include "bench/config/missing_path.h"

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;

TEST_CASE("a configuration that is not there is looked for among the installed ones, by its path and by its name") {
  const ddlbench::test::TemporaryFolder folder;
  const std::string data = folder / "share/ddlbench";
  std::filesystem::create_directories(data + "/configs/gpu");
  std::ofstream(data + "/configs/quickstart.json") << "{}";
  std::ofstream(data + "/configs/gpu/resnet50.json") << "{}";
  const std::string note = "; one of that name was installed: " + data + "/configs/";
  CHECK(note_of_installed("quickstart.json", data) == note + "quickstart.json");
  CHECK(note_of_installed("/nowhere/configs/quickstart.json", data) == note + "quickstart.json");
  CHECK(note_of_installed("gpu/resnet50.json", data) == note + "gpu/resnet50.json");
  CHECK(note_of_installed("other.json", data).empty());
  CHECK(note_of_installed("quickstart.json", "").empty());
  CHECK(note_of_installed(data + "/configs/quickstart.json", data).empty());
}
