#include "platform/processor.h"

#include "catch.h"

using namespace ddlbench::platform;

TEST_CASE("a processor has an identity, which is always the same") {
  CHECK(processor_identity() == processor_identity());
  CHECK(processor_identity().find(processor_name()) == 0);
}
