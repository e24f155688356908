#include <fmt/core.h>
#include <algorithm>
#include <optional>

#include "json/pointer.h"
#include "json/suggest.h"
#include "workloads/models/layers/graph_file.h"
#include "workloads/models/layers/layer_kind.h"
#include "workloads/models/layers/layer_names.h"

namespace ddlbench::workloads {
namespace {

using graph::TensorId;
using json::Node;

constexpr std::int64_t most_repeats = 10000;
constexpr std::size_t deepest_blocks = 64;
// Each layer's full name consists of the names of all blocks around it, and each use of a block copies the parameters.
constexpr std::size_t longest_name = 100;
constexpr std::size_t most_parameters = 1000;

/// A layer and its place in the file, for error messages.
struct Layer {
  Place place;
  std::string name;       ///< within its list
  std::string full_name;  ///< within the model
};

/// The names that the layers of one list can refer to.
struct Scope {
  struct Value {
    TensorId tensor;
    json::Location at;
    bool used;
  };
  const Node& list;
  std::string pointer;
  std::string prefix;
  const Parameters& parameters;
  std::vector<std::string> names;  ///< of the layers of the list
  std::map<std::string, Value> values;
  std::string last;
};

class GraphBuilder {
 public:
  GraphBuilder(const GraphFile& file, const ModelRequest& request)
      : file_(file), document_(file.document), request_(request), net_(file.name, request) {}

  graph::Graph build() && {
    const Node& layers = file_.root.find("layers")->value;
    Parameters parameters = parameters_of_model();
    Node classes;
    classes.kind = Node::Kind::integer;
    classes.integer = request_.shape.classes;
    classes.number = classes.integer;
    parameters.emplace("classes", Parameter{classes});
    const TensorId logits = add_list(layers, "/layers", "", parameters, net_.input());
    require_all_used();
    const std::int64_t width = net_.type_of(logits).shape.back();
    const Place last{layers.elements.back(), json::child("/layers", layers.elements.size() - 1)};
    if (width < request_.shape.classes) {
      document_.fail(
          last,
          fmt::format("the last layer has {} outputs for each label, but there are {} classes: set it to \"$classes\"",
                      width, request_.shape.classes));
    }
    try {
      return std::move(net_).finish(logits);
    } catch (const InputError& error) {
      document_.fail(last, error.what());
    }
  }

 private:
  /// A declared parameter or block, and whether a layer uses it.
  struct Declared {
    json::Location at;
    std::string what;
    bool used = false;
  };

  void require_short(const std::string& name, json::Location at, const std::string& pointer) const {
    if (name.size() > longest_name)
      document_.fail(at, pointer, fmt::format("is longer than the {} bytes that a name may have", longest_name));
  }

  const std::string& name_at(const Place& place) const {
    const std::string& name = document_.text(place);
    require_short(name, place.node.at, place.pointer);
    return name;
  }

  /// Rejects a value of a parameter that no setting of a layer can have.
  void require_scalar(const Place& place) const {
    if (place.node.kind == Node::Kind::list || place.node.kind == Node::Kind::object)
      document_.fail(place, "expected a number, a string, true or false");
    if (place.node.kind == Node::Kind::text) name_at(place);
  }

  void require_few(const Parameters& parameters, const Place& place) const {
    if (parameters.size() > most_parameters) {
      document_.fail(place, fmt::format("there are {} parameters here, more than the {} that there may be",
                                        parameters.size(), most_parameters));
    }
  }

  Declared& declare(const std::string& pointer, json::Location at, std::string what) {
    return declared_.try_emplace(pointer, Declared{at, std::move(what)}).first->second;
  }

  /// Rejects declarations that no layer uses: they are mistakes.
  void require_all_used() {
    if (const json::Member* blocks = file_.root.find("blocks")) {
      for (const json::Member& block : blocks->value.members)
        declare(json::child("/blocks", block.key), block.at, "no layer uses the block \"" + block.key + "\"");
    }
    for (const auto& [pointer, declared] : declared_) {
      if (!declared.used) document_.fail(declared.at, pointer, declared.what + ": use it, or remove it");
    }
  }

  Parameters parameters_of_model() {
    Parameters parameters;
    const json::Member* written = file_.root.find("parameters");
    if (written == nullptr) return parameters;
    if (written->value.kind != Node::Kind::object) {
      document_.fail(written->value.at, "/parameters", "expected an object of names and values");
    }
    for (const json::Member& member : written->value.members) {
      if (member.key == "classes") {
        document_.fail(member.at, "/parameters/classes",
                       "\"$classes\" is already defined: the data set's number of classes");
      }
      const std::string pointer = json::child("/parameters", member.key);
      require_short(member.key, member.at, pointer);
      require_scalar({member.value, pointer});
      Declared& declared = declare(pointer, member.at, "no layer uses the parameter \"$" + member.key + "\"");
      parameters.emplace(member.key, Parameter{member.value, &declared.used});
    }
    require_few(parameters, {written->value, "/parameters"});
    return parameters;
  }

  /// Adds the layers of one list in order; returns the output of the last one.
  TensorId add_list(const Node& list, const std::string& pointer, const std::string& prefix,
                    const Parameters& parameters, TensorId input) {
    Scope scope{list, pointer, prefix, parameters, layer_names(list), {}, block_input};
    scope.values[block_input] = {input, list.at, true};
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
      const Place place{list.elements[i], json::child(pointer, i)};
      if (place.node.kind != Node::Kind::object) document_.fail(place, "expected a layer, which is an object");
      place.node.find("block") != nullptr ? add_blocks(scope, place, i) : add_layer(scope, place, i);
    }
    for (const auto& [name, value] : scope.values) {
      if (value.used || name == scope.last) continue;
      document_.fail(value.at, pointer, "nothing reads the output of the layer \"" + name + "\"");
    }
    return scope.values.at(scope.last).tensor;
  }

  void add_layer(Scope& scope, const Place& place, std::size_t index) {
    const json::Member* named = place.node.find("kind");
    if (named == nullptr) {
      document_.fail(place.node.at, json::child(place.pointer, "kind"),
                     "missing: a layer has a \"kind\", or the \"block\" that it repeats");
    }
    const Place kind_place{named->value, json::child(place.pointer, "kind")};
    const LayerKind& kind = kind_of(kind_place);
    const Layer layer = layer_of(scope, place, index);
    const std::vector<TensorId> inputs = inputs_of(scope, place);
    const auto count = static_cast<int>(inputs.size());
    if (count < kind.min_inputs || count > kind.max_inputs) {
      std::string wanted = std::to_string(kind.min_inputs);
      if (kind.max_inputs != kind.min_inputs) wanted += fmt::format(" or {}", kind.max_inputs);
      document_.fail(place, fmt::format("{}: {} takes {} inputs, but has {}: list them in \"inputs\"", layer.full_name,
                                        kind.name, wanted, count));
    }
    const OptionValues settings =
        layer_settings(document_, place, kind.name, kind.options, {"kind", "name", "inputs"}, scope.parameters);
    require_start(place, layer, settings);
    count_layer(place);
    try {
      define(scope, layer, kind.add(net_, layer.full_name, inputs, settings));
    } catch (const InputError& error) {
      document_.fail(place, fmt::format("{} is invalid: {}", layer.full_name, error.what()));
    }
  }

  void require_start(const Place& place, const Layer& layer, const OptionValues& settings) const {
    const auto start = settings.find("start");
    const json::Member* deviation = place.node.find("deviation");
    if (start == settings.end() || deviation == nullptr || std::get<std::string>(start->second) == "normal") return;
    document_.fail(deviation->at, json::child(place.pointer, "deviation"),
                   layer.full_name + ": applies only to a weight with \"start\": \"normal\"");
  }

  /// Counts one layer, or one repetition of a block. Rejects the model where there are too many.
  void count_layer(const Place& place) {
    if (++counted_ > max_layers) {
      document_.fail(
          place, fmt::format("the model has more than the {} layers and blocks that it may have; use fewer repetitions",
                             max_layers));
    }
  }

  void add_blocks(Scope& scope, const Place& place, std::size_t index) {
    document_.require_object(place, {"block", "name", "inputs", "with", "repeat", "first"});
    const Place block_place{place.node.find("block")->value, json::child(place.pointer, "block")};
    const std::string& block = name_at(block_place);
    const Node& definition = block_named(block, block_place);
    const std::string pointer = json::child("/blocks", block);
    const Parameters parameters = parameters_of_block(definition, pointer, place, scope.parameters);
    const json::Member* repeat = place.node.find("repeat");
    if (const json::Member* first = place.node.find("first"); first != nullptr && repeat == nullptr)
      document_.fail(first->at, json::child(place.pointer, "first"), "applies only to a block with \"repeat\"");
    const Layer layer = layer_of(scope, place, index);
    const std::vector<TensorId> inputs = inputs_of(scope, place);
    if (inputs.size() != 1) document_.fail(place, layer.full_name + ": a block takes one input");
    const std::int64_t first = bounded(place, "first", 0, 0, scope.parameters);
    const std::int64_t times = bounded(place, "repeat", 1, 1, scope.parameters);

    open_.push_back(block);
    TensorId x = inputs[0];
    for (std::int64_t i = 0; i < times; ++i) {
      count_layer(place);
      const std::string number = repeat != nullptr ? fmt::format(".{}", first + i) : "";
      x = add_list(definition.find("layers")->value, json::child(pointer, "layers"),
                   fmt::format("{}{}.", layer.full_name, number), parameters, x);
    }
    open_.pop_back();
    define(scope, layer, x);
  }

  std::int64_t bounded(const Place& place, const std::string& key, std::int64_t otherwise, std::int64_t least,
                       const Parameters& parameters) const {
    const json::Member* member = place.node.find(key);
    if (member == nullptr) return otherwise;
    const std::string pointer = json::child(place.pointer, key);
    const Node value = document_.substituted({member->value, pointer}, parameters);
    return document_.integer({value, pointer}, least, most_repeats);
  }

  const LayerKind& kind_of(const Place& place) const {
    const std::string& wanted = document_.text(place);
    std::vector<std::string> names;
    for (const LayerKind& kind : layer_kinds()) {
      if (kind.name == wanted) return kind;
      names.push_back(kind.name);
    }
    if (wanted == "relu") {
      document_.fail(place, "is not a layer: set \"activation\": \"relu\" in the layer before it");
    }
    document_.fail(
        place, fmt::format("unknown kind of layer \"{}\" {}", wanted, json::suggestion(wanted, names, "available")));
  }

  const Node& block_named(const std::string& name, const Place& place) {
    const json::Member* blocks = file_.root.find("blocks");
    const json::Member* found = blocks != nullptr ? blocks->value.find(name) : nullptr;
    if (found == nullptr) {
      std::vector<std::string> names;
      if (blocks != nullptr) {
        for (const json::Member& member : blocks->value.members) names.push_back(member.key);
      }
      document_.fail(place, fmt::format("unknown block \"{}\" {}", name, json::suggestion(name, names, "available")));
    }
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
      document_.fail(place, "the block \"" + name + "\" contains itself");
    }
    if (open_.size() == deepest_blocks)
      document_.fail(place, fmt::format("blocks are nested deeper than {} levels", deepest_blocks));
    const std::string pointer = json::child("/blocks", name);
    document_.require_object({found->value, pointer}, {"parameters", "layers"});
    const json::Member* layers = found->value.find("layers");
    if (layers == nullptr || layers->value.kind != Node::Kind::list || layers->value.elements.empty()) {
      document_.fail(found->value.at, json::child(pointer, "layers"), "expected a list of layers");
    }
    declare(pointer, found->at, "").used = true;
    return found->value;
  }

  /// Returns the model's parameters and those of the block, whose values the layer's "with" gives.
  Parameters parameters_of_block(const Node& definition, const std::string& pointer, const Place& use,
                                 const Parameters& outer) {
    Parameters parameters = outer;
    std::vector<std::string> names;
    if (const json::Member* list = definition.find("parameters")) {
      if (list->value.kind != Node::Kind::list) {
        document_.fail(list->value.at, pointer + "/parameters", "expected a list of names");
      }
      for (std::size_t i = 0; i < list->value.elements.size(); ++i) {
        names.push_back(name_at({list->value.elements[i], json::child(pointer + "/parameters", i)}));
      }
    }
    static const Node nothing = [] {
      Node empty;
      empty.kind = Node::Kind::object;
      return empty;
    }();
    const json::Member* given = use.node.find("with");
    const Place with{given != nullptr ? given->value : nothing, json::child(use.pointer, "with")};
    document_.require_object(with, names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const json::Member* member = with.node.find(name);
      if (member == nullptr) {
        document_.fail(use.node.at, json::child(with.pointer, name),
                       "missing: the block needs a value for this parameter");
      }
      require_scalar({member->value, json::child(with.pointer, name)});
      Declared& declared =
          declare(json::child(pointer + "/parameters", i), definition.find("parameters")->value.elements[i].at,
                  "no layer of the block uses the parameter \"$" + name + "\"");
      parameters[name] = {document_.substituted({member->value, json::child(with.pointer, name)}, outer),
                          &declared.used};
    }
    require_few(parameters, use);
    return parameters;
  }

  /// Returns the layer with its name: the written one, or else one that layer_names() made.
  Layer layer_of(const Scope& scope, const Place& place, std::size_t index) const {
    const json::Member* written = place.node.find("name");
    const std::string name =
        written != nullptr ? name_at({written->value, json::child(place.pointer, "name")}) : scope.names.at(index);
    const auto taken = scope.values.find(name);
    if (taken != scope.values.end()) {
      document_.fail(place,
                     fmt::format("the name \"{}\" is taken {}: set another one with \"name\"", name,
                                 name == block_input ? "by the input"
                                                     : fmt::format("by the layer of line {}", taken->second.at.line)));
    }
    return {place, name, scope.prefix + name};
  }

  static void define(Scope& scope, const Layer& layer, TensorId output) {
    scope.values[layer.name] = {output, layer.place.node.at, false};
    scope.last = layer.name;
  }

  std::vector<TensorId> inputs_of(Scope& scope, const Place& place) const {
    const json::Member* written = place.node.find("inputs");
    if (written == nullptr) return {use(scope, scope.last)};
    const std::string pointer = json::child(place.pointer, "inputs");
    if (written->value.kind != Node::Kind::list) return {input_named(scope, {written->value, pointer})};
    std::vector<TensorId> inputs;
    for (std::size_t i = 0; i < written->value.elements.size(); ++i) {
      inputs.push_back(input_named(scope, {written->value.elements[i], json::child(pointer, i)}));
    }
    return inputs;
  }

  static TensorId use(Scope& scope, const std::string& name) {
    Scope::Value& value = scope.values.at(name);
    value.used = true;
    return value.tensor;
  }

  TensorId input_named(Scope& scope, const Place& place) const {
    const std::string& name = document_.text(place);
    if (scope.values.contains(name)) return use(scope, name);
    const auto later = std::find(scope.names.begin(), scope.names.end(), name);
    if (later != scope.names.end()) {
      const Node& layer = scope.list.elements[static_cast<std::size_t>(later - scope.names.begin())];
      document_.fail(
          place,
          fmt::format("the layer \"{}\" comes later, in line {}: inputs must come before the layers that read them",
                      name, layer.at.line));
    }
    std::vector<std::string> names;
    for (const auto& [known, value] : scope.values) names.push_back(known);
    document_.fail(place, fmt::format("unknown layer \"{}\" {}", name, json::suggestion(name, names, "known")));
  }

  const GraphFile& file_;
  const Document& document_;
  const ModelRequest& request_;
  Builder net_;
  std::size_t counted_ = 0;
  std::vector<std::string> open_;                  ///< blocks that are being expanded, outermost first
  std::map<std::string, Declared> declared_ = {};  ///< by JSON pointer
};

}  // namespace

graph::Graph build_graph(const GraphFile& file, const ModelRequest& request) {
  return GraphBuilder(file, request).build();
}

}  // namespace ddlbench::workloads
