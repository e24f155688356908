#include "host_memory.h"

#include "bench/case/process_memory.h"
#include "platform/heap.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("resident memory in training is at most a little more than planned", "[case]") {
  require_no_more_than_planned(whole_model("lenet", {}, images("1x28x28", 10, 128), 64));
  require_no_more_than_planned(whole_model("mlp", {}, images("1x28x28", 10, 128), 64));
  require_no_more_than_planned(
      whole_model("tiny-gpt", {{"layers", std::int64_t{2}}, {"hidden", std::int64_t{64}}, {"heads", std::int64_t{2}}},
                  tokens(16, 64, 16), 8));
}
