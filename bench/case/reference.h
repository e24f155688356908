#pragma once

#include <optional>
#include <string>

#include "runtime/certificate.h"

namespace ddlbench::bench {

/// The reference that a case is compared with: a run of the strategy `single` on one rank over the same samples, and
/// its noise, which is its deviation from a second run from nudged weights with the samples of each batch in another
/// order. It is missing if one rank has too little memory for it.
struct Reference {
  std::string missing;  ///< why it is missing; empty if it exists
  runtime::Trace trace;
  runtime::Deviation noise;
};

/// Writes the reference to a file (safetensors), so that later cases can use it. `key` identifies what it is a
/// reference of. Returns why it could not be stored; empty on success.
std::string store_reference(const std::string& file, const std::string& key, const Reference& reference);

/// Returns the stored reference; nothing if the file does not exist, is incomplete, or has another key.
std::optional<Reference> load_reference(const std::string& file, const std::string& key);

}  // namespace ddlbench::bench
