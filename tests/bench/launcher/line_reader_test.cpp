#include "bench/launcher/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "catch.h"

using namespace ddlbench::bench;

namespace {

struct Pipe {
  Pipe() {
    REQUIRE(::pipe(ends) == 0);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    ::close(ends[0]);
    close();
  }
  void write(const std::string& text) const {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  int ends[2];
};

}  // namespace

TEST_CASE("lines are split at their ends, however they arrive") {
  Pipe pipe;
  LineReader reader(pipe.ends[0]);
  std::vector<std::string> lines;
  const auto read = [&] { return reader.read([&](const std::string& line) { lines.push_back(line); }); };
  pipe.write("one\n\ntw");
  CHECK(read() == 7);
  CHECK(lines == std::vector<std::string>{"one", ""});
  pipe.write("o\nthree");
  read();
  pipe.close();
  read();
  CHECK(reader.closed());
  CHECK(lines == std::vector<std::string>{"one", "", "two", "three"});
}

TEST_CASE("an endless writer keeps a reader busy for no longer than one turn", "[F3]") {
  const int zeros = ::open("/dev/zero", O_RDONLY);  // always returns as many bytes as are requested
  LineReader reader(zeros);
  int given = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const std::size_t taken = reader.read([&](const std::string& line) {
      ++given;
      CHECK(line.size() < LineReader::longest_line + 100);
      CHECK(line.find("[cut: a line of more than 65536 bytes]") == LineReader::longest_line + 1);
    });
    CHECK(taken >= LineReader::most_bytes_per_turn);
    CHECK(taken < 2 * LineReader::most_bytes_per_turn);
  }
  CHECK(given == 1);
  ::close(zeros);
}

TEST_CASE("a line that is too long is truncated, and the next one is complete", "[F3]") {
  for (const std::size_t more : {0, 1, 100000}) {
    Pipe pipe;
    const std::string text = std::string(LineReader::longest_line + more, 'x') + "\nnext\n";
    std::thread writer([&] { pipe.write(text); });
    LineReader reader(pipe.ends[0]);
    std::vector<std::string> lines;
    while (lines.size() < 2) reader.read([&](const std::string& line) { lines.push_back(line); });
    writer.join();
    CHECK(std::count(lines[0].begin(), lines[0].end(), 'x') == LineReader::longest_line);
    CHECK((lines[0].size() > LineReader::longest_line) == (more > 0));
    CHECK(lines[1] == "next");
  }
}
