#include "platform/write_all.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "catch.h"

using namespace ddlbench;

TEST_CASE("a write continues after a signal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  struct sigaction interrupt {};
  struct sigaction before {};
  interrupt.sa_handler = [](int) {};  // without SA_RESTART: a blocked write returns EINTR
  REQUIRE(::sigaction(SIGUSR1, &interrupt, &before) == 0);

  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::atomic<bool> done{false};
  bool written = false;
  std::thread writer([&] {
    written = platform::write_all(ends[1], text);
    done = true;
    ::close(ends[1]);
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::pthread_kill(writer.native_handle(), SIGUSR1);
  }
  CHECK_FALSE(done);
  std::string heard;
  std::string part(1 << 16, ' ');
  for (ssize_t count = 1; count > 0;) {
    count = ::read(ends[0], part.data(), part.size());
    if (count > 0) heard.append(part, 0, static_cast<std::size_t>(count));
  }
  writer.join();
  ::close(ends[0]);
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(written);
  CHECK(heard == text);
}

TEST_CASE("a write that fails says why") {
  const int full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  CHECK_FALSE(platform::write_all(full, "text"));
  CHECK(errno == ENOSPC);
  CHECK(platform::write_all(full, ""));
  ::close(full);
}
