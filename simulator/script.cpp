#include "simulator/script.h"

#include "base/error.h"
#include "program/actions.h"
#include "program/host_waits.h"

namespace ddlbench::simulator {

using namespace program;

namespace {

double compute_seconds(const Compute& compute, const CostTable& costs) {
  const std::string key = cost_key(compute);
  const OpCost* cost = costs.find(key);
  if (cost == nullptr || !cost->seconds) throw InputError("the time of '" + key + "' is not known");
  return *cost->seconds;
}

double copy_seconds(std::int64_t bytes, const Options& options) {
  if (options.copy_bytes_per_second <= 0) throw InputError("the speed of copies between device and host is not known");
  return static_cast<double>(bytes) / options.copy_bytes_per_second;
}

Step make_step(const Instruction& instruction, const CostTable& costs, const Options& options, std::size_t& targets) {
  Step step;
  if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
    step.computes = true;
    step.seconds = compute_seconds(*compute, costs);
  } else if (const auto* copy = std::get_if<Copy>(&instruction.action)) {
    step.seconds = copy_seconds(copy->from.bytes, options);
  } else if (is_communication(instruction)) {
    step.communicates = true;
    step.seconds = options.start_seconds;
    step.first_target = targets;
    const Messages list = messages(instruction.action);
    targets += collective(instruction.action) != nullptr ? 1 : list.sends.size() + list.receives.size();
  } else {
    throw InputError("the time to pack '" + instruction.name + "' is not known");
  }
  return step;
}

void prepare_thread(Section& section) {
  const HostWaits waits = plan_host_waits(*section.instructions);
  section.lanes.resize(1);
  for (std::size_t i = 0; i < section.steps.size(); ++i) {
    section.lanes[0].push_back(static_cast<InstructionId>(i));
    section.steps[i].first_wait = section.waits.size();
    section.waits.insert(section.waits.end(), waits.communications[i].begin(), waits.communications[i].end());
    section.steps[i].end_wait = section.waits.size();
  }
  section.at_end = waits.at_end;
}

void prepare_streams(Section& section) {
  section.lanes.resize(3);
  const auto lane_of = [&](InstructionId id) {
    return index(static_cast<int>((*section.instructions)[index(id)].stream));
  };
  for (std::size_t i = 0; i < section.steps.size(); ++i) {
    const auto id = static_cast<InstructionId>(i);
    section.lanes[lane_of(id)].push_back(id);
    section.steps[i].first_wait = section.waits.size();
    for (const Dependency& dependency : (*section.instructions)[i].after) {
      const bool before = dependency.iterations == 0;  // the previous iteration is complete
      if (before && lane_of(dependency.instruction) != lane_of(id)) section.waits.push_back(dependency.instruction);
    }
    section.steps[i].end_wait = section.waits.size();
  }
}

Section make_section(const std::vector<Instruction>& instructions, const CostTable& costs, const Options& options) {
  Section section;
  section.instructions = &instructions;
  for (const Instruction& instruction : instructions) {
    section.steps.push_back(make_step(instruction, costs, options, section.targets));
  }
  if (options.issue == Issue::thread) {
    prepare_thread(section);
  } else {
    prepare_streams(section);
  }
  return section;
}

}  // namespace

Script make_script(const Role& role, const CostTable& costs, const Options& options) {
  Script script;
  for (const Instructions* instructions : sections(role.train))
    script.sections.push_back(make_section(*instructions, costs, options));
  return script;
}

}  // namespace ddlbench::simulator
