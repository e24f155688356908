#include "json/read.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "json/literal.h"
#include "json/parse.h"
#include "json/pointer.h"
#include "json/read_file.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::json;

namespace {

std::string syntax_error(const std::string& text) {
  std::vector<Problem> problems;
  REQUIRE(!read(text, problems));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer.empty());
  return to_string(problems[0], "f");
}

}  // namespace

TEST_CASE("every value has its location") {
  std::vector<Problem> problems;
  const auto root = read("\n {\"a\" : [1, -2.5e1,\ttrue],\r\n  \"ü,:\\\"\" : {\"x\": null}, \"b\":\"s\"}", problems);
  REQUIRE(root);
  CHECK(problems.empty());
  CHECK(root->at == Location{0, 2, 2});
  const Member& a = root->members[0];
  CHECK(a.at == Location{0, 2, 3});
  CHECK(a.value.at == Location{0, 2, 9});
  REQUIRE(a.value.elements.size() == 3);
  CHECK(a.value.elements[0].at == Location{0, 2, 10});
  CHECK(a.value.elements[1].at == Location{0, 2, 13});
  CHECK(a.value.elements[1].number == -25.0);
  CHECK(a.value.elements[2].at == Location{0, 2, 21});
  const Member& odd = root->members[1];
  CHECK(odd.key == "ü,:\"");
  CHECK(odd.at == Location{0, 3, 3});
  CHECK(odd.value.at == Location{0, 3, 13});
  CHECK(odd.value.find("x")->value.at == Location{0, 3, 19});
  CHECK(root->find("b")->at == Location{0, 3, 26});
  CHECK(root->find("b")->value.text == "s");
  CHECK(root->find("c") == nullptr);
}

TEST_CASE("a byte order mark is skipped") {
  std::vector<Problem> problems;
  const auto root = read("\xEF\xBB\xBF{\"a\": 1}", problems);
  REQUIRE(root);
  CHECK(root->find("a")->value.integer == 1);
}

TEST_CASE("syntax errors name their location") {
  CHECK(syntax_error("").starts_with("f:1:1: not JSON: "));
  CHECK(syntax_error("{\"a\": 1,\n}").starts_with("f:2:1: not JSON: "));
  CHECK(syntax_error("[1,,2]").starts_with("f:1:4: not JSON: "));
  CHECK(syntax_error("{\"a\": 1\n \"b\": 2}").starts_with("f:2:2: not JSON: "));
  CHECK(syntax_error("{\"a\" 17}").starts_with("f:1:6: not JSON: "));
  CHECK(syntax_error("[true false]").starts_with("f:1:7: not JSON: "));
  CHECK(syntax_error("{} {}").starts_with("f:1:4: not JSON: "));
  CHECK(syntax_error("[1e999]").starts_with("f:1:2: not JSON: number overflow"));
  CHECK(syntax_error("[\"a\nb\"]").starts_with("f:1:4: not JSON: "));
  CHECK(syntax_error("{\"a\": 1 // one\n}") == "f:1:9: not JSON: JSON has no comments");
  CHECK(syntax_error("# one\n{}") == "f:1:1: not JSON: JSON has no comments");
}

TEST_CASE("nesting deeper than 64 levels is rejected") {
  std::vector<Problem> problems;
  CHECK(read(std::string(64, '[') + std::string(64, ']'), problems));
  CHECK(!read(std::string(100000, '['), problems));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].what == "nested deeper than 64 levels");
  CHECK(problems[0].at == Location{0, 1, 65});
}

TEST_CASE("a whole text may have 64 levels, too, and brackets in strings do not count") {
  CHECK_NOTHROW(parse_whole(std::string(64, '[') + R"("[[{\"[\\")" + std::string(64, ']')));
  CHECK_NOTHROW(parse_whole("[" + std::string(1000, ' ') + "[[], {}, [], {}]]"));
  CHECK_THROWS_WITH(parse_whole(std::string(1000000, '[')),
                    "not JSON: line 1, column 65: nested deeper than 64 levels");
  CHECK_THROWS_AS(parse_whole("\"" + std::string(1000000, '[')), InputError);
}

TEST_CASE("a duplicate key is reported with its pointer, and the first value counts") {
  std::vector<Problem> problems;
  const auto root = read("{\"a\": {\"b/c\": 1,\n \"b/c\": {\"b/c\": 3}},\n\"a\": 2}", problems);
  REQUIRE(root);
  REQUIRE(problems.size() == 2);
  CHECK(to_string(problems[0], "f") == "f:2:2: /a/b~1c: the key \"b/c\" occurs twice in this object, first in line 1");
  CHECK(to_string(problems[1], "f") == "f:3:1: /a: the key \"a\" occurs twice in this object, first in line 1");
  REQUIRE(root->members.size() == 1);
  CHECK(root->members[0].value.find("b/c")->value.integer == 1);
}

TEST_CASE("JSON pointers are escaped and unescaped") {
  CHECK(child(child("", "a/b"), "m~n") == "/a~1b/m~0n");
  CHECK(split_pointer("/a~1b/m~0n/~01//0") == std::vector<std::string>{"a/b", "m~n", "~1", "", "0"});
  CHECK(split_pointer("").empty());
  CHECK_THROWS_AS(split_pointer("a"), InputError);
  CHECK_THROWS_AS(split_pointer("/a~2"), InputError);
  CHECK_THROWS_AS(split_pointer("/a~"), InputError);
}

TEST_CASE("a document with too many values is rejected at the first excess value", "[F13]") {
  const auto list = [](std::size_t count) {
    std::string text = "{\"a\": [\n0";
    for (std::size_t i = 1; i < count; ++i) text += ",0";
    return text + "]}";
  };
  std::vector<Problem> problems;
  CHECK(read(list(250000 - 2), problems));
  CHECK(problems.empty());
  CHECK(!read(list(3000000), problems));
  REQUIRE(problems.size() == 1);
  CHECK(to_string(problems[0], "f") ==
        "f:2:499997: /a/249998: the document has more than 250000 values; use shorter lists");
}

TEST_CASE("a long key does not slow down reading the values below it", "[F13]") {
  std::string text = "{\"" + std::string(1 << 20, 'k') + "\": [[]";
  for (int i = 0; i < 100000; ++i) text += ",[]";
  std::vector<Problem> problems;
  CHECK(read(text + "]}", problems));
}

TEST_CASE("at most a hundred duplicate keys are reported", "[F13]") {
  std::string text = "{\"a\": 0";
  for (int i = 0; i < 1000; ++i) text += ", \"a\": 0";
  std::vector<Problem> problems;
  CHECK(!read(text + "}", problems));
  CHECK(problems.size() == 100);
}

TEST_CASE("at most a hundred numbers that are too small are reported") {
  std::string text = "[1e-400";
  for (int i = 0; i < 1000; ++i) text += ", 1e-400";
  std::vector<Problem> problems;
  CHECK(!read(text + "]", problems));
  CHECK(problems.size() == 100);
}

TEST_CASE("a problem is reported on one line, with control characters escaped", "[F12]") {
  std::vector<Problem> problems;
  REQUIRE(read(R"({"a\n\u001b[2J": 1, "a\n\u001b[2J": 2})", problems));
  REQUIRE(problems.size() == 1);
  CHECK(to_string(problems[0], "f\x1b") ==
        R"(f\x1b:1:21: /a\n\x1b[2J: the key "a\n\x1b[2J" occurs twice in this object, first in line 1)");
}

TEST_CASE("files beyond the size limit are rejected without reading them to the end", "[F13]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "large.json";
  std::ofstream(path) << "";
  std::filesystem::resize_file(path, max_file_bytes);
  CHECK(std::int64_t(read_file(path).size()) == max_file_bytes);
  std::filesystem::resize_file(path, max_file_bytes + 1);
  CHECK_THROWS_WITH(read_file(path),
                    path + ": is larger than the 16777216 bytes that it may have; split it into smaller ones");
  CHECK_THROWS_AS(read_file("/dev/zero"), InputError);
  CHECK_THROWS_WITH(read_file("/nowhere.json"), "/nowhere.json: cannot be opened: No such file or directory");
}

TEST_CASE("a pipe is read to its end if pipes are accepted") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "{}", 2) == 2);
  ::close(ends[1]);
  const std::string path = "/proc/self/fd/" + std::to_string(ends[0]);
  CHECK_THROWS_WITH(read_file(path, Pipes::rejected), path + ": is not a regular file");
  CHECK(read_file(path) == "{}");
  ::close(ends[0]);
}

TEST_CASE("reading a pipe ends although no program writes to it") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_file(path), path + ": is a pipe that no program has opened for writing within 5 s");
  std::thread writer([&path] { std::ofstream(path) << "{}"; });
  CHECK(read_file(path) == "{}");
  writer.join();
}

TEST_CASE("a NUL byte anywhere in a JSON text is an error", "[F6]") {
  const auto with_nul = [](const std::string& before, const std::string& behind = "") {
    return before + std::string(1, '\0') + behind;
  };
  const std::string why = ": not JSON: a NUL byte, which JSON text cannot contain";
  CHECK(syntax_error(with_nul("{\"a\": 1}\n")) == "f:2:1" + why);
  CHECK(syntax_error(with_nul("{\"a\": 1,\n \"ü\": 2}", ", \"c\": 3}")) == "f:2:9" + why);
  CHECK(syntax_error(with_nul("[\"a", "b\"]")) == "f:1:4" + why);
  CHECK(syntax_error(with_nul("")) == "f:1:1" + why);

  CHECK_THROWS_WITH(parse_whole(with_nul("[1]\n ", "[2]")),
                    "not JSON: line 2, column 2: a NUL byte, which JSON text cannot contain");
  CHECK_THROWS_WITH(parse_whole("[1,\n 2"), "not JSON: line 2, column 3");
  CHECK_THROWS_WITH(parse_whole("[1e999]"), "not JSON: it has a number that is too large for a double");
  CHECK_THROWS_WITH(parse_whole(""), "not JSON: line 1, column 1");
  CHECK(parse_whole("[1, \"\\u0000\"] ") == nlohmann::json{1, std::string(1, '\0')});
}

TEST_CASE("a number literal is judged by its exact value, not by its double", "[F14]") {
  for (const char* integral : {"64.0", "6.4e1", "640e-1", "0.0", "0e5", "0.00e99999999999", "-3.0", "1.50E+2"})
    CHECK(is_integral(integral));
  for (const char* other :
       {"-0.0", "-0e3", "0.5", "64.00000000000000000000001", "645e-1", "1e-400", "0.99999999999999999999"})
    CHECK_FALSE(is_integral(other));
  CHECK(is_zero("-0.000e7"));
  CHECK_FALSE(is_zero("0.0001e-400"));

  std::vector<Problem> problems;
  const auto root = read("{\"a\": [0.0,\n  1e-400, 5e-324]}", problems);
  REQUIRE(root);
  REQUIRE(problems.size() == 1);
  CHECK(to_string(problems[0], "f") == "f:2:3: /a/1: the number is too small: the smallest above 0 is 5e-324");
}

TEST_CASE("of many problems the first twenty are shown") {
  std::vector<Problem> problems;
  for (int line = 1; line <= 20; ++line) problems.push_back({{0, line, 1}, "", "wrong"});
  const auto lines = [&] {
    const std::string text = to_string(problems, "f");
    return std::count(text.begin(), text.end(), '\n') + 1;
  };
  CHECK(lines() == 20);
  problems.resize(5000, problems[0]);
  CHECK(lines() == 21);
  CHECK(to_string(problems, "f").ends_with("\nf:20:1: wrong\n… and 4980 more"));
}
