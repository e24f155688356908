#pragma once

#include <functional>
#include <string>

#include "comm/communicator.h"
#include "graph/file_layout.h"
#include "runtime/checkpoint/match.h"
#include "runtime/checkpoint/origin.h"
#include "runtime/engine.h"

namespace ddlbench::runtime {

// A checkpoint consists of two safetensors files of whole tensors, independent of the plan. PATH holds only the
// weights, so that other programs can read it as their own. state_path(PATH) beside it holds the state of the
// optimizer, with each tensor named PARAMETER.STATE. PATH is written last: if it exists, the checkpoint is complete.
// The metadata of both files name the same digest of the weights, the digest of the file's own tensors, and the same
// origin; that of the state file also has its times and its last epoch.

/// Returns "NAME.state.safetensors" for "NAME.safetensors".
std::string state_path(const std::string& path);

enum class Part : std::uint8_t {
  weights,     ///< only PATH, which may come from another program
  everything,  ///< both files
};

/// Writes the checkpoint. Rank 0 gathers tensors in slices of about 16 MiB; a tensor with another layout in the file is
/// gathered as a whole. Steps must have been drained. Collective: if writing fails, all ranks throw the same
/// InputError, no temporary file remains, and every file in place is whole. Rank 0 calls `alive` after each slice.
void save(Engine& engine, comm::Communicator& communicator, const std::string& path, const Origin& origin,
          const graph::FileNames& names, const std::function<void()>& alive = {}, Part part = Part::everything);

/// Whether load() checks digests first.
enum class Digests : std::uint8_t {
  checked,  ///< rank 0 reads the files completely once more: SafetensorsReader::require_undamaged()
  known,    ///< this process has checked them before
};

/// Replaces the engine's state by the contents of the files; other state remains. Each rank reads its own shards. If
/// the layout of a tensor differs in the file or on the device, each rank reads the whole tensor, one at a time.
/// Collective: nothing changes unless all ranks found all tensors with the right shapes and rank 0 found the right
/// digests. An InputError is the same on all ranks.
void load(Engine& engine, comm::Communicator& communicator, const std::string& path, Part part,
          const graph::FileNames& names, Digests digests = Digests::checked);

/// Returns a digest of all bytes that load() would read. Throws InputError if they are not what was written.
std::string checked_digest(const std::string& path, Part part);

/// Returns the origin of a checkpoint that load() accepts with Part::everything. Throws InputError if a file is missing
/// or the two files belong to different checkpoints.
Origin origin_of(const std::string& path);

/// Throws InputError if load() would reject `file` for these weights, or for this state of them. Ignores states of
/// strategies: only the plan has their names. A state that every rank has of its own is such a state.
void require_fits(const std::string& file, const TensorTypes& wanted, const graph::FileNames& names);

}  // namespace ddlbench::runtime
