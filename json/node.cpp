#include "json/node.h"

namespace ddlbench::json {

const Member* Node::find(const std::string& key) const {
  for (const auto& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

Member* Node::find(const std::string& key) {
  return const_cast<Member*>(static_cast<const Node*>(this)->find(key));
}

}  // namespace ddlbench::json
