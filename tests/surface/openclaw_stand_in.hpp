// SPDX-License-Identifier: Apache-2.0
// An OpenClaw gateway, protocol version 4, as far as questions need it.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace dragoman::test {

class OpenClawStandIn {
 public:
  explicit OpenClawStandIn(std::set<std::string> methods = {
                               "question.request", "question.waitAnswer", "question.resolve"});
  ~OpenClawStandIn();
  OpenClawStandIn(const OpenClawStandIn&) = delete;
  OpenClawStandIn& operator=(const OpenClawStandIn&) = delete;

  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::map<std::string, nlohmann::json> questions() const;  // with "status"
  // What came to /hooks/agent, by its idempotency key.
  [[nodiscard]] std::map<std::string, nlohmann::json> hooks() const;
  void answer(const std::string& id, const nlohmann::json& values);
  [[nodiscard]] std::vector<std::string> complaints() const;
  std::atomic<int> drop_next = 0;  // so many replies are lost, with their connection

 private:
  void accept_all();
  void talk(int peer);
  bool take_hook(const std::string& authorization, const std::string& body);
  nlohmann::json carry_out(const std::string& method, const nlohmann::json& params);
  nlohmann::json greet(const nlohmann::json& params);
  nlohmann::json request(const nlohmann::json& params);
  void complain(const std::string& why);

  std::set<std::string> methods_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
  std::vector<std::thread> talks_;
  mutable std::mutex mutex_;
  std::vector<int> peers_;
  std::map<std::string, nlohmann::json> questions_;
  std::map<std::string, nlohmann::json> hooks_;
  std::vector<std::string> complaints_;
};

}  // namespace dragoman::test
