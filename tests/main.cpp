#define CATCH_CONFIG_MAIN
#include "catch.h"

#if defined(DDLBENCH_CATCH2_V3)
int main(int argc, char* argv[]) {
  return Catch::Session().run(argc, argv);
}
#endif
