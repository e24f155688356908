#pragma once

#include <nlohmann/json.hpp>

#include "bench/records/json_fields.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Convert records to JSON, for the journal and for a worker's messages. An empty optional is a missing key. Infinities
/// and NaN, which JSON lacks, are the strings "inf", "-inf" and "nan".
nlohmann::json to_json(const EpochRecord& record);
nlohmann::json to_json(const ValidationRecord& record);
nlohmann::json to_json(const RankRecord& record);
nlohmann::json to_json(const UtilisationRecord& record);
nlohmann::json to_json(const VisitRecord& record);
nlohmann::json to_json(const RoundsRecord& record);
nlohmann::json to_json(const Measurement& record);
nlohmann::json to_json(const CaseRecord& record);

/// Convert JSON to records. A missing key leaves the field's initial value, as for journals from before the field
/// existed, or is rejected, as for a worker, which has the same build. Throw nlohmann::json::exception or ContractError
/// if a key is rejected or its value has the wrong type.
EpochRecord epoch_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::ignored);
ValidationRecord validation_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::ignored);
RankRecord rank_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::ignored);
UtilisationRecord utilisation_from_json(const nlohmann::json& json);
VisitRecord visit_from_json(const nlohmann::json& json);
RoundsRecord rounds_from_json(const nlohmann::json& json);
Measurement measurement_from_json(const nlohmann::json& json, MissingKey missing = MissingKey::ignored);
CaseRecord case_from_json(const nlohmann::json& json);

}  // namespace ddlbench::bench
