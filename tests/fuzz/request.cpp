// Input: the request that a worker reads from its standard input.
#include <optional>
#include <string>

#include "base/error.h"
#include "bench/launcher/worker_request.h"
#include "fuzz/input.h"
#include "fuzz/target.h"

using namespace ddlbench;
using namespace ddlbench::bench;

DDLBENCH_FUZZ_TARGET(request)(const std::uint8_t* data, std::size_t size) {
  std::optional<WorkerRequest> request;
  try {
    request = decode_request({reinterpret_cast<const char*>(data), size});
  } catch (const ContractError&) {
    return 0;
  }
  const std::string text = encode(*request);
  fuzz::expect(encode(decode_request(text)) == text, "a request survives its transport");
  return 0;
}
