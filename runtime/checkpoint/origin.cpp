#include "runtime/checkpoint/origin.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "base/error.h"
#include "base/hash.h"
#include "base/join.h"
#include "runtime/checkpoint/header_reader.h"

namespace ddlbench::runtime {
namespace {

constexpr const char* trained_seconds_key = "trained_seconds";
constexpr const char* elapsed_seconds_key = "elapsed_seconds";
constexpr const char* times_digest_key = "times_digest";  ///< nothing else would show that a digit was changed
constexpr const char* steps_per_epoch_key = "steps_per_epoch";
constexpr const char* epoch_seconds_key = "epoch_seconds";
constexpr const char* epoch_losses_key = "epoch_losses";
constexpr const char* epoch_digest_key = "epoch_digest";

const std::string& text_of(const Metadata& metadata, const std::string& key, const std::string& file) {
  const auto found = metadata.find(key);
  if (found != metadata.end()) return found->second;
  throw InputError(fmt::format("{}: its metadata has no {}: an older ddlbench or another program wrote it", file, key));
}

/// Returns the digest of the texts of these entries.
std::string digest_of(const Metadata& metadata, std::initializer_list<const char*> keys, const std::string& file) {
  std::string texts;
  for (const char* key : keys) texts += (texts.empty() ? "" : " ") + text_of(metadata, key, file);
  return hexadecimal(fnv1a(texts));
}

void require_digest(const Metadata& metadata, const char* digest_key, std::initializer_list<const char*> keys,
                    const char* what, const std::string& file) {
  const std::string& digest = text_of(metadata, digest_key, file);
  if (digest == digest_of(metadata, keys, file)) return;
  throw InputError(fmt::format("{}: its metadata is damaged: {} do not have the digest {}", file, what, shown(digest)));
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

constexpr std::initializer_list<const char*> times{trained_seconds_key, elapsed_seconds_key};
constexpr std::initializer_list<const char*> of_epoch{steps_per_epoch_key, epoch_seconds_key, epoch_losses_key};

/// Reads numbers that are separated by spaces.
std::vector<double> numbers_of(const Metadata& metadata, const std::string& key, const std::string& file) {
  const std::string& text = text_of(metadata, key, file);
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    more = next != end;
    if (error != std::errc() || (more && *next != ' '))
      throw InputError(
          fmt::format("{}: its metadata's {} is {}, which is not a list of numbers", file, key, shown(text)));
    numbers.push_back(number);
    at = next + 1;
  }
  return numbers;
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

Metadata progress_to_metadata(const Origin& origin) {
  Metadata progress{{trained_seconds_key, fmt::format("{}", origin.trained_seconds)},
                    {elapsed_seconds_key, fmt::format("{}", origin.elapsed_seconds)}};
  progress[times_digest_key] = digest_of(progress, times, {});
  if (!origin.last_epoch) return progress;
  progress[steps_per_epoch_key] = std::to_string(origin.last_epoch->steps_per_epoch);
  progress[epoch_seconds_key] = fmt::format("{}", origin.last_epoch->seconds);
  progress[epoch_losses_key] =
      joined(origin.last_epoch->losses, " ", [](double loss) { return fmt::format("{}", loss); });
  progress[epoch_digest_key] = digest_of(progress, of_epoch, {});
  return progress;
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

void read_progress(Origin& origin, const Metadata& metadata, const std::string& file) {
  origin.trained_seconds = number_of<double>(metadata, trained_seconds_key, file);
  origin.elapsed_seconds = number_of<double>(metadata, elapsed_seconds_key, file);
  require_digest(metadata, times_digest_key, times, "the times", file);
  origin.last_epoch.reset();
  const auto is_there = [&metadata](const char* key) { return metadata.count(key) > 0; };
  if (!is_there(epoch_digest_key) && std::none_of(of_epoch.begin(), of_epoch.end(), is_there)) return;
  require_digest(metadata, epoch_digest_key, of_epoch, "the numbers of its last epoch", file);
  origin.last_epoch = {number_of<std::int64_t>(metadata, steps_per_epoch_key, file),
                       number_of<double>(metadata, epoch_seconds_key, file),
                       numbers_of(metadata, epoch_losses_key, file)};
}

}  // namespace ddlbench::runtime
