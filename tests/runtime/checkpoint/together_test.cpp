#include "runtime/checkpoint/together.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::runtime;

namespace {

/// What each of three ranks says after the ranks that `fails` names have failed.
std::vector<std::string> said(const std::vector<bool>& fails, const std::string& what) {
  std::vector<std::string> found(3);
  comm::find_transport("threads").launch(3, {}, [&](comm::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    try {
      together(communicator, [&] {
        if (fails[rank]) throw InputError(what.empty() ? "" : what + std::to_string(rank));
      });
    } catch (const InputError& error) {
      found[rank] = std::string("error: ") + error.what();
    }
    together(communicator, [] {});  // they still understand each other
  });
  return found;
}

}  // namespace

TEST_CASE("ranks go on together, or fail together with the lowest one's error") {
  CHECK(said({false, false, false}, "no") == std::vector<std::string>(3));
  CHECK(said({false, false, true}, "no") == std::vector<std::string>(3, "error: no2"));
  CHECK(said({false, true, true}, "no") == std::vector<std::string>(3, "error: no1"));
  CHECK(said({true, true, true}, "no") == std::vector<std::string>(3, "error: no0"));
  CHECK(said({false, true, false}, "") == std::vector<std::string>(3, "error: "));
}
