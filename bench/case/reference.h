#pragma once

#include <optional>
#include <string>

#include "runtime/certificate.h"

namespace ddlbench::bench {

/// What a case is held against: the strategy `single` on one rank, over the same samples, and how far it is from itself
/// from nudged weights with the samples of each batch in another order. Where one rank has not the memory for it, it is
/// missing.
struct Reference {
  std::string missing;  ///< why; empty where it is there
  runtime::Trace trace;
  runtime::Deviation noise;
};

/// Writes it to a file (safetensors) of which `key` says what it is a reference of, for the cases to come. Returns why
/// it could not be kept; empty where it was.
std::string keep_reference(const std::string& file, const std::string& key, const Reference& reference);

/// What was kept there; nothing where there is no such file, or one of another key, or not all of it.
std::optional<Reference> kept_reference(const std::string& file, const std::string& key);

}  // namespace ddlbench::bench
