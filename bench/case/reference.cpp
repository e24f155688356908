#include "bench/case/reference.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "runtime/checkpoint/safetensors.h"

namespace ddlbench::bench {
namespace {

/// Returns the trace's lists of tensors with the prefixes of their names in the file. The trace may be const.
auto lists_of(auto& trace) {
  return std::array{std::pair{"initial/", &trace.initial}, std::pair{"gradients/", &trace.first_gradients},
                    std::pair{"final/", &trace.final}, std::pair{"initial statistics/", &trace.initial_statistics},
                    std::pair{"final statistics/", &trace.final_statistics}};
}

std::uintmax_t bytes_of(const Reference& reference) {
  std::uintmax_t bytes = 0;
  for (const auto& [prefix, tensors] : lists_of(reference.trace))
    for (const auto& [name, data] : *tensors) bytes += data.size() * sizeof(float);
  return bytes;
}

/// Formats values so that they read back bit by bit, also infinities and NaNs, which JSON does not support.
std::string text_of(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += to_text(value) + ' ';
  return text;
}

std::vector<double> values_of(const std::string& text) {
  std::vector<double> values;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) throw InputError("'" + text + "' are not numbers");
    values.push_back(value);
    at = std::min(next + 1, end);  // skip the blank
  }
  return values;
}

const std::string& field(const runtime::SafetensorsReader& reader, const char* name) {
  const auto found = reader.metadata().find(name);
  if (found == reader.metadata().end()) throw InputError(fmt::format("{}: has no {}", reader.path(), name));
  return found->second;
}

void write(const std::string& file, const std::string& key, const Reference& reference) {
  const runtime::Deviation& noise = reference.noise;
  runtime::SafetensorsHeader header;
  header.metadata = {{"key", key},
                     {"losses", text_of(reference.trace.losses)},
                     {"noise", text_of({noise.loss, noise.gradient, noise.update, noise.statistic})}};
  for (const auto& [prefix, tensors] : lists_of(reference.trace)) {
    for (const auto& [name, data] : *tensors) {
      runtime::StoredTensor tensor;
      tensor.name = prefix + name;
      tensor.dtype = "F32";
      tensor.shape = {static_cast<std::int64_t>(data.size())};
      header.tensors.push_back(std::move(tensor));
    }
  }
  runtime::SafetensorsWriter writer(file, std::move(header), runtime::Durability::process);
  for (const auto& [prefix, tensors] : lists_of(reference.trace))
    for (const auto& [name, data] : *tensors) writer.write(data.data(), static_cast<std::int64_t>(data.size()));
  writer.finish();
  writer.commit();
}

Reference read(const runtime::SafetensorsReader& reader) {
  Reference reference;
  reference.trace.losses = values_of(field(reader, "losses"));
  for (const auto& [prefix, tensors] : lists_of(reference.trace)) {
    const std::string begin = prefix;
    for (const runtime::StoredTensor& tensor : reader.tensors()) {
      if (!tensor.name.starts_with(begin)) continue;
      std::vector<float>& data = (*tensors)[tensor.name.substr(begin.size())];
      data.resize(static_cast<std::size_t>(runtime::elements(tensor)));
      reader.read(tensor, 0, runtime::elements(tensor), data.data());
    }
  }
  const auto noise = values_of(field(reader, "noise"));
  if (noise.size() != 4) throw InputError(reader.path() + ": its noise must have four parts");
  reference.noise = {noise[0], noise[1], noise[2], noise[3]};
  return reference;
}

}  // namespace

std::string store_reference(const std::string& file, const std::string& key, const Reference& reference) {
  const auto folder = std::filesystem::path(file).parent_path();
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  const auto space = std::filesystem::space(folder, error);
  if (error) return fmt::format("{}: {}", file, error.message());
  if (space.available / 2 < bytes_of(reference)) return "it would take more than half of the free disk space";
  try {
    write(file, key, reference);
  } catch (const InputError& failed) {
    return failed.what();
  }
  return "";
}

std::optional<Reference> load_reference(const std::string& file, const std::string& key) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  try {
    const runtime::SafetensorsReader reader(file);
    if (field(reader, "key") != key) return std::nullopt;
    return read(reader);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace ddlbench::bench
