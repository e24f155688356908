#pragma once

#include "../harness.h"
#include "catch.h"
#include "own_device.h"

namespace ddlbench::test {

/// Calls `body` with each device of this build, on two threads, and with the kernels for GPUs on the host.
template <class Body>
void on_every_device(const Body& body) {
  for (const auto& kind : kinds()) {
    CAPTURE(kind.name);
    body(*device(kind.name, 2));
  }
  INFO("kernels for GPUs on the host");
  OwnDevice own(3);
  body(own);
}

}  // namespace ddlbench::test
