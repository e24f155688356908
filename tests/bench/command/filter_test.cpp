#include "bench/command/filter.h"

#include "base/error.h"
#include "catch.h"

using ddlbench::InputError;
using ddlbench::bench::Filter;

namespace {

std::string why_not(const std::string& pattern) {
  try {
    const Filter filter(pattern);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(int times, const std::string& text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a filter matches its pattern anywhere in the text", "[F13]") {
  CHECK(Filter("ddp").matches("003-ddp-r2"));
  CHECK(Filter("^003|r4$").matches("012-zero-r4"));
  CHECK(Filter("(ddp|zero)[^ ]* r\\d{1,2}").matches("zero3 r16"));
  CHECK(!Filter("^ddp").matches("003-ddp-r2"));
}

TEST_CASE("a filter pattern of any form is matched or rejected at once", "[F13]") {
  CHECK(!Filter("((.|..|...)+)+x").matches(std::string(100000, 'a')));
  CHECK(!Filter("(a*)*(a*)*(a*)*b").matches(std::string(100000, 'a')));
  CHECK(why_not(repeated(50000, "(") + repeated(50000, ")")) ==
        "has 100000 characters, more than the 1000 that it may have");
  CHECK(Filter(repeated(500, "(") + repeated(500, ")")).matches(""));
  CHECK(why_not("((a{1000}){1000}){1000}").starts_with("not a regular expression: "));
  CHECK(why_not("(").starts_with("not a regular expression: "));
  CHECK(why_not("(a)\\1").starts_with("not a regular expression: "));
  CHECK(why_not("a(?=b)").starts_with("not a regular expression: "));
  CHECK(why_not("\xff").starts_with("not a regular expression: "));
  CHECK(why_not("") == "empty; leave it out for all cases");
}
