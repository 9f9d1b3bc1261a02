// SPDX-License-Identifier: Apache-2.0
// A run as one Delegator envelope.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/writer.hpp"

namespace dragoman {

// Collects what a result_set says about a task and writes the envelope at the end. Nothing is
// written before: an envelope is one line.
class DelegatorWriter final : public Writer {
 public:
  explicit DelegatorWriter(WriterOptions options) : options_(options) {}

  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

 private:
  struct Problem {
    std::string message;
    std::string type;
    std::string suggestion;
  };

  void note_text(std::string_view text);
  void note_file(const FileChange& file);
  void note_usage(const Usage& usage, const Event& event);
  void note_turn(const TurnFinished& turn, const Event& event);
  void note_task(const Status& status);
  void note_failure(const Failure& failure, const Event& event);
  Written note_status(const Status& status);
  void note_end(const Finished& finished);
  Written note_question(const Question& question, const Event& event);
  void note_blocked(const Blocked& blocked);

  [[nodiscard]] std::string state() const;
  [[nodiscard]] Problem problem() const;
  [[nodiscard]] std::string summary(std::string_view state) const;
  [[nodiscard]] std::int64_t seconds() const;
  [[nodiscard]] std::string stamp() const;
  void put_data(std::string& out, std::string_view state) const;
  void put_metadata(std::string& out, std::string_view state) const;
  void put_output(std::string& out) const;

  WriterOptions options_;
  std::uint64_t events_ = 0;
  std::string task_id_;
  std::string thread_id_;
  std::optional<Timestamp> first_;
  std::optional<Timestamp> last_;
  std::set<std::string> modified_, added_, deleted_;
  std::optional<TestResults> tests_;
  std::vector<std::string> failed_tests_;
  struct {
    bool known = false;
    std::int64_t input = 0;
    std::int64_t cached = 0;
    std::int64_t output = 0;
  } tokens_;
  double duration_ms_ = 0;
  std::optional<bool> turn_ok_;
  std::string turn_state_;    // of a turn that an envelope reported
  std::string turn_summary_;  // the same
  std::string end_state_;     // of a supervised run
  std::optional<Problem> problem_;
  std::optional<std::string> blocked_;                         // JSON of what to answer
  std::optional<std::string> paused_;                          // what the agent said when it paused
  std::map<std::string, std::string, std::less<>> questions_;  // JSON by id
  std::string last_words_;                                     // of the agent
  std::string output_;
};

}  // namespace dragoman
