// SPDX-License-Identifier: Apache-2.0
// Servers that stand in for those of the surfaces and enforce their rules.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace dragoman::test {

struct WireRequest {
  std::string method;
  std::string path;  // without the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;
};

struct WireResponse {
  int status = 200;
  std::map<std::string, std::string> fields = {};
  std::string body = "{}";
};

// Of a query or a path: %41 and +.
[[nodiscard]] std::string url_decoded(const std::string& text);

// A server on a free port of this machine. Derived classes say what an API does; this one counts,
// throttles and loses answers.
class StandIn {
 public:
  StandIn();
  virtual ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  [[nodiscard]] std::string url() const;

  // Carries the request out and drops the reply, for that share of the requests that write.
  void drop_replies(double share) { drop_ = share; }
  // Refuses everything for that long, saying so with these fields; whoever comes earlier is
  // counted.
  void throttle(std::chrono::milliseconds time, WireResponse answer);
  // Answers the next request whose path ends so with this status.
  void fail_next(std::string path_end, int status);
  // Answers every GET whose path ends so with this status; 0: none any more.
  void refuse_reads(std::string path_end, int status);
  // What was against the rules of the API.
  [[nodiscard]] std::vector<std::string> complaints() const;
  [[nodiscard]] int early() const { return early_; }
  [[nodiscard]] int requests() const { return requests_; }

 protected:
  virtual WireResponse serve(const WireRequest& request) = 0;  // with mutex_ held
  WireResponse refuse(int status, const std::string& why);
  void stop();  // derived classes call it in their destructor

  mutable std::mutex mutex_;

 private:
  void accept_all();
  void talk(int peer);
  WireResponse answer(const WireRequest& request);

  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
  std::vector<std::thread> talks_;
  std::atomic<double> drop_ = 0;
  std::atomic<int> early_ = 0;
  std::atomic<int> requests_ = 0;
  std::vector<std::string> complaints_;
  std::chrono::steady_clock::time_point closed_until_{};
  bool announced_ = false;  // somebody has been told to wait
  std::optional<WireResponse> throttled_;
  std::string failing_path_;
  int failing_status_ = 0;
  std::string unread_path_;
  int unread_status_ = 0;
  std::minstd_rand random_{7};
};

struct Post {
  std::string id;
  std::string text;  // body, content, or all texts of the blocks
  nlohmann::json json;
  std::string author;
  bool ours = true;
  int edits = 0;
};

class GithubStandIn final : public StandIn {
 public:
  ~GithubStandIn() override { stop(); }
  std::vector<Post> posts() const;  // ours
  std::string comment(const std::string& login, const std::string& body,
                      const std::string& type = "User");
  void react(const std::string& comment, const std::string& login, const std::string& content);
  // Requests for comments behind the first page.
  [[nodiscard]] int later_pages() const { return later_pages_; }
  std::map<std::string, std::string> permissions;  // login -> admin, write, read

 private:
  WireResponse serve(const WireRequest& request) override;
  WireResponse comments(const WireRequest& request);
  WireResponse one_comment(const WireRequest& request, const std::string& id);

  std::vector<Post> all_;
  std::vector<nlohmann::json> reactions_;
  int next_ = 100;
  int version_ = 1;
  std::atomic<int> later_pages_ = 0;
  // Each change is a second later than the one before; it began a day ago. We post now.
  std::int64_t clock_ = std::time(nullptr) - 24 * 3600;
};

class DiscordStandIn final : public StandIn {
 public:
  ~DiscordStandIn() override { stop(); }
  std::vector<Post> posts() const;
  void reply(const std::string& to, const std::string& user, const std::string& content);
  void react(const std::string& message, const std::string& user, const std::string& emoji);

 private:
  WireResponse serve(const WireRequest& request) override;
  WireResponse post(const WireRequest& request);
  std::string check(const nlohmann::json& body) const;

  std::vector<Post> all_;
  std::vector<nlohmann::json> reactions_;  // {message, emoji, user}
  // Ids have the time in them, in milliseconds since 2015.
  std::uint64_t next_ = (static_cast<std::uint64_t>(std::time(nullptr)) - 1'420'070'400) * 1000
                        << 22U;
};

class SlackStandIn final : public StandIn {
 public:
  ~SlackStandIn() override { stop(); }
  std::vector<Post> posts() const;
  std::vector<nlohmann::json> calls(const std::string& method) const;  // views.open, …
  void say(const std::string& text);                                   // somebody else does

 private:
  WireResponse serve(const WireRequest& request) override;
  WireResponse history(const WireRequest& request);
  std::string next_id();
  std::string check(const nlohmann::json& body) const;

  std::vector<Post> all_;
  std::map<std::string, std::vector<nlohmann::json>> calls_;
  int next_ = 1;
};

}  // namespace dragoman::test
