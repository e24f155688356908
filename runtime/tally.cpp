#include "runtime/tally.h"

namespace ddlbench::runtime {

void all_reduce(std::vector<std::int64_t>& values, comm::Communicator& world, graph::Reduction reduction,
                const std::string& label) {
  comm::Reduce call;
  call.input = call.output = values.data();
  call.count = static_cast<std::int64_t>(values.size());
  call.dtype = graph::DType::i64;
  call.reduction = reduction;
  call.label = label;
  comm::run(world.all_reduce(call));
}

Tally::Tally(const std::vector<std::string>& keys, const program::CostTable& known) {
  for (const std::string& key : keys) {
    const program::OpCost* cost = known.find(key);
    known_[key] = cost == nullptr ? 0 : static_cast<std::int64_t>(cost->seconds.value_or(0) * 1e12);
    found_[key] = {};
  }
}

void Tally::agree_on_known(comm::Communicator& world) {
  std::vector<std::int64_t> unknown;
  for (const auto& [key, picoseconds] : known_) unknown.push_back(picoseconds > 0 ? 0 : 1);
  all_reduce(unknown, world);
  std::size_t i = 0;
  for (auto& [key, picoseconds] : known_) {
    if (unknown[i++] > 0) picoseconds = 0;
    if (picoseconds > 0 && world.rank() == 0) add(key, picoseconds);
  }
}

void Tally::add(const std::string& key, std::int64_t picoseconds) {
  Found& found = found_.at(key);
  found.sum += picoseconds;
  ++found.ranks;
}

program::CostTable Tally::close(comm::Communicator& world) const {
  std::vector<std::int64_t> values;
  for (const auto& [key, found] : found_) values.insert(values.end(), {found.sum, found.ranks});
  all_reduce(values, world);
  program::CostTable table;
  std::size_t i = 0;
  for (const auto& [key, found] : found_) {
    const auto sum = static_cast<double>(values[i++]);
    const auto ranks = static_cast<double>(values[i++]);
    if (ranks > 0) table.insert(key, {sum / ranks * 1e-12, 0});
  }
  return table;
}

}  // namespace ddlbench::runtime
