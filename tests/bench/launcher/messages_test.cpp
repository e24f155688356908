#include "bench/launcher/messages.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("messages are the same after encoding and decoding") {
  SECTION("alive") {
    const auto back = std::get<Alive>(decode(encode(Alive{"train \"quoted\"\n", 0.25})));
    CHECK(back.phase == "train \"quoted\"\n");
    CHECK(back.fraction == 0.25);
  }
  SECTION("epoch, with numbers that JSON does not have") {
    EpochRecord sent;
    sent.case_id = "003-ddp-r2";
    sent.epoch = 2;
    sent.train_loss = 0.1;
    sent.validation_loss = std::numeric_limits<double>::infinity();
    sent.accuracy_ratio = std::numeric_limits<double>::quiet_NaN();
    const auto back = std::get<EpochRecord>(decode(encode(sent)));
    CHECK(back.case_id == sent.case_id);
    CHECK(back.epoch == 2);
    CHECK(back.train_loss == 0.1);
    CHECK(std::isinf(back.validation_loss));
    CHECK(std::isnan(back.accuracy_ratio));
    CHECK_FALSE(back.perplexity.has_value());
  }
  SECTION("rank") {
    RankRecord sent;
    sent.rank = 3;
    sent.role = "stage 1";
    sent.budget.bubble = 1e-3;
    sent.peak_bytes = {{"activations", 1LL << 40}};
    sent.sent_bytes = {{"all_reduce", 7}};
    const auto back = std::get<RankRecord>(decode(encode(sent)));
    CHECK(back.role == "stage 1");
    CHECK(back.budget.bubble == 1e-3);
    CHECK(back.peak_bytes == sent.peak_bytes);
    CHECK(back.sent_bytes == sent.sent_bytes);
  }
  SECTION("measurement: an empty value stays empty, a zero stays zero") {
    Measurement sent;
    sent.certificate_loss = 0.0;
    sent.batch_statistics_samples = 64;
    const auto back = std::get<Measurement>(decode(encode(sent)));
    CHECK(back.certificate_loss == 0.0);
    CHECK_FALSE(back.certificate_update.has_value());
    CHECK(back.batch_statistics_samples == 64);
  }
  SECTION("failure, with bytes that are not UTF-8") {
    const auto back = std::get<Failure>(decode(encode(Failure{Status::non_finite, "loss \xff"})));
    CHECK(back.status == Status::non_finite);
    CHECK(back.reason.find("loss ") == 0);
  }
  SECTION("one line each") {
    CHECK(encode(Alive{"a\nb", 0}).find('\n') == std::string::npos);
  }
}

TEST_CASE("invalid messages are rejected") {
  CHECK_THROWS_AS(decode("Segmentation fault"), ddlbench::ContractError);
  CHECK_THROWS_AS(decode("{}"), ddlbench::ContractError);
  CHECK_THROWS_AS(decode(R"({"kind":"gossip"})"), ddlbench::ContractError);
  CHECK_THROWS_AS(decode(R"({"kind":"failure","status":"sad","reason":""})"), ddlbench::ContractError);
  CHECK_THROWS_AS(decode(R"({"kind":"alive","phase":1,"fraction":0})"), ddlbench::ContractError);
}

TEST_CASE("a number that is not an integer of the field's size is not converted") {
  const auto started = [](const std::string& process) {
    return R"({"kind":"started","host":"h","process":)" + process + "}";
  };
  CHECK(std::get<Started>(decode(started("-5"))).process == -5);
  for (const char* process : {"1e300", "1.5", "true", "9223372036854775808", "\"1\""})
    CHECK_THROWS_AS(decode(started(process)), ddlbench::ContractError);
  CHECK_THROWS_AS(decode(R"({"kind":"killed","host":"h","process":1,"signal":4294967305})"), ddlbench::ContractError);
}
