#include "runtime/checkpoint/checkpoint.h"

#include "graph/error.h"

namespace ddlbench::runtime {
namespace {

constexpr const char* extension = ".safetensors";

}  // namespace

std::string state_path(const std::string& path) {
  const std::string stem = path.ends_with(extension) ? path.substr(0, path.rfind('.')) : path;
  return stem + ".state" + extension;
}

Origin origin_of(const std::string& path) {
  const SafetensorsReader weights(path), state(state_path(path));
  const Metadata &of_weights = weights.metadata(), &of_state = state.metadata();
  const Origin origin = origin_from(of_state, state.path());
  const auto own = of_weights.find(SafetensorsWriter::digest_key);
  const auto meant = of_state.find(weights_digest_key);
  if (own == of_weights.end() || meant == of_state.end() || own->second != meant->second) {
    throw InputError(path + " and " + state.path() +
                     " are not of one checkpoint: the optimizer's state belongs to other weights");
  }
  return origin;
}

void require_fits(const std::string& file, const TensorTypes& wanted, const graph::FileNames& names) {
  match(SafetensorsReader(file), wanted, names);
}

}  // namespace ddlbench::runtime
