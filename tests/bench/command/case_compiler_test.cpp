#include "bench/command/case_compiler.h"

#include "../case/small_case.h"
#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("a case that cannot be compiled does not prevent the others", "[N2]") {
  SmallCase small("tensor", 2);
  CaseCompiler compiler(small.experiment);
  compiler.check_case(small.which);
  CHECK(small.which.unsupported == "");

  Case narrow = small.which;
  narrow.ranks = 64;
  compiler.check_case(narrow);
  CHECK(narrow.unsupported.find("use at most") != std::string::npos);

  Case defect = small.which;  // with an option that its strategy does not have
  defect.strategy.choice.options["halves"] = std::int64_t{2};
  CHECK_THROWS_AS(compiler.compile(defect), ContractError);
  CHECK_NOTHROW(compiler.check_case(defect));
  CHECK(defect.unsupported == "");
}
