// Input: lines that a case writes to its standard output.
#include <string>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "fuzz/input.h"
#include "fuzz/target.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// A message that was understood is sent and understood again.
void send_again(const Unframer::ReceivedMessage& heard) {
  const std::string text = encode(heard.message);
  Unframer unframer;
  for (const std::string& line : frame(heard.rank, heard.message)) {
    if (const auto again = unframer.take(line.substr(0, line.size() - 1))) {
      fuzz::expect(again->rank == heard.rank && encode(again->message) == text, "a message survives its transport");
      return;
    }
  }
  fuzz::expect(false, "a message that is sent arrives");
}

}  // namespace

DDLBENCH_FUZZ_TARGET(message)(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  Unframer unframer;
  while (!input.empty()) {
    const std::string line(input.until('\n'));
    if (!Unframer::is_framed(line)) continue;
    try {
      if (const auto heard = unframer.take(line)) send_again(*heard);
    } catch (const ContractError&) {
    }
  }
  return 0;
}
