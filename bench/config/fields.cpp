#include "bench/config/fields.h"

#include <limits>

#include "bench/records/record.h"

namespace ddlbench::bench {
namespace {

using Type = Field::Type;

constexpr double most_ranks = 4096;

Field field(std::string name, Type type, std::string help) {
  Field made;
  made.name = std::move(name);
  made.type = type;
  made.help = std::move(help);
  return made;
}

Field required(Field made) {
  made.required = true;
  return made;
}

Field sweep(Field made) {
  made.sweep = true;
  return made;
}

Field with_default(Field made, graph::OptionValue value) {
  made.default_value = std::move(value);
  return made;
}

Field integer(std::string name, Range range, std::string help) {
  Field made = field(std::move(name), Type::integer, std::move(help));
  made.range = range;
  return made;
}

Field number(std::string name, Range range, std::string help) {
  Field made = field(std::move(name), Type::number, std::move(help));
  made.range = range;
  return made;
}

Field text(std::string name, std::vector<std::string> choices, std::string help) {
  Field made = field(std::move(name), Type::text, std::move(help));
  made.choices = std::move(choices);
  return made;
}

Field section(std::string name, std::string help, std::vector<Field> fields) {
  Field made = field(std::move(name), Type::section, std::move(help));
  made.fields = std::move(fields);
  return made;
}

Field choice(std::string name, Type type, std::string noun, std::vector<Kind> kinds, std::string help) {
  Field made = field(std::move(name), type, std::move(help));
  made.noun = std::move(noun);
  made.kinds = std::move(kinds);
  return made;
}

Field from_option(const graph::Option& option) {
  constexpr Type types[] = {Type::boolean, Type::integer, Type::number, Type::text, Type::axes};
  Field made = field(option.name, types[option.default_value.index()], option.help);
  made.default_value = option.default_value;
  made.choices = option.choices;
  const bool is_number = made.type == Type::integer || made.type == Type::number;
  if (is_number && option.minimum > std::numeric_limits<double>::lowest()) made.range.minimum = option.minimum;
  if (is_number && option.maximum < std::numeric_limits<double>::max()) made.range.maximum = option.maximum;
  if (made.type == Type::axes) made.range = {1, most_ranks};
  return made;
}

template <class Entry>
std::vector<Kind> kinds_of(const std::vector<Entry>& entries) {
  std::vector<Kind> kinds;
  for (const auto& entry : entries) {
    Kind kind{entry.name, entry.help, {}};
    for (const auto& option : entry.options) kind.fields.push_back(from_option(option));
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string> device_names(const Registries& registries) {
  std::vector<std::string> names = names_of(registries.devices);
  names.emplace_back("auto");
  return names;
}

std::vector<std::string> expectable() {
  std::vector<std::string> names;
  for (const Status status : {Status::ok, Status::failed, Status::crashed, Status::out_of_memory, Status::timed_out,
                              Status::non_finite, Status::lost_rank, Status::bad_data, Status::unsupported}) {
    names.emplace_back(name(status));
  }
  return names;
}

std::vector<Kind> strategies_of(const Registries& registries) {
  auto kinds = kinds_of(registries.strategies);
  for (auto& kind : kinds) {
    kind.fields.push_back(
        sweep(integer("ranks", {1, most_ranks}, "Numbers of ranks for this strategy, in place of `devices.ranks`.")));
    kind.fields.push_back(with_default(text("expect", expectable(), "The status that counts as success."), "ok"));
  }
  return kinds;
}

std::vector<Kind> optimizers() {
  const Field learning_rate = required(number("learning_rate", {0, {}, true}, "Step size."));
  const Field weight_decay = with_default(number("weight_decay", {0}, "Added to the gradient, times the weight."), 0.0);
  const Range fraction{0, 0.999999};  // a float tells it from 1
  return {
      {"sgd",
       "Stochastic gradient descent, with momentum if wanted.",
       {learning_rate, with_default(number("momentum", fraction, "Share of the last update that is kept."), 0.0),
        weight_decay}},
      {"adam",
       "Adam, both moments corrected for their start.",
       {learning_rate, with_default(number("beta1", fraction, "Decay of the mean of gradients."), 0.9),
        with_default(number("beta2", fraction, "Decay of the mean of their squares."), 0.999),
        with_default(number("epsilon", {0, {}, true}, "Added to the root of the second moment."), 1e-8), weight_decay}},
  };
}

}  // namespace

Field experiment_fields(const Registries& registries) {
  constexpr double most_steps = 1e6;
  Field name =
      required(field("name", Type::text, "What the experiment is called; its results lie in a folder of this name."));
  name.file_name = true;

  return section(
      "", "An experiment.",
      {
          field("$schema", Type::text, "The schema, for editors; ddlbench does not read it."),
          name,
          section(
              "workload", "What is trained.",
              {
                  required(choice("model", Type::kind, "model", kinds_of(registries.models), "The network.")),
                  required(choice("dataset", Type::kind, "data set", kinds_of(registries.datasets), "The samples.")),
                  required(sweep(integer("global_batch", {1, 1 << 24}, "Samples of one step, over all ranks."))),
              }),
          section(
              "training", "How it is trained; the same for every strategy.",
              {
                  with_default(integer("epochs", {1, 100000}, "Passes over the training samples."), std::int64_t{1}),
                  with_default(sweep(integer("seed", {0, 9007199254740991.0},
                                             "Of initial weights and of the order of samples.")),
                               std::int64_t{1}),
                  with_default(text("precision", {"fp32", "tf32"},
                                    "Type of weights, activations and gradients; `tf32`: fp32, but a GPU rounds the "
                                    "factors of products to 10 bits."),
                               "fp32"),
                  required(choice("optimizer", Type::kind, "optimizer", optimizers(), "How gradients change weights.")),
                  section("target", "What a validation is to reach; where both are given, both. Nothing stops there.",
                          {
                              number("loss", {0, {}, true}, "Reached by a validation loss of at most this."),
                              number("accuracy", {0, 1, true},
                                     "Reached when at least this share of the validation samples is right."),
                          }),
              }),
          section(
              "devices", "On what it is trained.",
              {
                  with_default(text("kind", device_names(registries),
                                    "What computes; `auto`: GPUs where there are some, else the cpu."),
                               "cpu"),
                  with_default(text("transport", names_of(registries.carriers), "What carries messages between ranks."),
                               "threads"),
                  with_default(text("collectives", {"auto", "ring", "recursive_doubling", "native"},
                                    "How sums and gatherings over ranks are made; `native`: by the transport's "
                                    "own; `auto`: each as it is timed best before the case."),
                               "auto"),
                  section("throttle", "Makes each rank's link to the others slower than it is.",
                          {
                              with_default(number("latency_seconds", {0, 60}, "Added to each message."), 0.0),
                              with_default(number("bytes_per_second", {0, 1e15},
                                                  "At which a rank's messages pass one after another; 0: no limit."),
                                           0.0),
                          }),
                  required(sweep(
                      integer("ranks", {1, most_ranks}, "Numbers of ranks; `single` takes one, a mesh its own."))),
                  with_default(integer("threads_per_rank", {0, 4096},
                                       "Threads of each rank; 0: cores / ranks, at least one; "
                                       "of a rank on a GPU 1."),
                               std::int64_t{0}),
                  integer(
                      "memory_bytes", {1, 9007199254740991.0},
                      "Memory that a rank may use; not set: what its machine or its GPU has, for all of its ranks."),
              }),
          required(choice("strategies", Type::kinds, "strategy", strategies_of(registries),
                          "The ways of parallelising that are compared.")),
          section(
              "measure", "How times and certificates are taken.",
              {
                  with_default(integer("warmup_steps", {0, most_steps}, "Steps before the clock starts."),
                               std::int64_t{3}),
                  with_default(integer("steps", {1, most_steps}, "Timed steps of each repetition."), std::int64_t{20}),
                  with_default(
                      integer(
                          "repetitions", {1, 1000},
                          "How often the timed steps are repeated; the interval of `step_seconds` is over all steps."),
                      std::int64_t{3}),
                  with_default(
                      integer("verify_steps", {0, 10000}, "Steps held against one rank for the certificate; 0: none."),
                      std::int64_t{5}),
                  with_default(number("timeout_seconds", {0, 86400, true},
                                      "Time without any progress after which a case is ended."),
                               60.0),
              }),
      });
}

}  // namespace ddlbench::bench
