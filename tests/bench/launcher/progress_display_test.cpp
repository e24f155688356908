#include "bench/launcher/progress_display.h"

#include <fcntl.h>
#include <unistd.h>

#include <sstream>

#include "../record_fixtures.h"
#include "catch.h"
#include "contains.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;

namespace {

/// Returns the display of two cases, one of them failing, on a terminal (of 80 columns if its size is unknown) or not.
std::string shown(const Terminal& terminal, bool quiet) {
  std::ostringstream stream;
  const auto display = make_progress_display(stream, terminal, quiet, 2);
  display->begin_case("ddp-r2");
  display->phase("train", 0.5);
  display->end_case(finished_case("ddp", 2, 1, 0), 1.5);
  display->begin_case("gpipe-r2");
  display->end_case(ended_case("gpipe", 2, Status::timed_out, "no sign of progress"), 60);
  display->end();
  return stream.str();
}

}  // namespace

TEST_CASE("without a terminal each case prints a plain line") {
  CHECK(shown({}, false) ==
        "[1/2] ddp-r2: ok, 1.50 s\n"
        "[2/2] gpipe-r2: timed_out, 60.0 s (no sign of progress)\n");
  CHECK(shown({}, true).empty());
}

TEST_CASE("a finished case tells the rest of the run, unless that is short") {
  std::ostringstream stream;
  const auto display = make_progress_display(stream, {}, false, 3);
  display->begin_case("ddp-r2");
  display->end_case(finished_case("ddp", 2, 1, 0), 1.5, 200);
  display->begin_case("ddp-r2");
  display->end_case(finished_case("ddp", 2, 1, 0), 1.5, 9);
  CHECK(stream.str() == "[1/3] ddp-r2: ok, 1.50 s; about 3:20 min left\n[2/3] ddp-r2: ok, 1.50 s\n");
}

TEST_CASE("on a terminal the rest of the run passes between the ends of cases") {
  const int descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  std::ostringstream stream;
  std::chrono::steady_clock::time_point now{};
  const auto display = make_progress_display(stream, {descriptor, false}, false, 3, [&now] { return now; });
  display->begin_case("ddp-r2");
  display->end_case(finished_case("ddp", 2, 1, 0), 1.5, 200);
  CHECK(contains(stream.str(), "1/3  33 %  3:20 min left"));
  now += std::chrono::seconds(80);
  display->tick();
  CHECK(contains(stream.str(), "1/3  33 %  2:00 min left"));
  now += std::chrono::seconds(800);
  stream.str("");
  display->tick();
  CHECK_FALSE(contains(stream.str(), "left"));
  ::close(descriptor);
}

TEST_CASE("a case that takes long prints its phase and for how long it has run") {
  std::ostringstream stream;
  std::chrono::steady_clock::time_point now{};
  const auto display = make_progress_display(stream, {}, false, 3, [&now] { return now; });
  const auto after = [&](int seconds) {
    now += std::chrono::seconds(seconds);
    stream.str("");
  };
  display->begin_case("ddp-r2");
  after(9);
  display->phase("reference", 0);
  display->tick();
  CHECK(stream.str().empty());
  after(6);
  display->tick();
  CHECK(stream.str() == "[1/3] ddp-r2: reference (for 6 s), 15 s elapsed\n");
  after(59);
  display->phase("reference", 0.1);
  CHECK(stream.str().empty());
  after(1);
  display->tick();
  CHECK(stream.str() == "[1/3] ddp-r2: reference (for 1:06 min), 1:15 min elapsed\n");
  after(10);
  display->phase("train epoch 2", 0.5);
  CHECK(stream.str() == "[1/3] ddp-r2: train epoch 2, 1:25 min elapsed\n");
  after(9);
  display->phase("validate", 0.5);
  CHECK(stream.str().empty());
}

TEST_CASE("on a terminal the line shows for how long a phase has run") {
  const int descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  std::ostringstream stream;
  std::chrono::steady_clock::time_point now{};
  const auto display = make_progress_display(stream, {descriptor, false}, false, 1, [&now] { return now; });
  display->begin_case("ddp-r2");
  display->phase("reference", 0);
  now += std::chrono::seconds(125);
  display->tick();
  CHECK(contains(stream.str(), "ddp-r2: reference (for 2:05 min)"));
  ::close(descriptor);
}

TEST_CASE("on a terminal one line is redrawn") {
  const int descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const std::string text = shown({descriptor, false}, false);
  CHECK(contains(text, "\r\x1b[K[#####---------------]  0/2  25 %"));
  CHECK(contains(text, "  ddp-r2: train"));
  CHECK_FALSE(contains(text, "ddp-r2: ok"));
  CHECK(contains(text, "\r\x1b[Kgpipe-r2: timed_out, 60.0 s (no sign of progress)\n"));
  CHECK(contains(text, "2/2  100 %"));
  CHECK(text.ends_with("\r\x1b[K"));
  CHECK_FALSE(contains(text, "\x1b[3"));
  const std::string coloured = shown({descriptor, true}, false);
  CHECK(contains(coloured, "[\x1b[32m#####\x1b[0m---------------]"));
  CHECK(contains(coloured, "\x1b[31mgpipe-r2: timed_out"));
  ::close(descriptor);
}

TEST_CASE("a descriptor that is not a terminal is detected") {
  const int descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  CHECK(detect_terminal(descriptor).descriptor == -1);
  CHECK_FALSE(detect_terminal(descriptor).colour);
  ::close(descriptor);
}

TEST_CASE("control characters in names, phases and reasons do not reach the terminal", "[F12]") {
  const std::string hostile = "\x1b[2J\r\nall ok \x7f";
  const int descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const Terminal& terminal : {Terminal{}, Terminal{descriptor, false}}) {
    std::ostringstream stream;
    std::chrono::steady_clock::time_point now{};
    const auto display = make_progress_display(stream, terminal, false, 1, [&now] { return now; });
    display->begin_case("001-ddp-r2");
    now += std::chrono::seconds(20);
    display->phase(hostile, 0.5);
    display->end_case(ended_case("ddp", 2, Status::crashed, hostile), 1);
    display->end();
    std::string shown = stream.str();
    for (auto at = shown.find("\r\x1b[K"); at != std::string::npos; at = shown.find("\r\x1b[K")) shown.erase(at, 4);
    CHECK(shown.find_first_of("\x1b\r\x7f") == std::string::npos);
    CHECK(contains(shown, "crashed, 1.00 s (\\x1b[2J\\r\\nall ok \\x7f)\n"));
    CHECK(contains(shown, ": \\x1b[2J\\r\\nall ok"));
  }
  ::close(descriptor);
}

TEST_CASE("the progress bar fits into the window") {
  CHECK(bar_line(2, 4, 0.5, 30, "003-ddp-r2: train", 80) ==
        "[##########----------]  2/4  50 %  30 s left  003-ddp-r2: train");
  CHECK(bar_line(0, 4, 0, -1, "x: start", 80) == "[--------------------]  0/4  0 %  x: start");
  CHECK(bar_line(2, 4, 0.5, 30, "003-ddp-r2: train", 20).size() == 20);
  CHECK(bar_line(4, 4, 1.5, 0, "", 80).find("[####################]  4/4  100 %") == 0);
}
