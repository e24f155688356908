#include "bench/export/mllog.h"

#include <sstream>

#include "catch.h"
#include "trained_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::trained_run;
using LogLine = nlohmann::json;

namespace {

const std::string mllog_token = ":::MLLOG ";

std::vector<LogLine> log_lines(const std::string& text) {
  std::vector<LogLine> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    REQUIRE(line.starts_with(mllog_token));
    lines.push_back(LogLine::parse(line.substr(mllog_token.size())));
  }
  return lines;
}

std::vector<std::string> keys_of(const std::vector<LogLine>& lines) {
  std::vector<std::string> keys;
  for (const LogLine& line : lines) keys.push_back(line.at("key"));
  return keys;
}

const LogLine& first_line(const std::vector<LogLine>& lines, const std::string& key) {
  for (const LogLine& line : lines) {
    if (line.at("key") == key) return line;
  }
  throw std::runtime_error("no line " + key);
}

}  // namespace

TEST_CASE("a log has the trained cases with their intervals in order") {
  const std::string text = mllog({trained_run()});
  CHECK(
      text.starts_with(R"(:::MLLOG {"namespace": "ddp-r2", "time_ms": 1795248930000, "event_type": "INTERVAL_START", )"
                       R"("key": "init_start", "value": null, "metadata": {"file": "out/cases.csv", "lineno": 2}})"));
  CHECK(keys_of(log_lines(text)) == std::vector<std::string>{"init_start",
                                                             "submission_benchmark",
                                                             "seed",
                                                             "global_batch_size",
                                                             "opt_name",
                                                             "submission_platform",
                                                             "gradient_accumulation_steps",
                                                             "init_stop",
                                                             "run_start",
                                                             "epoch_start",
                                                             "epoch_stop",
                                                             "eval_start",
                                                             "eval_accuracy",
                                                             "eval_stop",
                                                             "epoch_start",
                                                             "epoch_stop",
                                                             "eval_start",
                                                             "eval_accuracy",
                                                             "eval_stop",
                                                             "run_stop"});
}

TEST_CASE("lines of a log have times, values and the rows that they come from") {
  const std::vector<LogLine> lines = log_lines(mllog({trained_run()}));
  CHECK(first_line(lines, "global_batch_size").at("value") == 64);
  CHECK(first_line(lines, "global_batch_size").at("event_type") == "POINT_IN_TIME");
  CHECK(first_line(lines, "run_start").at("time_ms") == 1795248945000);
  const LogLine& accuracy = first_line(lines, "eval_accuracy");
  CHECK(accuracy.at("value") == 0.25);
  CHECK(accuracy.at("time_ms") == 1795248947500);
  CHECK(accuracy.at("metadata") == LogLine{{"file", "out/epochs.csv"}, {"lineno", 2}, {"epoch_num", 1}});
  CHECK(lines.back().at("event_type") == "INTERVAL_END");
  CHECK(lines.back().at("time_ms") == 1795248950000);
  CHECK(lines.back().at("metadata") == LogLine{{"file", "out/cases.csv"}, {"lineno", 2}, {"status", "success"}});
}

TEST_CASE("a log has the validations within epochs, also of a training that stopped within its first") {
  RunResults results = trained_run();
  ValidationRecord within = test::validation_within(2, 4);
  within.step = 30;
  within.accuracy_ratio = 0.375;
  results.records.validations.push_back(within);
  std::vector<LogLine> lines = log_lines(mllog({results}));
  const std::vector<std::string> keys = keys_of(lines);
  CHECK(std::vector<std::string>(keys.end() - 10, keys.end()) ==
        std::vector<std::string>{"eval_stop", "epoch_start", "eval_start", "eval_accuracy", "eval_stop", "epoch_stop",
                                 "eval_start", "eval_accuracy", "eval_stop", "run_stop"});
  const LogLine& accuracy = *(lines.end() - 7);
  CHECK(accuracy.at("value") == 0.375);
  CHECK(accuracy.at("time_ms") == 1795248949000);
  CHECK(accuracy.at("metadata") ==
        LogLine{{"file", "out/validations.csv"}, {"lineno", 2}, {"epoch_num", 2}, {"step_num", 30}});
  CHECK((lines.end() - 5)->at("metadata").at("file") == "out/epochs.csv");

  results.records.epochs.clear();
  lines = log_lines(mllog({results}));
  CHECK(first_line(lines, "run_start").at("time_ms") == 1795248946000);
  CHECK(first_line(lines, "eval_accuracy").at("metadata").at("step_num") == 30);
  CHECK(keys_of(lines).at(lines.size() - 5) == "run_start");
}

TEST_CASE("settings of a log come from the configuration, if they are there and mean something") {
  RunResults results = trained_run();
  results.records.cases[0].measurement->steps_per_epoch = 10;
  results.config = LogLine::parse(R"({"training": {"optimizer": {"learning_rate": 0.1, "weight_decay": 0, "beta1": 0.9},
      "scale_with_batch": 32, "clip_norm": 0}, "workload": {"dataset": {"validation_samples": 500}}})");
  const std::string text = mllog({results});
  const std::vector<LogLine> lines = log_lines(text);
  CHECK(first_line(lines, "opt_base_learning_rate").at("value") == 0.2);  // twice the batch that 0.1 is for
  CHECK(first_line(lines, "opt_weight_decay").at("value") == 0);
  CHECK(first_line(lines, "opt_adam_beta_1").at("value") == 0.9);
  CHECK(first_line(lines, "train_samples").at("value") == 640);
  CHECK(first_line(lines, "eval_samples").at("value") == 500);
  CHECK(text.find("opt_gradient_clip_norm") == std::string::npos);  // 0: there is no limit
}

TEST_CASE("a run is a success only if its case is ok and reached its target") {
  const auto status = [](const RunResults& results) {
    return log_lines(mllog({results})).back().at("metadata").at("status").get<std::string>();
  };
  RunResults results = trained_run();
  results.records.cases[0].target = "accuracy 0.9";
  CHECK(status(results) == "aborted");
  results.records.cases[0].epochs_to_target = 2;
  CHECK(status(results) == "success");
  results.records.cases[0].status = Status::non_finite;
  CHECK(status(results) == "aborted");
}

TEST_CASE("cases of several runs have the folder in their namespace") {
  const std::vector<LogLine> lines = log_lines(mllog({trained_run("a"), trained_run("b")}));
  CHECK(lines.front().at("namespace") == "a:ddp-r2");
  CHECK(lines.back().at("namespace") == "b:ddp-r2");
}
