#pragma once

#include <signal.h>

#include <ctime>

namespace ddlbench::comm::gloo {

/// The scope in which writing to a connection that its peer has closed does not end the process: gloo then throws an
/// exception. Applies to the calling thread, and to threads that it starts meanwhile.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    if (::sigismember(&before_, SIGPIPE) == 1) return;
    const timespec now{};
    ::sigtimedwait(&pipe_, nullptr, &now);  // drops one that is pending
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace ddlbench::comm::gloo
