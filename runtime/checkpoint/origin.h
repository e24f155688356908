#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ddlbench::runtime {

/// Of what training, and of which moment of it, a checkpoint is: the metadata of its files.
struct Origin {
  std::string version;        ///< of ddlbench
  std::string model;          ///< its kind
  std::string model_options;  ///< as JSON
  std::string optimizer;      ///< its kind
  std::string contract_id;
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;  ///< that are done
  std::int64_t step = 0;   ///< that are done, over all epochs
};

using Metadata = std::map<std::string, std::string>;

/// In the metadata of a state: the digest of the weights that it belongs to.
inline constexpr const char* weights_digest_key = "weights_digest";

Metadata to_metadata(const Origin& origin);
/// Throws InputError naming `file` and what of it is missing or no number.
Origin origin_from(const Metadata& metadata, const std::string& file);

}  // namespace ddlbench::runtime
