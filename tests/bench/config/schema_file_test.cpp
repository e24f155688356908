#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/config/facet_table.h"
#include "bench/config/fields.h"
#include "bench/config/load.h"
#include "bench/config/schema.h"
#include "catch.h"
#include "graph/ops/codecs/kind.h"
#include "source_root.h"

using namespace ddlbench::bench;

namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream in(source_root() / file);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("configs/ddlbench.schema.json is what `ddlbench schema` prints") {
  CHECK(content("configs/ddlbench.schema.json") == schema_text(experiment_fields(real_registries())));
}

TEST_CASE("docs/configuration.md has the table that `ddlbench schema --markdown` prints") {
  CHECK(content("docs/configuration.md").find(markdown(experiment_fields(real_registries()))) != std::string::npos);
}

TEST_CASE("docs/strategies.md has the table that `ddlbench list --facets` prints") {
  CHECK(content("docs/strategies.md").find(facet_table()) != std::string::npos);
}

TEST_CASE("every configuration in configs/ is valid") {
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / "configs")) {
    if (entry.path().extension() != ".json" || entry.path().string().ends_with(".schema.json")) continue;
    INFO(entry.path());
    CHECK_NOTHROW(load_experiment(entry.path().string(), {}, real_registries()));
    ++read;
  }
  CHECK(read >= 2);
}

TEST_CASE("docs/communication.md has a row with the help of every codec") {
  const std::string page = content("docs/communication.md");
  for (const ddlbench::graph::CodecKind& kind : ddlbench::graph::codec_kinds())
    CHECK(page.find("| `" + kind.name + "` | " + kind.help + " |") != std::string::npos);
}
