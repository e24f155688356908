#include "runtime/metric_values.h"

#include "base/error.h"

namespace ddlbench::runtime {

MetricValues::MetricValues(std::vector<MetricShare> shares, kernels::Device& device, std::size_t turns)
    : shares_(std::move(shares)), device_(device) {
  for (std::size_t turn = 0; device.asynchronous() && turn < turns; ++turn)
    pinned_.emplace_back(device, shares_.size() * sizeof(float));
  for (const MetricShare& share : shares_) {
    require(share.slot == nullptr || share.slot->view.bytes == sizeof(float),
            "metric '" + share.tensor + "' is not a single f32");
  }
}

void MetricValues::fetch(const Resolve& resolve, std::size_t turn) {
  if (pinned_.empty()) return;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    if (shares_[i].slot == nullptr) continue;
    device_.copy_out(pinned_[turn].data() + i * sizeof(float), resolve(shares_[i].slot->view), sizeof(float),
                     graph::Stream::compute);
  }
}

std::vector<double> MetricValues::values(const Resolve& resolve, std::size_t turn) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    float value = 0;
    if (!pinned_.empty()) {
      std::memcpy(&value, pinned_[turn].data() + i * sizeof value, sizeof value);
    } else if (shares_[i].slot != nullptr) {
      device_.copy_out(&value, resolve(shares_[i].slot->view), sizeof value);
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace ddlbench::runtime
