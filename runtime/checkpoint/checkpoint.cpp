#include "runtime/checkpoint/checkpoint.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ddlbench::runtime {
namespace {

constexpr const char* extension = ".safetensors";

}  // namespace

std::string state_path(const std::string& path) {
  const std::string stem = path.ends_with(extension) ? path.substr(0, path.rfind('.')) : path;
  return fmt::format("{}.state{}", stem, extension);
}

Origin origin_of(const std::string& path) {
  const SafetensorsReader weights(path), state(state_path(path));
  const Metadata &of_weights = weights.metadata(), &of_state = state.metadata();
  Origin origin = origin_from(of_state, state.path());
  read_progress(origin, of_state, state.path());
  const auto own = of_weights.find(SafetensorsWriter::digest_key);
  const auto meant = of_state.find(weights_digest_key);
  const bool one_digest = own != of_weights.end() && meant != of_state.end() && own->second == meant->second;
  if (!one_digest || to_metadata(origin_from(of_weights, path)) != to_metadata(origin)) {
    throw InputError(fmt::format(
        "{} and {} do not belong to one checkpoint: the optimizer's state is from other weights", path, state.path()));
  }
  return origin;
}

std::string checked_digest(const std::string& path, Part part) {
  std::string digest = SafetensorsReader(path).require_undamaged();
  if (part == Part::everything) digest += "+" + SafetensorsReader(state_path(path)).require_undamaged();
  return digest;
}

void require_fits(const std::string& file, const TensorTypes& wanted, const graph::FileNames& names) {
  const SafetensorsReader reader(file);
  graph::FileNames without_strategy = names;
  for (const StoredTensor& stored : reader.tensors())
    if (program::is_strategy_state(stored.name)) without_strategy.ignored.push_back(stored.name);
  TensorTypes equal = wanted;
  std::erase_if(equal, [&](const auto& tensor) {
    return reader.find(names.of(program::of_rank(tensor.first, 0)).name) != nullptr;
  });
  match(reader, equal, without_strategy);
}

}  // namespace ddlbench::runtime
