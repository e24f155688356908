#include "runtime/checkpoint/origin.h"

#include <fmt/core.h>
#include <charconv>

#include "base/error.h"
#include "base/hash.h"
#include "runtime/checkpoint/header_reader.h"

namespace ddlbench::runtime {
namespace {

constexpr const char* trained_seconds_key = "trained_seconds";
constexpr const char* elapsed_seconds_key = "elapsed_seconds";
constexpr const char* times_digest_key = "times_digest";  ///< nothing else would show that a digit was changed

const std::string& text_of(const Metadata& metadata, const std::string& key, const std::string& file) {
  const auto found = metadata.find(key);
  if (found != metadata.end()) return found->second;
  throw InputError(fmt::format("{}: its metadata has no {}: an older ddlbench or another program wrote it", file, key));
}

std::string digest_of(const std::string& trained_seconds, const std::string& elapsed_seconds) {
  return hexadecimal(fnv1a(trained_seconds + " " + elapsed_seconds));
}

template <class Number>
Number number_of(const Metadata& metadata, const std::string& key, const std::string& file) {
  const std::string& text = text_of(metadata, key, file);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  throw InputError(
      fmt::format("{}: its metadata's {} is {}, which is not a non-negative number", file, key, shown(text)));
}

}  // namespace

Metadata to_metadata(const Origin& origin) {
  return {{"format", "pt"},  // tells transformers that tensors are laid out as in PyTorch
          {"ddlbench", origin.version},
          {"model", origin.model},
          {"model_options", origin.model_options},
          {"optimizer", origin.optimizer},
          {"contract_id", origin.contract_id},
          {"seed", std::to_string(origin.seed)},
          {"epoch", std::to_string(origin.epoch)},
          {"step", std::to_string(origin.step)}};
}

Metadata times_to_metadata(const Origin& origin) {
  Metadata times{{trained_seconds_key, fmt::format("{}", origin.trained_seconds)},
                 {elapsed_seconds_key, fmt::format("{}", origin.elapsed_seconds)}};
  times[times_digest_key] = digest_of(times.at(trained_seconds_key), times.at(elapsed_seconds_key));
  return times;
}

Origin origin_from(const Metadata& metadata, const std::string& file) {
  Origin origin;
  origin.version = text_of(metadata, "ddlbench", file);
  origin.model = text_of(metadata, "model", file);
  origin.model_options = text_of(metadata, "model_options", file);
  origin.optimizer = text_of(metadata, "optimizer", file);
  origin.contract_id = text_of(metadata, "contract_id", file);
  origin.seed = number_of<std::uint64_t>(metadata, "seed", file);
  origin.epoch = number_of<std::int64_t>(metadata, "epoch", file);
  origin.step = number_of<std::int64_t>(metadata, "step", file);
  return origin;
}

void read_times(Origin& origin, const Metadata& metadata, const std::string& file) {
  origin.trained_seconds = number_of<double>(metadata, trained_seconds_key, file);
  origin.elapsed_seconds = number_of<double>(metadata, elapsed_seconds_key, file);
  const std::string digest =
      digest_of(text_of(metadata, trained_seconds_key, file), text_of(metadata, elapsed_seconds_key, file));
  if (text_of(metadata, times_digest_key, file) != digest)
    throw InputError(fmt::format("{}: its metadata is damaged: the times do not have the digest {}", file,
                                 shown(text_of(metadata, times_digest_key, file))));
}

}  // namespace ddlbench::runtime
