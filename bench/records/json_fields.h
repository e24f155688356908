#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace ddlbench::bench {

/// Convert numbers to JSON and back. Infinities and NaN, which JSON lacks, are the strings "inf", "-inf" and "nan".
/// number_from_json() throws ContractError for any other string.
nlohmann::json number_to_json(double value);
double number_from_json(const nlohmann::json& json);

/// Returns an integer. Throws ContractError for any other value and for one that the type does not hold: nlohmann's
/// library would convert it silently.
template <std::integral Integer>
Integer integer_from_json(const nlohmann::json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  }
  throw ContractError(
      fmt::format("a value of type {} is not an integer of {} bits", json.type_name(), 8 * sizeof(Integer)));
}

/// A struct lists its fields once, in `template <class Fields> void fields(Fields& f, T& value)` in its own namespace,
/// with `f("key", value.member)` for each. JsonWriter and JsonReader write and read the struct by this list. They
/// ignore the third argument of a field, which is for other visitors. If `fields` takes the members by a structured
/// binding, a forgotten one is a compile error.
class JsonWriter {
 public:
  void operator()(const char* key, const auto& value) { json_[key] = convert(value); }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) json_[key] = convert(*value);
  }
  void operator()(const char* key, const auto& value, const auto&) { (*this)(key, value); }

  template <class T>
  static nlohmann::json convert(const T& value) {
    if constexpr (std::floating_point<T>) {
      return number_to_json(value);
    } else if constexpr (requires { nlohmann::json(value); }) {
      return nlohmann::json(value);
    } else {
      JsonWriter writer;
      fields(writer, const_cast<T&>(value));  // `fields` takes a reference because it also serves readers
      return std::move(writer.json_);
    }
  }
  template <class T>
  requires requires(JsonWriter& f, T& t) { fields(f, t); }
  static nlohmann::json convert(const std::vector<T>& values) {
    nlohmann::json result = nlohmann::json::array();
    for (const T& value : values) result.push_back(convert(value));
    return result;
  }

 private:
  nlohmann::json json_ = nlohmann::json::object();
};

/// What to do if a key is missing and its field is not an optional: throw an exception, or leave the member as it is.
enum class MissingKey : std::uint8_t { rejected, ignored };

class JsonReader {
 public:
  /// Throws ContractError if `json` is not an object.
  explicit JsonReader(const nlohmann::json& json, MissingKey missing = MissingKey::rejected)
      : json_(json), missing_(missing) {
    if (!json.is_object()) throw ContractError(fmt::format("an object was expected, but found: {}", json.type_name()));
  }

  void operator()(const char* key, auto& value) {
    if (missing_ == MissingKey::rejected || json_.contains(key)) read(json_.at(key), value);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    value.reset();
    if (json_.contains(key)) read(json_.at(key), value.emplace());
  }
  void operator()(const char* key, auto& value, const auto&) { (*this)(key, value); }

 private:
  template <class T>
  void read(const nlohmann::json& json, T& value) {
    if constexpr (std::floating_point<T>) {
      value = number_from_json(json);
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      value = integer_from_json<T>(json);
    } else if constexpr (requires(JsonReader & f) { fields(f, value); }) {
      JsonReader reader(json, missing_);
      fields(reader, value);
    } else {
      json.get_to(value);
    }
  }
  template <std::integral T>
  void read(const nlohmann::json& json, std::map<std::string, T>& numbers) {
    numbers.clear();
    for (const auto& [key, value] : json.get_ref<const nlohmann::json::object_t&>())
      numbers[key] = integer_from_json<T>(value);
  }
  template <class T>
  requires requires(JsonReader& f, T& t) { fields(f, t); }
  void read(const nlohmann::json& json, std::vector<T>& values) {
    values.assign(json.size(), T{});
    for (std::size_t i = 0; i < json.size(); ++i) read(json.at(i), values[i]);
  }

  const nlohmann::json& json_;
  MissingKey missing_;
};

nlohmann::json fields_to_json(const auto& value) {
  return JsonWriter::convert(value);
}

template <class T>
T fields_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::rejected) {
  T value;
  JsonReader reader(json, missing);
  fields(reader, value);
  return value;
}

}  // namespace ddlbench::bench
