#include "runtime/checkpoint/throw_on_all.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::runtime;

namespace {

/// Returns the error of each of three ranks after the ranks selected by `fails` have thrown.
std::vector<std::string> said(const std::vector<bool>& fails, const std::string& what) {
  std::vector<std::string> found(3);
  comm::find_transport("threads").launch(3, {}, [&](comm::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    try {
      throw_on_all(communicator, [&] {
        if (fails[rank]) throw InputError(what.empty() ? "" : what + std::to_string(rank));
      });
    } catch (const InputError& error) {
      found[rank] = std::string("error: ") + error.what();
    }
    throw_on_all(communicator, [] {});  // the ranks can still communicate
  });
  return found;
}

}  // namespace

TEST_CASE("all ranks continue, or all throw the error of the lowest failed rank") {
  CHECK(said({false, false, false}, "no") == std::vector<std::string>(3));
  CHECK(said({false, false, true}, "no") == std::vector<std::string>(3, "error: no2"));
  CHECK(said({false, true, true}, "no") == std::vector<std::string>(3, "error: no1"));
  CHECK(said({true, true, true}, "no") == std::vector<std::string>(3, "error: no0"));
  CHECK(said({false, true, false}, "") == std::vector<std::string>(3, "error: "));
}
