#include "runtime/checkpoint/header_reader.h"

#include <fmt/core.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "json/parse.h"

namespace ddlbench::runtime {
namespace {

using Json = nlohmann::json;

/// A SAX handler for the header. It never holds anything deeper than, or different from, what the format allows, and it
/// detects duplicate names.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}
  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_float(double, const std::string& text) override { return unexpected("the number " + text); }
  bool binary(Json::binary_t&) override { return unexpected("binary data"); }

  bool number_integer(std::int64_t value) override { return unexpected(fmt::format("the number {}", value)); }

  bool number_unsigned(std::uint64_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) return unexpected(fmt::format("the number {}", value));
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return unexpected(fmt::format("the number {}", value));
    const auto number = static_cast<std::int64_t>(value);
    if (place_ == Place::shape) {
      tensor().shape.push_back(number);
    } else {
      if (offsets_ == 2) return unexpected("a third number");
      (offsets_++ == 0 ? tensor().begin : tensor().end) = number;
    }
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::metadata) {
      header_.metadata[field_] = std::move(text);
    } else if (place_ == Place::tensor && field_ == "dtype") {
      tensor().dtype = std::move(text);
    } else {
      return unexpected("the text " + shown(text));
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top) {
      place_ = name_ == "__metadata__" ? Place::metadata : Place::tensor;
      if (place_ == Place::tensor) header_.tensors.emplace_back().name = name_;
      fields_.clear();
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(std::string& text) override {
    if (place_ == Place::top) {
      if (!names_.insert(text).second)
        throw InputError(fmt::format("{}: {} occurs twice in the header", file_, shown(text)));
      name_ = std::move(text);
      return true;
    }
    field_ = std::move(text);
    if (!fields_.insert(field_).second) reject(shown(field_) + " occurs twice");
    const bool known = field_ == "dtype" || field_ == "shape" || field_ == "data_offsets";
    if (place_ == Place::tensor && !known) reject("has the unknown key " + shown(field_));
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) {
      for (const char* field : {"dtype", "shape", "data_offsets"}) {
        if (fields_.count(field) == 0) reject(std::string("has no ") + field);
      }
    }
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") return unexpected("a list");
    place_ = field_ == "shape" ? Place::shape : Place::offsets;
    offsets_ = 0;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets && offsets_ != 2) reject("has data_offsets that are not two numbers");
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    throw InputError(fmt::format("{}: its header is not JSON: error at byte {} of the header", file_, at));
  }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets };

  StoredTensor& tensor() { return header_.tensors.back(); }

  [[noreturn]] void reject(const std::string& what) const {
    const bool in_metadata = place_ == Place::metadata || name_ == "__metadata__";
    throw InputError(
        fmt::format("{}: {}{}", file_, in_metadata ? "the metadata: " : "tensor " + shown(name_) + " ", what));
  }

  /// Throws. The return type is what the parser requires.
  bool unexpected(const std::string& what) const {
    switch (place_) {
      case Place::outside:
        throw InputError(fmt::format("{}: its header is {}, not an object", file_, what));
      case Place::top:
        throw InputError(fmt::format("{}: {} is {}, not an object", file_, shown(name_), what));
      case Place::metadata:
        reject(fmt::format("{} is {}, not a string", shown(field_), what));
      default:
        reject(fmt::format("has {} for its {}", what, field_));
    }
  }

  std::string file_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::string name_, field_;      ///< tensor and key to which the next value belongs
  std::set<std::string> names_;   ///< seen so far in the header
  std::set<std::string> fields_;  ///< seen so far in this object
  int offsets_ = 0;
};

}  // namespace

SafetensorsHeader read_header(std::string_view text, const std::string& file) {
  if (text.empty() || text.front() != '{') throw InputError(file + ": its header does not begin with '{'");
  if (const auto nul = json::find_nul(text)) {
    throw InputError(fmt::format("{}: its header is not JSON: line {}, column {}: {}", file, nul->line, nul->column,
                                 json::nul_byte_error));
  }
  HeaderReader reader(file);
  Json::sax_parse(text.begin(), text.end(), &reader);
  return reader.take();
}

std::string shown(const std::string& name) {
  constexpr std::size_t longest = 120;
  std::size_t end = std::min(name.size(), longest);
  while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) ++end;  // whole characters
  return Json(name.substr(0, end) + (end < name.size() ? "…" : ""))
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ddlbench::runtime
