#include "runtime/stream_copy.h"

namespace ddlbench::runtime {

void StreamCopy::synchronize(Event event) noexcept {
  try {
    device_.wait(event);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a failed device does nothing more
  }
}

}  // namespace ddlbench::runtime
