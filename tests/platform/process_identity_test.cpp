#include "platform/process_identity.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"

using namespace ddlbench::platform;

TEST_CASE("a process identity is preserved as text and reports the end of its process", "[F7]") {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const std::string text = ProcessIdentity::of(child).value().text();
  const ProcessIdentity identity = ProcessIdentity::parse(text).value();
  CHECK(identity.text() == text);
  CHECK_FALSE(identity.ended());
  ::kill(child, SIGSTOP);
  CHECK_FALSE(identity.ended());
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK(identity.ended());  // although it has not been reaped yet
  ::waitpid(child, nullptr, 0);
  CHECK(identity.ended());
  CHECK_FALSE(ProcessIdentity::of(child).has_value());
}

TEST_CASE("a process on another machine is not reported as ended, and a reused process ID is detected", "[F7]") {
  const std::string own = ProcessIdentity::of(::getpid()).value().text();
  const std::string number = std::to_string(::getpid());
  const std::string place = own.substr(own.rfind(' '));
  CHECK(ProcessIdentity::parse(number + " 1" + place).value().ended());
  CHECK_FALSE(ProcessIdentity::parse(number + " 1 another-machine").value().ended());
  CHECK_FALSE(ProcessIdentity::parse(number).has_value());
  CHECK_FALSE(ProcessIdentity::parse("").has_value());
}
