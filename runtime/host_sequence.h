#pragma once

#include <vector>

#include "program/host_waits.h"
#include "runtime/sequence.h"

namespace ddlbench::runtime {

/// A sequence for a synchronous device: the host walks the instructions, and waits for communications.
class HostSequence final : public Sequence {
 public:
  HostSequence(const std::vector<program::Instruction>& instructions, const Preparation& preparation);

  void issue(const Run& run) override;
  void close() override {}
  void complete() override {}
  std::int64_t ended() const override { return now(); }
  void write(Recorder&, const OwnedEvent*) override {}

 private:
  void run_all(const Run& run, std::size_t& current);
  void execute(PreparedInstruction& step);
  std::int64_t wait(program::InstructionId id, std::int64_t begin, const Run& run);

  kernels::Device& device_;
  PreparedInstructions steps_;
  program::HostWaits waits_;
  std::vector<std::byte> bounce_;  ///< host buffer for copies
};

}  // namespace ddlbench::runtime
