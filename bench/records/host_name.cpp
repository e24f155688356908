#include "bench/records/host_name.h"

#include <unistd.h>

#include <array>

namespace ddlbench::bench {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace ddlbench::bench
