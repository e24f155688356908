// Input: a configuration, then the arguments of --set, each after a NUL byte.
#include <string>
#include <vector>

#include "bench/config/expand.h"
#include "bench/config/load.h"
#include "fuzz/input.h"
#include "fuzz/target.h"

using namespace ddlbench;
using namespace ddlbench::bench;

DDLBENCH_FUZZ_TARGET(config)(const std::uint8_t* data, std::size_t size) {
  static const Registries registries = real_registries();
  constexpr int cores = 8;
  fuzz::Input input(data, size);
  const std::string text(input.until('\0'));
  std::vector<std::string> overrides;
  while (!input.empty()) overrides.emplace_back(input.until('\0'));
  try {
    const Experiment experiment = parse_experiment(text, "input.json", overrides, registries);
    const std::vector<Case> cases = expand(experiment, registries, cores);
    const Experiment again = parse_experiment(experiment.resolved, "config.json", {}, registries);
    fuzz::expect(again.resolved == experiment.resolved, "the resolved configuration is one that resolves to itself");
    fuzz::expect(expand(again, registries, cores).size() == cases.size(), "it has the same cases");
  } catch (const InputError&) {
  }
  return 0;
}
