#include "workloads/models/layers/graph_file.h"

#include "json/pointer.h"
#include "json/read.h"
#include "json/read_file.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 32;

const json::Member& member_of(const Document& document, const Place& place, const std::string& key,
                              const std::string& what) {
  const json::Member* member = place.node.find(key);
  if (member == nullptr) document.fail(place.node.at, json::child(place.pointer, key), "missing: expected " + what);
  return *member;
}

/// Parses {"type": "f32", "shape": [3, 32, 32], "classes": 10}.
SampleShape sample_of(const Document& document, const Place& place) {
  document.require_object(place, {"type", "shape", "classes"});
  SampleShape sample;
  const json::Member& shape = member_of(document, place, "shape", "the sizes of one sample");
  const std::string pointer = json::child(place.pointer, "shape");
  if (shape.value.kind != json::Node::Kind::list || shape.value.elements.empty()) {
    document.fail(shape.value.at, pointer, "expected a list of the sizes of one sample");
  }
  for (std::size_t i = 0; i < shape.value.elements.size(); ++i) {
    sample.sample.shape.push_back(document.integer({shape.value.elements[i], json::child(pointer, i)}, 1, largest));
  }
  const json::Member& classes = member_of(document, place, "classes", "the number of classes, or of tokens");
  sample.classes =
      static_cast<int>(document.integer({classes.value, json::child(place.pointer, "classes")}, 1, 1 << 24));
  if (const json::Member* type = place.node.find("type")) {
    const Place at{type->value, json::child(place.pointer, "type")};
    const std::string& name = document.text(at);
    if (name != "f32" && name != "i32") document.fail(at, "expected \"f32\", or \"i32\" for text");
    if (name == "i32") {
      sample.sample.dtype = graph::DType::i32;
      sample.label = sample.sample.shape;
    }
  }
  return sample;
}

}  // namespace

std::string read_graph_text(const std::string& file) {
  if (file.empty()) throw InputError("a JSON model needs its file: set `file` to its path");
  return json::read_file(file, Pipes::rejected);
}

GraphFile parse_graph(const std::string& text, const std::string& file) {
  std::vector<json::Problem> problems;
  auto root = json::read(text, problems);
  if (!problems.empty()) throw InputError(json::to_string(json::sorted(problems), file, "; "));
  GraphFile parsed{Document(file), std::move(*root), "", {}};
  const Document& document = parsed.document;
  const Place top{parsed.root, ""};
  document.require_object(top, {"name", "description", "sample", "parameters", "blocks", "layers"});
  parsed.name = document.text({member_of(document, top, "name", "the model's name").value, "/name"});
  if (const json::Member* description = parsed.root.find("description")) {
    document.text({description->value, "/description"});
  }
  parsed.default_sample = sample_of(
      document, {member_of(document, top, "sample", "the sample that the model is made for").value, "/sample"});
  const json::Member& layers = member_of(document, top, "layers", "a list of layers");
  if (layers.value.kind != json::Node::Kind::list || layers.value.elements.empty()) {
    document.fail(layers.value.at, "/layers", "expected a list of layers");
  }
  return parsed;
}

}  // namespace ddlbench::workloads
