#include "bench/export/tensorboard.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "bench/records/file.h"
#include "catch.h"
#include "event_reader.h"
#include "temporary_folder.h"
#include "trained_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::run_begin;
using ddlbench::test::TemporaryFolder;
using ddlbench::test::trained_run;

namespace {

constexpr const char* event_file_name = "events.out.tfevents.1795248930.ddlbench";

}  // namespace

TEST_CASE("a case has an event file with its scalars by epoch") {
  const TemporaryFolder temporary;
  write_tensorboard({trained_run()}, temporary / "board");
  CHECK_FALSE(std::filesystem::exists(temporary / "board/tensor-r2"));
  const auto events = test::read_events(read_file(temporary / ("board/ddp-r2/" + std::string(event_file_name))));
  REQUIRE(events.size() == 3);
  CHECK(events[0].wall_seconds == run_begin);
  CHECK(events[1].step == 1);
  CHECK(events[1].wall_seconds == run_begin + 17.5);
  CHECK(events[1].scalars ==
        std::map<std::string, float>{
            {"epoch_seconds", 2.0F}, {"train/loss", 0.5F}, {"validation/accuracy", 0.25F}, {"validation/loss", 0.75F}});
  CHECK(events[2].step == 2);
  CHECK(events[2].scalars.at("validation/accuracy") == 0.5F);
}

TEST_CASE("event files of a second call replace those of the first") {
  const TemporaryFolder temporary;
  for (int i = 0; i < 2; ++i) write_tensorboard({trained_run()}, temporary / "board");
  const std::filesystem::directory_iterator files(temporary / "board/ddp-r2");
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("several runs have folders of their own") {
  const TemporaryFolder temporary;
  write_tensorboard({trained_run("results/a"), trained_run("b")}, temporary / "board");
  CHECK(std::filesystem::exists(temporary / ("board/results_a/ddp-r2/" + std::string(event_file_name))));
  CHECK(std::filesystem::exists(temporary / ("board/b/ddp-r2/" + std::string(event_file_name))));
  CHECK_THROWS_AS(write_tensorboard({trained_run("a/b"), trained_run("a_b")}, temporary / "other"), InputError);
  CHECK_FALSE(std::filesystem::exists(temporary / "other"));
}

TEST_CASE("a folder that cannot be created is named") {
  const TemporaryFolder temporary;
  std::ofstream(temporary / "file") << "text";
  try {
    write_tensorboard({trained_run()}, temporary / "file");
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find(temporary / "file/ddp-r2") != std::string::npos);
  }
}
