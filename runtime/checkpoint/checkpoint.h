#pragma once

#include <functional>
#include <string>

#include "comm/communicator.h"
#include "graph/file_layout.h"
#include "runtime/checkpoint/match.h"
#include "runtime/checkpoint/origin.h"
#include "runtime/engine.h"

namespace ddlbench::runtime {

// A checkpoint is two safetensors files of whole tensors, whatever the plan: PATH has the weights and nothing else, so
// that other programs read it as their own; beside it state_path(PATH) has what the optimizer keeps, each tensor named
// PARAMETER.STATE. PATH comes last: where it is, all is. The metadata of both name the same digest of the weights, each
// that of its own tensors, and the same origin.

/// "NAME.state.safetensors" for "NAME.safetensors".
std::string state_path(const std::string& path);

enum class Part : std::uint8_t {
  weights,     ///< PATH alone, which may be of another program
  everything,  ///< both files
};

/// Writes the files, gathered by rank 0 in slices of tensors of about 16 MiB; a tensor that has another layout in the
/// file as a whole. Steps must have been drained. Collective: a failure to write is the same InputError on all ranks,
/// leaves no temporary, and no file but whole ones. `alive` is called on rank 0 after each slice.
void save(const Engine& engine, comm::Communicator& communicator, const std::string& path, const Origin& origin,
          const graph::FileNames& names, const std::function<void()>& alive = {}, Part part = Part::everything);

/// Whether the digests of what is loaded are worked out before.
enum class Digests : std::uint8_t {
  checked,  ///< rank 0 reads the files once more, whole: SafetensorsReader::require_undamaged()
  known,    ///< they were, by this process
};

/// Puts what the files have in place of what the engine has; the rest is left as it is. Each rank reads its own shards
/// (of a tensor that lies otherwise in the file, or on the device, the whole, one at a time). Collective: nothing is
/// changed unless all ranks found all tensors in their shapes, and rank 0 their digests; an InputError is the same on
/// all.
void load(Engine& engine, comm::Communicator& communicator, const std::string& path, Part part,
          const graph::FileNames& names, Digests digests = Digests::checked);

/// Of all bytes that load() would read of it, which are those that were written. Throws InputError.
std::string checked_digest(const std::string& path, Part part);

/// Of a checkpoint that load() takes as everything. Throws InputError where a file is missing or is of another
/// checkpoint.
Origin origin_of(const std::string& path);

/// Throws InputError as load() would for these weights, or this state of them.
void require_fits(const std::string& file, const TensorTypes& wanted, const graph::FileNames& names);

}  // namespace ddlbench::runtime
