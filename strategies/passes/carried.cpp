#include "strategies/passes/carried.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ddlbench::strategies {

ValueId Carried::root_of(ValueId value) const {
  for (auto source = source_of.find(value); source != source_of.end(); source = source_of.find(value))
    value = source->second;
  return value;
}

void CarriedProbe::writes(ValueId value, int microbatch, int age) {
  writes_.push_back({value, microbatch, age, static_cast<int>(writes_.size() + reads_.size())});
}

void CarriedProbe::reads(ValueId value, int microbatch, int age) {
  reads_.push_back({value, microbatch, age, static_cast<int>(writes_.size() + reads_.size())});
}

Carried CarriedProbe::carried() && {
  std::map<InstanceKey, Use> written;
  for (const Use& write : writes_) written[{write.value, write.microbatch}] = write;
  for (const Use& read : reads_) {
    const InstanceKey key{carried_.root_of(read.value), read.microbatch};
    const auto found = written.find(key);
    const Use write = found == written.end() ? Use{key.first, key.second, 0, -1} : found->second;
    const int later = read.age - write.age;
    require(later > 0, "a value is read before the step that writes it");
    CarriedValue& value = carried_.values[key];
    value.age_at_write = write.age;
    value.versions = std::max(value.versions, read.position < write.position ? later : later + 1);
  }
  return std::move(carried_);
}

}  // namespace ddlbench::strategies
