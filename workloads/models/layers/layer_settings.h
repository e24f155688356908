#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "json/node.h"
#include "json/problem.h"

namespace ddlbench::workloads {

/// The value of a parameter, and whether anything has used it.
struct Parameter {
  json::Node value;
  bool* used = nullptr;  ///< set to true when a value refers to it; null: not tracked
};

/// Parameters by name: "$channels" is replaced by the value of `channels`.
using Parameters = std::map<std::string, Parameter>;

/// A value of a document and its JSON pointer, for error messages.
struct Place {
  const json::Node& node;
  std::string pointer;
};

/// Checks values of a model's file; all errors name the file and the place. Throws InputError.
class Document {
 public:
  explicit Document(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  [[noreturn]] void fail(json::Location at, const std::string& pointer, const std::string& what) const;
  [[noreturn]] void fail(const Place& place, const std::string& what) const {
    fail(place.node.at, place.pointer, what);
  }

  /// Throws unless the value is an object whose keys are all among `known`.
  void require_object(const Place& place, const std::vector<std::string>& known) const;
  const std::string& text(const Place& place) const;
  std::int64_t integer(const Place& place, std::int64_t least, std::int64_t most) const;
  /// Returns the value, or the parameter that it refers to, with the location of the reference.
  json::Node substituted(const Place& place, const Parameters& parameters) const;

 private:
  std::string file_;
};

/// Returns the settings of a layer: the members of `layer` except those in `besides`, with parameters replaced and
/// defaults filled in. Throws InputError where one is unknown, missing, of another type or out of bounds.
OptionValues layer_settings(const Document& document, const Place& layer, const std::string& kind,
                            const std::vector<Option>& options, const std::vector<std::string>& besides,
                            const Parameters& parameters);

}  // namespace ddlbench::workloads
