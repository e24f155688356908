#pragma once

#include <nlohmann/json.hpp>

#include "bench/records/json_fields.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Records as JSON and back, for the journal and for a worker's messages. An empty optional is a missing
/// key; numbers that JSON does not have are the strings "inf", "-inf" and "nan".
nlohmann::json to_json(const EpochRecord& record);
nlohmann::json to_json(const RankRecord& record);
nlohmann::json to_json(const UtilisationRecord& record);
nlohmann::json to_json(const Measurement& record);
nlohmann::json to_json(const CaseRecord& record);

/// A key that is missing, as in journals from before the field was, leaves the field's initial value, or is refused:
/// of a worker, which is of the same build. Throw nlohmann::json::exception or ContractError where one is refused or of
/// another type.
EpochRecord epoch_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::left_out);
RankRecord rank_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::left_out);
UtilisationRecord utilisation_from_json(const nlohmann::json& json);
Measurement measurement_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::left_out);
CaseRecord case_from_json(const nlohmann::json& json);

}  // namespace ddlbench::bench
