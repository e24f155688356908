#include "kernels/cuda/dnn/plan.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/check.h"

// cuDNN 9.19 does not need the handles in graphs and plans and marks them as deprecated; earlier versions need them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ddlbench::kernels::cuda::dnn {
namespace {

Descriptor finalized(const Dnn& dnn, const Graph& graph) {
  Descriptor made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  if (!dnn.properties) made.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, dnn.handle);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, graph.operations());
  return made.finalize("graph");
}

std::vector<Descriptor> ask(const Dnn& dnn, const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (dnn.properties) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *dnn.properties);
  heuristics.finalize("heuristics");
  const std::int64_t count = heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  std::vector<Descriptor> found;
  for (std::int64_t i = 0; i < count; ++i) found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  const std::int64_t there = heuristics.fill(CUDNN_ATTR_ENGINEHEUR_RESULTS, found);
  found.erase(found.begin() + std::min(there, count), found.end());
  return found;
}

}  // namespace

Notes::Notes(const Descriptor& configuration) {
  const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  configuration.fill(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  notes_ = engine.values<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
}

bool Notes::has(cudnnBackendNumericalNote_t note) const {
  return std::find(notes_.begin(), notes_.end(), note) != notes_.end();
}

std::string name_of(const Descriptor& configuration) {
  const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  configuration.fill(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  std::string name = fmt::format("engine {}", engine.integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  std::vector<Descriptor> knobs;  // as many as there can be: cuDNN 9.19 reports a count of 0
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) knobs.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  const std::int64_t count = configuration.fill(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
  knobs.erase(knobs.begin() + std::min<std::int64_t>(count, CUDNN_KNOB_TYPE_COUNTS), knobs.end());
  for (const Descriptor& knob : knobs) {
    const auto types = knob.values<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE);
    name += fmt::format(", {}={}", static_cast<int>(types.at(0)), knob.integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  }
  const Notes notes(configuration);
  if (notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD)) name += ", winograd";
  if (notes.has(CUDNN_NUMERICAL_NOTE_FFT)) name += ", fft";
  if (notes.has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) name += ", nondeterministic";
  return name;
}

Plan::Plan(const Dnn& dnn, const Descriptor& configuration) : plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
  if (dnn.properties) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *dnn.properties);
  } else {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, dnn.handle);
  }
  plan_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  plan_.finalize("plan");
  workspace_bytes_ = static_cast<std::size_t>(plan_.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
}

void Plan::run(const Dnn& dnn, const std::vector<std::int64_t>& ids, const std::vector<void*>& pointers,
               void* workspace) {
  require(dnn.handle != nullptr, "a plan cannot run without its GPU");
  try {
    std::vector<void*> wanted = pointers;
    wanted.push_back(workspace);
    if (wanted != packed_) {
      packed_.clear();
      Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
      pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
      pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(pointers.size()),
               pointers.data());
      pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
      pack_ = pack.finalize("operands");
      packed_ = std::move(wanted);
    }
    expect_success(cudnnBackendExecute(dnn.handle, plan_.raw(), pack_.raw()), "cudnnBackendExecute");
  } catch (const DnnError& error) {
    throw DeviceError(error.what());
  }
}

Engines engines_for(const Context& context, graph::DType dtype) {
  return {dtype != graph::DType::f32 || context.tf32, context.deterministic, context.winograd};
}

Configurations::Configurations(const Dnn& dnn, const Graph& graph, const Engines& engines) {
  const Descriptor whole = finalized(dnn, graph);
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (const Descriptor& configuration : ask(dnn, whole, mode)) {
      const Notes notes(configuration);
      if (notes.has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) continue;
      if (notes.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)) continue;
      if (!engines.tensor_cores && notes.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE)) continue;
      const bool winograd = notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD) || notes.has(CUDNN_NUMERICAL_NOTE_FFT);
      if (!engines.winograd && winograd) {
        ++winograd_;
      } else if (engines.deterministic && notes.has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) {
        ++nondeterministic_;
      } else {
        found_.push_back(configuration);
      }
    }
  }
}

std::string Configurations::why_none() const {
  std::string why = "cuDNN has no engine for it";
  if (nondeterministic_ > 0)
    why += fmt::format(" whose result is the same in every run; with devices/deterministic false it would have {}",
                       nondeterministic_);
  if (winograd_ > 0) why += fmt::format("; with devices/winograd true it would have {}", winograd_);
  return why;
}

}  // namespace ddlbench::kernels::cuda::dnn
