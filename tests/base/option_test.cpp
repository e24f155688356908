#include "base/option.h"

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("missing options get their defaults, also in nested choices") {
  Option codec{"codec", Nested{{"none", {}}}, "What is sent."};
  codec.kinds = {{"none", "As it is.", {}}, {"top", "The largest.", {{"share", 0.01, "Of all."}, {"seed", true, ""}}}};
  const std::vector<Option> options{{"widths", Integers{1, 2}, "Of parts."}, codec};

  CHECK(with_defaults(options, {}) == OptionValues{{"widths", Integers{1, 2}}, {"codec", Nested{{"none", {}}}}});
  const OptionValues given{{"widths", Integers{}}, {"codec", Nested{{"top", {{"share", 0.5}}}}}};
  CHECK(with_defaults(options, given) ==
        OptionValues{{"widths", Integers{}}, {"codec", Nested{{"top", {{"seed", true}, {"share", 0.5}}}}}});

  CHECK_THROWS_AS(with_defaults(options, {{"width", Integers{}}}), ContractError);
  CHECK_THROWS_AS(with_defaults(options, {{"widths", std::string("1,2")}}), ContractError);
  CHECK_THROWS_AS(with_defaults(options, {{"codec", Nested{{"pot", {}}}}}), InputError);
}
