#define CATCH_CONFIG_RUNNER
#include <atomic>
#include <iostream>
#include <string>

#include "catch.h"
#include "skip.h"

namespace {

std::atomic<bool> skipped{false};  ///< the case that runs
int cases = 0, skipped_cases = 0;

#if defined(DDLBENCH_CATCH2_V3)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class CountSkipped final : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo&) override { skipped = false; }
  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++cases;
    if (skipped) ++skipped_cases;
  }
};
CATCH_REGISTER_LISTENER(CountSkipped)

}  // namespace

void ddlbench::test::skip(std::string_view why) {
  skipped = true;
  std::cout << "skipped: " + std::string(why) + "\n" << std::flush;
}

/// 0: nothing failed; 77, as SKIP_RETURN_CODE says: nothing failed, and no case ran that could; 1: else.
int main(int argc, char* argv[]) {
  constexpr int all_skipped = 77;
  if (Catch::Session().run(argc, argv) != 0) return 1;
  return cases > 0 && skipped_cases == cases ? all_skipped : 0;
}
