#include "bench/config/fields.h"

#include <limits>

#include "bench/records/record.h"
#include "graph/ops/loss_scale.h"

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

Field boolean(std::string name, std::string help) {
  return field(std::move(name), Type::boolean, std::move(help));
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

template <class Entry>
std::vector<Kind> kinds_of(const std::vector<Entry>& entries);

Field from_option(const graph::Option& option) {
  constexpr Type types[] = {Type::boolean, Type::integer,  Type::number, Type::text,
                            Type::axes,    Type::integers, Type::texts,  Type::kind};
  Field made = field(option.name, types[option.default_value.index()], option.help);
  made.default_value = option.default_value;
  made.choices = option.choices;
  made.may_be_empty = true;  // of what it is an option knows whether that has a meaning
  const bool is_number = made.type == Type::integer || made.type == Type::number || made.type == Type::integers;
  if (is_number && option.minimum > std::numeric_limits<double>::lowest()) made.range.minimum = option.minimum;
  if (is_number && option.maximum < std::numeric_limits<double>::max()) made.range.maximum = option.maximum;
  if (made.type == Type::axes) made.range = {1, most_ranks};
  if (const auto* nested = std::get_if<graph::Nested>(&option.default_value)) {
    made.noun = option.name;
    made.kinds = kinds_of(option.kinds);
    made.default_value = nested->front().kind;
  }
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
    const Field common[] = {
        sweep(integer("ranks", {1, most_ranks}, "Numbers of ranks for this strategy, in place of `devices.ranks`.")),
        with_default(text("expect", expectable(), "The status that counts as success."), "ok")};
    for (const Field& one : common) kind.fields.emplace_back(one).common = true;
  }
  return kinds;
}

Field flag(std::string name, bool value, std::string help) {
  return with_default(field(std::move(name), Type::boolean, std::move(help)), value);
}

constexpr Range fraction{0, 0.999999};  // a float tells it from 1

Field learning_rate() {
  return required(number("learning_rate", {0, {}, true}, "Step size, before its schedule."));
}

Field weight_decay(double value, std::string help) {
  return with_default(number("weight_decay", {0}, std::move(help)), value);
}

Field momentum(double value) {
  return with_default(number("momentum", fraction, "Share of the last update that is kept."), value);
}

Field exempt_vectors(bool value) {
  return flag(
      "exempt_vectors", value,
      "Parameters of one dimension (biases, scales and shifts of norms) neither decay nor have rates by layer.");
}

std::vector<Field> moments(double epsilon, const Field& decay, bool exempts) {
  return {learning_rate(),
          with_default(number("beta1", fraction, "Decay of the mean of gradients."), 0.9),
          with_default(number("beta2", fraction, "Decay of the mean of their squares."), 0.999),
          with_default(number("epsilon", {0, {}, true}, "Added to the root of the second moment."), epsilon),
          decay,
          exempt_vectors(exempts)};
}

std::vector<Kind> optimizers() {
  const char* added = "Added to the gradient, times the weight.";
  const char* taken = "Taken from the weight at each step, times the learning rate and the weight.";
  return {
      {"sgd",
       "Stochastic gradient descent, with momentum if wanted.",
       {learning_rate(), momentum(0.0), flag("nesterov", false, "Looks ahead along the momentum."),
        weight_decay(0.0, added), exempt_vectors(false)}},
      {"adam", "Adam, both moments corrected for their start.", moments(1e-8, weight_decay(0.0, added), false)},
      {"adamw", "Adam with weight decay apart from the gradient (Loshchilov & Hutter 2019).",
       moments(1e-8, weight_decay(0.01, taken), false)},
      {"lars",
       "Momentum with a rate for each layer, for large batches (You et al. 2017).",
       {learning_rate(), momentum(0.9), weight_decay(0.0005, added),
        with_default(number("trust", {0, {}, true}, "Share of a layer's norm that a step may change."), 0.001),
        with_default(number("epsilon", {0}, "Added to the norms that the rate is divided by."), 1e-8),
        exempt_vectors(true)}},
      {"lamb", "Adam with a rate for each layer, for large batches (You et al. 2020).",
       moments(1e-6, weight_decay(0.01, "Added to the update, times the weight."), true)},
  };
}

std::vector<Kind> loss_scales() {
  const Range scales{graph::LossScaling::smallest, graph::LossScaling::largest};
  return {
      {"dynamic",
       "Halved by a step that overflows, doubled after many that do not.",
       {with_default(number("initial", scales, "The first step's."), 65536.0),
        with_default(integer("growth_interval", {1, 1e6}, "Steps without an overflow after which it is doubled."),
                     std::int64_t{2000})}},
      {"fixed", "The same for every step.", {required(number("scale", scales, "The loss scale."))}},
  };
}

std::vector<Kind> schedules() {
  Field milestones = with_default(field("milestones", Type::text, "Epochs before which it is."), "");
  milestones.number_list = true;
  const Field minimum = with_default(number("minimum", {0}, "Learning rate at the end."), 0.0);
  return {
      {"constant", "The learning rate as it is.", {}},
      {"step",
       "Multiplied by a factor at milestones, or every so many epochs.",
       {milestones,
        with_default(integer("every_epochs", {0, 100000}, "In place of milestones; 0: those."), std::int64_t{0}),
        with_default(number("factor", {0, 1, true}, "By which the rate is multiplied."), 0.1)}},
      {"cosine", "Half a wave from the learning rate down to the minimum (Loshchilov & Hutter 2017).", {minimum}},
      {"polynomial",
       "A power of what is left of the training.",
       {minimum, with_default(number("power", {0, 100, true}, "1: a straight line."), 1.0)}},
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
          sweep(section(
              "workload", "What is trained.",
              {
                  required(sweep(choice("model", Type::kind, "model", kinds_of(registries.models), "The network."))),
                  required(choice("dataset", Type::kind, "data set", kinds_of(registries.datasets), "The samples.")),
                  required(sweep(integer("global_batch", {1, 1 << 24}, "Samples of one step, over all ranks."))),
                  number("learning_rate", {0, {}, true}, "Of this workload, in place of the optimizer's."),
                  section("loader", "How each rank reads its samples; the samples do not depend on it.",
                          {
                              with_default(integer("workers", {0, 256},
                                                   "Threads that read ahead, on the rank's cores; 0: the step itself "
                                                   "reads, and waits."),
                                           std::int64_t{1}),
                              with_default(integer("prefetch", {1, 1024}, "Batches that they read ahead."),
                                           std::int64_t{2}),
                              with_default(text("corrupt", {"fatal", "skip"},
                                                "A sample that cannot be read: `fatal` ends the case; `skip` reads "
                                                "every sample beforehand and leaves such out."),
                                           "fatal"),
                          }),
              })),
          section(
              "training", "How it is trained; the same for every strategy.",
              {
                  with_default(integer("epochs", {1, 100000}, "Passes over the training samples."), std::int64_t{1}),
                  with_default(sweep(integer("seed", {0, 9007199254740991.0},
                                             "Of initial weights and of the order of samples.")),
                               std::int64_t{1}),
                  with_default(text("precision", {"fp32", "tf32", "bf16", "fp16"},
                                    "Type of weights, activations and gradients; `tf32`: fp32, but a GPU rounds the "
                                    "factors of products to 10 bits; `bf16`, `fp16`: 16 bits, with sums, statistics "
                                    "and the optimizer in fp32."),
                               "fp32"),
                  with_default(choice("loss_scale", Type::kind, "loss scale", loss_scales(),
                                      "By what `fp16` multiplies the loss, so that gradients stay within its range; a "
                                      "step whose gradients overflow nevertheless is skipped."),
                               "dynamic"),
                  required(choice("optimizer", Type::kind, "optimizer", optimizers(), "How gradients change weights.")),
                  with_default(choice("schedule", Type::kind, "schedule", schedules(),
                                      "How the learning rate changes after the warm-up, by epochs from the "
                                      "training's beginning or over what is left of it."),
                               "constant"),
                  with_default(integer("warmup_steps", {0, most_steps}, "Steps in which the rate grows to what it is."),
                               std::int64_t{0}),
                  with_default(integer("warmup_epochs", {0, 100000}, "The same in epochs."), std::int64_t{0}),
                  with_default(number("warmup_start", {0, 1}, "Share of the rate that the first step has."), 0.0),
                  with_default(integer("scale_with_batch", {0, 1 << 24},
                                       "Global batch for which the learning rate is meant: it is multiplied by "
                                       "global_batch over this (linear scaling); 0: the rate is as it is."),
                               std::int64_t{0}),
                  with_default(number("clip_norm", {0},
                                      "Largest norm of all gradients together, to which they are scaled down; 0: any."),
                               0.0),
                  with_default(text("loss", {"cross_entropy", "mean_squared_error"}, "What is made small."),
                               "cross_entropy"),
                  with_default(number("label_smoothing", fraction,
                                      "Share of cross-entropy's target that all classes have in common."),
                               0.0),
                  section("target", "What a validation is to reach; where both are given, both. Nothing stops there.",
                          {
                              number("loss", {0, {}, true}, "Reached by a validation loss of at most this."),
                              number("accuracy", {0, 1, true},
                                     "Reached when at least this share of the validation samples is right."),
                          }),
                  section(
                      "checkpoint", "What is left behind, and what is begun with.",
                      {
                          text("save", {},
                               "A folder, made if it is missing, for the weights and the optimizer's state of each "
                               "case as safetensors."),
                          with_default(integer("every_epochs", {1, 100000}, "Between two that are saved; the last is."),
                                       std::int64_t{1}),
                          text("load", {}, "A safetensors file of the weights to begin with, in place of drawn ones."),
                          with_default(boolean("resume",
                                               "Goes on where `load` was left: its optimizer's state, epochs and "
                                               "steps, too."),
                                       false),
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
                  with_default(boolean("deterministic",
                                       "No kernel whose result differs from run to run, as some of GPUs' "
                                       "libraries do."),
                               true),
                  with_default(boolean("winograd",
                                       "Convolutions may be computed by Winograd's algorithm, or on GPUs by Fourier "
                                       "transforms, where that is faster: they round differently."),
                               true),
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
