#include "../harness.h"
#include "own_device.h"

namespace ddlbench::test {

std::vector<std::unique_ptr<kernels::Device>> every_device() {
  std::vector<std::unique_ptr<kernels::Device>> all;
  for (const auto& kind : kinds()) all.push_back(device(kind.name, 2));
  all.push_back(std::make_unique<OwnDevice>(2));
  return all;
}

}  // namespace ddlbench::test
