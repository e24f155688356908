#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "json/node.h"
#include "json/problem.h"

namespace ddlbench::workloads {

/// What a name stands for, and whether anything named it.
struct Parameter {
  json::Node value;
  bool* used = nullptr;  ///< becomes true when a value names it; null: nobody asks
};

/// Names that stand for values: "$channels" is the value of `channels`.
using Parameters = std::map<std::string, Parameter>;

/// A value of a document and where it lies, as errors name it.
struct Place {
  const json::Node& node;
  std::string pointer;
};

/// A model's file, for errors.
class Document {
 public:
  explicit Document(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  [[noreturn]] void fail(json::Location at, const std::string& pointer, const std::string& what) const;
  [[noreturn]] void fail(const Place& place, const std::string& what) const {
    fail(place.node.at, place.pointer, what);
  }

  /// An object whose keys are all among `known`.
  void require_object(const Place& place, const std::vector<std::string>& known) const;
  const std::string& text(const Place& place) const;
  std::int64_t integer(const Place& place, std::int64_t least, std::int64_t most) const;
  /// The value itself, or the parameter that it names, where it is written.
  json::Node substituted(const Place& place, const Parameters& parameters) const;

 private:
  std::string file_;
};

/// The settings of a layer: the members of `layer` but those named in `besides`, parameters replaced, defaults filled
/// in. Throws InputError where one is unknown, missing, of another type or out of bounds.
OptionValues layer_settings(const Document& document, const Place& layer, const std::string& kind,
                            const std::vector<Option>& options, const std::vector<std::string>& besides,
                            const Parameters& parameters);

}  // namespace ddlbench::workloads
