#include "bench/config/json_tree.h"

namespace ddlbench::bench {

const JsonMember* JsonNode::find(const std::string& key) const {
  for (const auto& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

JsonMember* JsonNode::find(const std::string& key) {
  return const_cast<JsonMember*>(static_cast<const JsonNode*>(this)->find(key));
}

}  // namespace ddlbench::bench
