#include "bench/report/certificates.h"

#include <fmt/core.h>
#include <algorithm>

#include "bench/report/grid.h"
#include "bench/report/ranking.h"

namespace ddlbench::bench {

namespace {

using enum Grid::Align;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.1e}", *value) : "";
}

bool has_certificate(const CaseRecord& record) {
  return record.status == Status::ok && record.measurement && record.measurement->certificate_update;
}

std::string verdict(const Measurement& measured) {
  if (measured.certified) return measured.promise == "exact" ? "holds" : "holds (" + measured.promise + ")";
  if (certificate_proves_nothing(measured)) return measured.certificate_reason;
  return "FAILS: " + measured.certificate_reason;
}

std::string why_none(const CaseRecord& record) {
  if (record.status == Status::ok) return record.measurement->certificate_reason;
  const std::string status(name(record.status));
  return record.status_reason.empty() ? status : fmt::format("{}: {}", status, record.status_reason);
}

}  // namespace

std::string format_certificates(const std::vector<CaseRecord>& records) {
  Grid certified({left, left, left, right, right, right, right, right, right, right, right, right, left});
  certified.add({"case", "strategy", "ranks×threads", "losses", "noise", "tolerance", "gradients", "noise", "tolerance",
                 "update", "noise", "tolerance", "certificate"});
  Grid others({left, left, left, left});
  int known = 0, held = 0, vacuous = 0;
  for (const CaseRecord& record : records) {
    if (!has_certificate(record)) {
      others.add({record.case_id, record.strategy, ranks_and_threads(record), why_none(record)});
      continue;
    }
    const Measurement& m = *record.measurement;
    certified.add({record.case_id, record.strategy, ranks_and_threads(record), number(m.certificate_loss),
                   number(m.noise_loss), number(m.tolerance_loss), number(m.certificate_gradient),
                   number(m.noise_gradient), number(m.tolerance_gradient), number(m.certificate_update),
                   number(m.noise_update), number(m.tolerance_update), verdict(m)});
    ++known;
    if (m.certified) ++held;
    if (certificate_proves_nothing(m)) ++vacuous;
  }
  std::string text;
  if (known > 0) text += certified.text(0);
  if (known < static_cast<int>(records.size())) text += "no certificate:\n" + others.text(2);
  text += fmt::format("{} of {} certificates hold", held, known);
  return text + (vacuous > 0 ? fmt::format("; inconclusive: {}.\n", vacuous) : ".\n");
}

}  // namespace ddlbench::bench
