#include "bench/config/choose_devices.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "base/names.h"
#include "bench/config/problem.h"
#include "kernels/host_device.h"

namespace ddlbench::bench {
namespace {

constexpr const char* automatic = "auto";
constexpr const char* fallback = "cpu";

bool is_accelerator_kind(const kernels::DeviceKind& kind) {
  return kind.count != kernels::one_host;
}

[[noreturn]] void throw_config_error(const Experiment& experiment, const std::string& pointer,
                                     const std::string& what) {
  const auto at = experiment.locations.find(pointer);
  throw ConfigError({{at == experiment.locations.end() ? json::Location{} : at->second, pointer, what}},
                    experiment.sources);
}

/// Returns the kind that `auto` stands for. Sets `said` to a line that says why.
std::string choose_kind(const Registries& registries, std::string& message) {
  std::string none;
  for (const kernels::DeviceKind& kind : registries.devices) {
    if (!is_accelerator_kind(kind)) continue;
    const kernels::DeviceCount count = kind.count();
    if (count.devices > 0) {
      message = fmt::format("devices/kind auto: {}, {} found", kind.name, counted(count.devices, "device"));
      return kind.name;
    }
    none += fmt::format("{}{}: {}", none.empty() ? "" : "; ", kind.name, count.why_none);
  }
  message = fmt::format("devices/kind auto: {}{}", fallback,
                        none.empty() ? "" : ", because there is no usable GPU (" + none + ")");
  return fallback;
}

/// Returns why a kind of accelerator cannot be used; empty if it can.
std::string why_unusable(const kernels::DeviceKind& kind, const kernels::DeviceCount& count) {
  if (count.devices == 0) return count.why_none;
  return kind.missing_library == nullptr ? std::string() : kind.missing_library();
}

/// Returns the variants, or the experiment itself if it has none.
std::vector<Variant> variants_of(const Experiment& experiment) {
  if (!experiment.variants.empty()) return experiment.variants;
  Variant only;
  only.training = experiment.training;
  only.devices = experiment.devices;
  return {only};
}

/// A setting that needs an accelerator although the chosen kind is not one: its JSON pointer and a message.
struct GpuRequirement {
  std::string pointer;
  std::string what;
};

GpuRequirement gpu_requirement(const Variant& variant, const std::string& kind) {
  if (variant.training.precision == "tf32") {
    return {variant.pointer_of("/training/precision"), "tf32 is a mode of GPUs; the " + kind + " computes in fp32"};
  }
  if (!variant.devices.derived.channel.empty()) {
    return {variant.pointer_of("/devices/transport"),
            fmt::format("{} carries messages between GPUs, but devices/kind is {}; use threads or mpi",
                        variant.devices.transport_choice(), kind)};
  }
  return {};
}

/// Returns what the first variant needs that the kind, which is no accelerator, lacks.
GpuRequirement gpu_requirement(const Experiment& experiment) {
  for (const Variant& variant : variants_of(experiment)) {
    GpuRequirement found = gpu_requirement(variant, experiment.devices.kind);
    if (!found.what.empty()) return found;
  }
  return {};
}

/// Returns why the channel of a variant cannot be used here, and the setting that asks for it.
GpuRequirement missing_channel(const Experiment& experiment, const Registries& registries) {
  for (const Variant& variant : variants_of(experiment)) {
    if (variant.devices.derived.channel.empty()) continue;
    std::string why = registries.transport_choice(variant.devices.transport_choice()).why_unusable();
    if (!why.empty()) return {variant.pointer_of("/devices/transport"), std::move(why)};
  }
  return {};
}

}  // namespace

ChosenDevices choose_devices(Experiment& experiment, const Registries& registries) {
  Devices& devices = experiment.devices;
  ChosenDevices chosen;
  const bool named = devices.kind != automatic;
  if (!named) devices.kind = choose_kind(registries, chosen.message);
  const kernels::DeviceKind& kind = find_named(registries.devices, devices.kind, "device");
  devices.derived.is_accelerator = is_accelerator_kind(kind);
  if (!devices.derived.is_accelerator) {
    const GpuRequirement want = gpu_requirement(experiment);
    if (named && !want.what.empty()) throw_config_error(experiment, want.pointer, want.what);
    chosen.pointer = want.pointer;
    chosen.lacking = want.what;
    return chosen;
  }
  const kernels::DeviceCount count = kind.count();
  devices.derived.seen = count.devices;
  if (const std::string why = why_unusable(kind, count); !why.empty()) {
    chosen.pointer = "/devices/kind";
    chosen.lacking = fmt::format("{} cannot be used here: {}", kind.name, why);
  } else {
    const GpuRequirement lacking = missing_channel(experiment, registries);
    chosen.pointer = lacking.pointer;
    chosen.lacking = lacking.what;
  }
  return chosen;
}

void require_devices(const Experiment& experiment, const ChosenDevices& chosen) {
  if (!chosen.lacking.empty()) throw_config_error(experiment, chosen.pointer, chosen.lacking);
}

}  // namespace ddlbench::bench
