// Replaces comm/gloo in builds without gloo.

#include "comm/gloo/gloo.h"

#include "base/error.h"

namespace ddlbench::comm::gloo {

bool available() {
  return false;
}

void require_available() {
  throw InputError(
      "this build has no transport gloo: it was configured without the library, as sanitizer builds always are; "
      "install libgloo-dev (Debian), or set CMAKE_PREFIX_PATH to its prefix, and build again");
}

void launch(int, const WorldOptions&, const std::function<void(Communicator&)>&) {
  require_available();
}

void launch_in_threads(int, const WorldOptions&, const std::function<void(Communicator&)>&) {
  require_available();
}

}  // namespace ddlbench::comm::gloo
