#include "bench/records/derived_tables.h"

namespace ddlbench::bench {

void DerivedTables::note_case() {
  constexpr int always = 100;
  constexpr int times_as_long = 9;
  behind_ = true;
  if (++cases_ <= always || now_() - derived_at_ >= times_as_long * took_) bring_up();
}

void DerivedTables::bring_up() {
  if (!behind_) return;
  const Clock::time_point begin = now_();
  derive_();
  derived_at_ = now_();
  took_ = derived_at_ - begin;
  behind_ = false;
}

}  // namespace ddlbench::bench
