#include "platform/pauses.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"

using namespace ddlbench;

TEST_CASE("a process counts how often it was stopped and continued") {
  CHECK(platform::pauses() == 0);
  int to_child[2], from_child[2];
  REQUIRE((::pipe(to_child) == 0 && ::pipe(from_child) == 0));
  const pid_t child = ::fork();
  if (child == 0) {  // in a process of its own, because counting blocks a signal for good
    ::close(to_child[1]);
    platform::count_pauses();
    for (char byte = 0; ::read(to_child[0], &byte, 1) == 1;) {
      byte = static_cast<char>(platform::pauses());
      if (::write(from_child[1], &byte, 1) != 1) break;
    }
    ::_exit(0);
  }
  REQUIRE(child > 0);
  ::close(to_child[0]);
  const auto pauses = [&] {
    char byte = 0;
    const bool answered = ::write(to_child[1], &byte, 1) == 1 && ::read(from_child[0], &byte, 1) == 1;
    return answered ? static_cast<int>(byte) : -1;
  };
  CHECK(pauses() == 0);
  for (int n = 1; n <= 3; ++n) {
    ::kill(child, SIGSTOP);
    ::waitpid(child, nullptr, WUNTRACED);
    ::kill(child, SIGCONT);
    CHECK(pauses() == n);
    CHECK(pauses() == n);
  }
  ::close(to_child[1]);
  ::waitpid(child, nullptr, 0);
  ::close(from_child[0]);
  ::close(from_child[1]);
}
