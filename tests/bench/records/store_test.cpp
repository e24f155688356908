#include "bench/records/store.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "../config/source_root.h"
#include "../record_fixtures.h"
#include "base/error.h"
#include "bench/records/csv.h"
#include "catch.h"
#include "contains.h"
#include "failure.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;
using ddlbench::test::TemporaryFolder;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  const std::string text = read_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find("\r\n", begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// Returns the rows of a table, with cells by column.
std::vector<std::map<std::string, std::string>> table_of(const std::string& path) {
  const std::vector<std::string> lines = lines_of(path), columns = cells_of(lines.at(0));
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i]);
    REQUIRE(cells.size() == columns.size());
    rows.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c) rows.back()[columns[c]] = cells[c];
  }
  return rows;
}

}  // namespace

TEST_CASE("the agreed columns of version 1 come first, in their order") {
  const std::string agreed =
      "schema_version experiment case_id contract_id scaling_id baseline_case_id seed status status_reason workload "
      "dataset strategy family promise ranks threads_per_rank oversubscribed mesh transport throttle device "
      "device_name devices devices_shared host "
      "precision optimizer global_batch microbatches epochs epoch_seconds epoch_seconds_source repetitions "
      "step_seconds step_seconds_low step_seconds_high samples_per_second speedup_ratio own_speedup_ratio "
      "efficiency_ratio peak_memory_bytes final_train_loss final_validation_loss "
      "final_accuracy_ratio "
      "final_perplexity seconds_to_target epochs_to_target certificate_loss_max_rel_error "
      "certificate_gradient_max_rel_error certificate_update_max_rel_error batch_statistics_samples "
      "budget_forward_seconds budget_backward_seconds budget_recompute_seconds budget_communication_seconds "
      "budget_bubble_seconds budget_optimizer_seconds budget_input_seconds budget_rest_seconds "
      "sent_bytes_per_rank_per_step sent_bytes_nominal collectives peculiar_kernels launches_per_rank_per_step "
      "launch_mode "
      "predicted_step_seconds "
      "predicted_budget_forward_seconds "
      "predicted_budget_backward_seconds predicted_budget_recompute_seconds predicted_budget_communication_seconds "
      "predicted_budget_bubble_seconds predicted_budget_optimizer_seconds predicted_budget_input_seconds "
      "predicted_budget_rest_seconds "
      "predicted_peak_memory_bytes noise_floor_loss "
      "noise_floor_gradient noise_floor_update certified certificate_reason target tolerance_loss "
      "tolerance_gradient tolerance_update certificate_statistic_max_rel_error noise_floor_statistic "
      "tolerance_statistic final_loss_scale skipped_steps loader_bytes heap_peak_bytes case_heap_peak_bytes "
      "resident_peak_bytes resident_excess_bytes case_resident_peak_bytes resident_base_bytes "
      "flops_per_second";
  std::string names;
  for (const ColumnText& column : Table<CaseRow>::columns()) names += (names.empty() ? "" : " ") + column.name;
  CHECK(names.starts_with(agreed));
}

TEST_CASE("tables contain what was added") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "deep/run", "fixture");
  RecordStore store(folder, "{\"name\": \"fixture\"}\n");
  CHECK(lines_of(folder + "/cases.csv").size() == 1);

  EpochRecord epoch;
  epoch.case_id = "ddp-r2";
  epoch.epoch = 1;
  epoch.train_loss = 0.5;
  store.add(epoch);
  RankRecord rank;
  rank.case_id = "ddp-r2";
  rank.rank = 1;
  rank.role = "all";
  rank.peak_bytes = {{"parameters", 400}, {"packed", 7}};
  rank.sent_bytes = {{"all_reduce", 0}};
  store.add(rank);
  store.add(finished_case("single", 1, 4, 0.1));
  store.add(ended_case("gpipe, m=4", 2, Status::failed, "killed by \"someone\""));
  store.update_tables();

  const auto cases = lines_of(folder + "/cases.csv");
  REQUIRE(cases.size() == 3);
  CHECK(cases[1].find("2,fixture,single-r1,c0ffee,,single-r1,1,ok,,mlp,idx,single,,exact,1,1,false,") == 0);
  CHECK(cases[2].find("2,fixture,\"gpipe, m=4-r2\",c0ffee,,,1,failed,\"killed by \"\"someone\"\"\",mlp,idx,") == 0);
  CHECK(lines_of(folder + "/epochs.csv") ==
        std::vector<std::string>{
            "case_id,epoch,epoch_seconds,validation_seconds,train_loss,validation_loss,"
            "accuracy_ratio,top5_accuracy_ratio,perplexity,elapsed_seconds,loss_scale,skipped_steps,step,"
            "trained_seconds",
            "ddp-r2,1,0,0,0.5,0,0,0,,0,,,,"});
  CHECK(lines_of(folder + "/ranks.csv") ==
        std::vector<std::string>{
            "case_id,rank,role,budget_forward_seconds,budget_backward_seconds,budget_recompute_seconds,"
            "budget_communication_seconds,budget_bubble_seconds,budget_optimizer_seconds,budget_input_seconds,"
            "budget_rest_seconds,flops_per_step,peak_parameters_bytes,peak_gradients_bytes,peak_optimizer_state_bytes,"
            "peak_activations_bytes,peak_workspace_bytes,peak_communication_bytes,peak_packed_bytes,"
            "sent_all_reduce_bytes_per_step,sent_reduce_scatter_bytes_per_step,sent_all_gather_bytes_per_step,"
            "sent_all_to_all_bytes_per_step,sent_broadcast_bytes_per_step,sent_send_bytes_per_step,"
            "at_peak_parameters_bytes,at_peak_gradients_bytes,at_peak_optimizer_state_bytes,at_peak_activations_bytes,"
            "at_peak_workspace_bytes,at_peak_communication_bytes",
            "ddp-r2,1,all,0,0,0,0,0,0,0,0,0,400,,,,,,7,0,,,,,,,,,,,"});
  CHECK(read_file(folder + "/config.json") == "{\"name\": \"fixture\"}\n");
  const auto environment = nlohmann::json::parse(read_file(folder + "/environment.json"));
  CHECK(environment.at("config_hash").get<std::string>().size() == 16);
  CHECK(environment.at("usable_cores").get<int>() >= 1);
  CHECK(environment.at("build").contains("git_commit"));
  CHECK(environment.at("start_time_utc").get<std::string>().size() == 20);
  CHECK(environment.at("libraries").contains("oneDNN"));
}

TEST_CASE("tables that grew are equal to those rebuilt from the journal") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  for (int i = 0; i < 6; ++i) {
    CaseRecord record = finished_case("ddp", i == 3 ? 1 : 2, 8 - i, 0.1);  // the fourth is the baseline of the others
    record.case_id += "-" + std::to_string(i);
    if (i == 2) record.status_reason = "no UTF-8: \xff";
    UtilisationRecord sample;
    sample.case_id = record.case_id;
    sample.elapsed_seconds = 0.1 * i;
    store.add(sample);
    EpochRecord epoch;
    epoch.case_id = record.case_id;
    epoch.train_loss = 1.0 / (i + 3);
    store.add(epoch);
    RankRecord rank;
    rank.case_id = record.case_id;
    if (i % 2 == 1) rank.peak_bytes["class of case " + std::to_string(i)] = i;
    store.add(rank);
    VisitRecord visit;
    visit.case_id = record.case_id;
    visit.round = 1;
    store.add(visit);
    store.add(record);
    if (i == 4) std::ofstream(folder + "/epochs.csv") << "somebody's";
    if (i == 5) std::filesystem::remove(folder + "/utilisation.csv");
    store.update_tables();
  }
  std::filesystem::create_directory(temporary / "again");
  const Records all = read_records(folder);
  TableFiles(temporary / "again").replace(all, all);
  for (const char* name : {"/cases.csv", "/epochs.csv", "/ranks.csv", "/utilisation.csv", "/visits.csv"}) {
    INFO(name);
    CHECK(lines_of(folder + name).size() == 7);
    CHECK(read_file(folder + name) == read_file(temporary / "again" + name));
  }
}

TEST_CASE("a case's rows are appended to the tables, which are rewritten if it changes other rows", "[F13]") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  const auto inode_of = [&](const std::string& name) {
    struct stat status {};
    REQUIRE(::stat((folder + name).c_str(), &status) == 0);
    return status.st_ino;
  };
  const auto add = [&](const CaseRecord& record, std::int64_t packed_bytes) {
    EpochRecord epoch;
    epoch.case_id = record.case_id;
    store.add(epoch);
    RankRecord rank;
    rank.case_id = record.case_id;
    if (packed_bytes > 0) rank.peak_bytes["packed"] = packed_bytes;
    store.add(rank);
    store.add(record);
    store.update_tables();
  };
  const auto cases = inode_of("/cases.csv"), epochs = inode_of("/epochs.csv"), ranks = inode_of("/ranks.csv");
  add(finished_case("ddp", 2, 3, 0.1), 0);
  add(finished_case("ddp", 4, 2, 0.1), 0);
  CHECK(inode_of("/cases.csv") == cases);
  CHECK(inode_of("/ranks.csv") == ranks);
  add(finished_case("single", 1, 4, 0.1), 7);
  const auto with_baseline = inode_of("/cases.csv"), with_packed = inode_of("/ranks.csv");
  CHECK(with_baseline != cases);
  CHECK(with_packed != ranks);
  add(finished_case("zero", 2, 3, 0.1), 8);
  CHECK(inode_of("/cases.csv") == with_baseline);
  CHECK(inode_of("/ranks.csv") == with_packed);
  CHECK(inode_of("/epochs.csv") == epochs);
  CHECK(table_of(folder + "/cases.csv").at(0).at("speedup_ratio") == cell(4e-3 / 3e-3));
}

TEST_CASE("a run does not read its own journal") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  store.add(finished_case("single", 1, 4, 0.1));
  std::filesystem::resize_file(folder + "/journal.jsonl", 0);
  store.add(finished_case("ddp", 2, 2, 0.1));
  store.update_tables();
  CHECK(lines_of(folder + "/cases.csv").size() == 3);
  CHECK(store.records().cases.size() == 2);
}

TEST_CASE("a row that does not fit on the disk leaves its table unchanged") {
  TemporaryFolder temporary;
  const std::string path = temporary / "epochs.csv";
  GrowingTable<EpochRecord> table(temporary.path());
  table.replace(std::vector<EpochRecord>(3));
  const std::string before = read_file(path);
  struct rlimit limit {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit tight { before.size() + 5, limit.rlim_max };
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const std::vector<EpochRecord> more(1);
  CHECK_THROWS_AS(table.append(more), ddlbench::InputError);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  CHECK(read_file(path) == before);
  CHECK(table.append(more));
  CHECK(lines_of(path).size() == 5);
}

TEST_CASE("a file system that is almost full is an error that names the folder and both sizes") {
  TemporaryFolder temporary;
  CHECK_NOTHROW(require_space(temporary.path(), 1));
  CHECK_NOTHROW(require_space(temporary / "not there", std::int64_t{1} << 60));  // which is another error
  const std::string why =
      ddlbench::test::failure_of<ddlbench::InputError>([&] { require_space(temporary.path(), std::int64_t{1} << 60); });
  CHECK(contains(why, temporary.path() + ": the file system has only "));
  CHECK(contains(why, " left; a case needs at least "));
}

TEST_CASE("journals of older builds give the same tables as before") {
  for (const std::string run : {"cpu/amd-avx512/quickstart", "quickstart", "gpt2"}) {
    const std::string folder = source_root() / "results/reference" / run;
    TemporaryFolder again;
    const Records all = read_records(folder);
    TableFiles(again.path()).replace(all, all);
    for (const char* name : {"/cases.csv", "/epochs.csv", "/ranks.csv", "/utilisation.csv"}) {
      const auto then = table_of(folder + name), now = table_of(again.path() + name);
      REQUIRE(then.size() == now.size());
      for (std::size_t row = 0; row < then.size(); ++row) {
        for (const auto& [column, cell] : then[row]) {
          if (column == "schema_version") continue;
          INFO(run << name << ", row " << row << ", " << column);
          REQUIRE(now[row].contains(column));
          CHECK(now[row].at(column) == cell);
        }
      }
    }
  }
}

TEST_CASE("environment.json lists each host once with its ranks") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  const auto hosts = [&] { return nlohmann::json::parse(read_file(folder + "/environment.json")).at("hosts"); };
  CHECK(hosts() == nlohmann::json::array());
  store.place("node2", 2, 1);
  store.place("node1", 0, 2);
  store.place("node1", 1, 1);
  store.update_tables();
  const nlohmann::json two = {{{"host", "node1"}, {"ranks", {0, 1}}}, {{"host", "node2"}, {"ranks", {2}}}};
  CHECK(hosts() == two);
}

TEST_CASE("the start of a case is read back with its time") {
  TemporaryFolder temporary;
  const std::string folder = create_output_folder(temporary / "run", "fixture");
  RecordStore store(folder, "{}\n");
  store.begin_case("ddp-r2");
  const std::vector<StartedCase> started = read_records(folder).started;
  REQUIRE(started.size() == 1);
  CHECK(started[0].case_id == "ddp-r2");
  CHECK(started[0].time_utc == store.records().started[0].time_utc);
}

TEST_CASE("replacing a file leaves no temporary file behind") {
  TemporaryFolder folder;
  write_file_atomically(folder / "a.csv", "old");
  write_file_atomically(folder / "a.csv", "new");
  CHECK(read_file(folder / "a.csv") == "new");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a link in the place of a table's temporary file is not followed", "[F14]") {
  TemporaryFolder folder;
  std::ofstream(folder / "victim") << "precious";
  for (const char* mark : {".tmp", ".tmp-"})
    std::filesystem::create_symlink(folder / "victim",
                                    folder / ("cases.csv" + std::string(mark) + std::to_string(::getpid())));
  write_file_atomically(folder / "cases.csv", "new");
  CHECK(read_file(folder / "victim") == "precious");
  CHECK(read_file(folder / "cases.csv") == "new");
}

TEST_CASE("an output folder that cannot be used is rejected at once") {
  TemporaryFolder folder;
  SECTION("it has something in it") {
    std::ofstream(folder / "mine.txt") << "precious";
    try {
      create_output_folder(folder.path(), "fixture");
      FAIL("it was taken");
    } catch (const ddlbench::InputError& error) {
      CHECK(std::string(error.what()).find(folder.path() + " is not empty") != std::string::npos);
      CHECK(std::string(error.what()).find("--output") != std::string::npos);
    }
  }
  SECTION("a file is in its way") {
    std::ofstream(folder / "file") << "x";
    CHECK_THROWS_AS(create_output_folder(folder / "file", "fixture"), ddlbench::InputError);
    CHECK_THROWS_AS(create_output_folder(folder / "file/below", "fixture"), ddlbench::InputError);
  }
  SECTION("the system does not let it be made") {
    CHECK_THROWS_AS(create_output_folder("/proc/ddlbench", "fixture"), ddlbench::InputError);
  }
  SECTION("an empty one is fine") {
    CHECK(create_output_folder(folder.path(), "fixture") == folder.path());
  }
}

TEST_CASE("a record that is not one of its kind is reported with its line") {
  TemporaryFolder folder;
  Journal journal(journal_path(folder.path()));
  journal.append({"rounds_started", {{"contract_id", "c"}}});
  const auto failure = [&] { return ddlbench::test::failure_of([&] { read_records(folder.path()); }); };
  CHECK(failure() == "nothing was thrown");
  SECTION("an unknown kind") {
    journal.append({"news", 1});
  }
  SECTION("a list") {
    journal.append({"case", nlohmann::json::array()});
  }
  SECTION("a key without its type") {
    journal.append({"rounds_started", {{"contract_id", 1}}});
  }
  SECTION("a number that is not an integer") {
    journal.append({"case", {{"ranks", 1e300}}});
  }
  CHECK(failure().starts_with(journal_path(folder.path()) + ":2: "));
}
