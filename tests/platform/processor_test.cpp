#include "platform/processor.h"

#include "catch.h"

using namespace ddlbench::platform;

TEST_CASE("the processor's identity is stable and begins with its name") {
  CHECK(processor_identity() == processor_identity());
  CHECK(processor_identity().find(processor_name()) == 0);
}
