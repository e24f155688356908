#include "bench/case/training_trace.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "bench/case/certificate_memory.h"
#include "bench/case/new_folder.h"
#include "bench/case/verify.h"
#include "bench/config/resolve.h"
#include "bench/records/build_info.h"
#include "bench/records/file.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/safetensors.h"
#include "runtime/step_gradients.h"

namespace ddlbench::bench {
namespace {

using runtime::StoredTensor;

nlohmann::ordered_json json_of(const Choice& choice) {
  nlohmann::ordered_json json{{"kind", choice.kind}};
  for (const auto& [name, value] : choice.options) json[name] = to_json(value);
  return json;
}

/// Returns the case's own strategy where that is `single` (its options may split a batch into parts), else a plain
/// `single`.
Choice form_of_single(const Setup& setup) {
  const Choice& own = setup.which.strategy.choice;
  return own.kind == "single" ? own : Choice{"single", {}};
}

/// Writes the files of a trace into its folder.
class TraceFiles {
 public:
  TraceFiles(const Setup& setup, std::string folder) : setup_(setup), folder_(std::move(folder)) {}

  void weights(Trainer& trainer, comm::Communicator& communicator, const char* name, runtime::Part part) const {
    const runtime::Origin origin = origin_of(setup_, {setup_.start.epochs, trainer.steps()});
    runtime::save(trainer.engine(), communicator, path(name), origin, setup_.file_names, {}, part);
  }

  /// Writes the gradients of a step whose loss was multiplied by `scale`.
  void gradients(const runtime::Tensors& gradients, float scale) const {
    struct Entry {
      const std::vector<float>* values;
      graph::Shape own;
      graph::FileTensor named;
    };
    std::vector<Entry> entries;
    runtime::SafetensorsHeader header{{{"format", "pt"}}, {}};
    for (const graph::TensorId id : setup_.model.with_role(graph::Role::parameter)) {
      const graph::TensorSpec& spec = setup_.model.tensors[static_cast<std::size_t>(id)];
      const graph::FileTensor named = setup_.file_names.of(spec.name);
      entries.push_back({&gradients.at(spec.name), spec.type.shape, named});
      header.tensors.push_back(stored(named.name, "F32", graph::file_shape(named.layout, spec.type.shape)));
    }
    runtime::SafetensorsWriter writer(path("gradients.safetensors"), std::move(header));
    for (const auto& [values, own, named] : entries) {
      std::vector<float> laid = graph::to_file(named.layout, own, *values);
      for (float& value : laid) value /= scale;
      writer.write(laid.data(), static_cast<std::int64_t>(laid.size()));
    }
    writer.finish();
    writer.commit();
  }

  /// Opens the file of batches for `steps` steps; batch() appends them one after another.
  runtime::SafetensorsWriter batches(std::int64_t steps) const {
    const workloads::SampleShape& shape = setup_.training->shape();
    const char* const type = shape.sample.dtype == graph::DType::f32 ? "F32" : "I64";
    runtime::SafetensorsHeader header{{{"format", "pt"}}, {}};
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::string name = fmt::format("step-{}", step);
      header.tensors.push_back(stored(name + ".values", type, batch_of(shape.sample.shape)));
      header.tensors.push_back(stored(name + ".labels", "I64", batch_of(shape.label)));
    }
    return {path("batches.safetensors"), std::move(header)};
  }

  void batch(runtime::SafetensorsWriter& writer, const HostBatch& fed) const {
    const workloads::SampleShape& shape = setup_.training->shape();
    const std::int64_t values = graph::elements(batch_of(shape.sample.shape));
    if (takes_bytes()) {
      const std::vector<float> normalised =
          graph::normalised(*setup_.training->normalisation(), shape.sample.shape,
                            static_cast<const std::uint8_t*>(fed.values), setup_.which.global_batch);
      writer.write(normalised.data(), values);
    } else if (shape.sample.dtype == graph::DType::f32) {
      writer.write(static_cast<const float*>(fed.values), values);
    } else {
      write_wide(writer, static_cast<const std::int32_t*>(fed.values), values);
    }
    write_wide(writer, fed.labels, graph::elements(batch_of(shape.label)));
  }

  void summary(const std::vector<TracedStep>& steps) const {
    const Experiment& experiment = setup_.experiment;
    const auto resolved = nlohmann::ordered_json::parse(experiment.resolved);
    nlohmann::ordered_json json{
        {"version", build_info.version},
        {"git_commit", build_info.git_commit},
        {"git_dirty", build_info.git_dirty},
        {"model", json_of(experiment.workload.model)},
        {"strategy", json_of(form_of_single(setup_))},
        {"device", experiment.devices.kind},
        {"global_batch", setup_.which.global_batch},
        {"steps_per_epoch", setup_.batches()},
        {"seed", setup_.which.seed},
        {"training", resolved.at("training")},
        {"losses", nlohmann::ordered_json::array()},
        {"learning_rates", nlohmann::ordered_json::array()},
    };
    for (const TracedStep& step : steps) {
      json["losses"].push_back(step.loss);
      json["learning_rates"].push_back(step.learning_rate);
    }
    write_file_atomically(path("trace.json"), json.dump(2) + "\n");
  }

 private:
  static StoredTensor stored(const std::string& name, const char* dtype, graph::Shape shape) {
    StoredTensor tensor;
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    return tensor;
  }

  static void write_wide(runtime::SafetensorsWriter& writer, const std::int32_t* values, std::int64_t count) {
    const std::vector<std::int64_t> wide(values, values + count);
    writer.write(wide.data(), count);
  }

  bool takes_bytes() const {
    const graph::TensorId input = setup_.model.with_role(graph::Role::input).at(0);
    return setup_.model.tensors[static_cast<std::size_t>(input)].type.dtype == graph::DType::u8;
  }

  graph::Shape batch_of(graph::Shape sample) const {
    sample.insert(sample.begin(), setup_.which.global_batch);
    return sample;
  }

  std::string path(const char* name) const { return fmt::format("{}/{}", folder_, name); }

  const Setup& setup_;
  std::string folder_;
};

}  // namespace

std::vector<TracedStep> write_training_trace(const Setup& setup, std::int64_t steps, const std::string& folder,
                                             const std::function<void(const TracedStep&)>& on_step) {
  NewFolder made(folder);
  const TraceFiles files(setup, made.path());
  std::vector<TracedStep> traced;
  const ModelBytes model = bytes_of(setup.model);
  const std::string missing = on_one_rank(
      setup,
      [&](Trainer& trainer) {
        comm::Communicator& communicator = trainer.communicator();
        trainer.initialize();
        files.weights(trainer, communicator, "initial.safetensors", runtime::Part::weights);
        runtime::SafetensorsWriter batches = files.batches(steps);
        trainer.begin(runtime::Mode::train, training_order(setup, steps));
        std::optional<runtime::StepGradients> gradients(std::in_place, trainer.engine(), communicator);
        for (std::int64_t step = 0; step < steps; ++step) {
          const graph::LossScaler scaler = trainer.engine().scaler().value_or(graph::LossScaler{});
          const std::optional<Share> share = trainer.step(runtime::Mode::train, "trace");
          require(share.has_value(), "the sample order is too short for the traced steps");
          if (gradients) files.gradients(gradients->take(), scaler.scale);
          gradients.reset();
          files.batch(batches, trainer.fed());
          traced.push_back({share->loss, trainer.scalars().learning_rate});
          if (on_step) on_step(traced.back());
        }
        trainer.engine().drain(runtime::Mode::train);
        batches.finish();
        batches.commit();
        files.weights(trainer, communicator, "final.safetensors", runtime::Part::everything);
      },
      {.single = form_of_single(setup), .extra_bytes = model.parameters + model.largest + library_overhead_bytes});
  if (!missing.empty()) throw InputError("no trace: " + missing);
  files.summary(traced);
  made.commit();
  return traced;
}

}  // namespace ddlbench::bench
