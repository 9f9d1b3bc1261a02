// SPDX-License-Identifier: Apache-2.0
// dragoman serve as it is started by people and programs.
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/raw_client.hpp"

namespace dragoman::test {
namespace {

class Serve : public testing::Test {
 protected:
  void start(std::vector<std::string> options) {
    options.insert(options.begin(), {"serve", "--port", port_ == 0 ? "0" : std::to_string(port_)});
    running_ = std::make_unique<Running>(
        dragoman_program(), Start{.arguments = std::move(options), .environment = environment()});
    ASSERT_TRUE(eventually([&] { return running_->out_so_far().find('\n') != std::string::npos; }))
        << running_->err_so_far();
  }
  void start_json(std::vector<std::string> options = {}) {
    options.emplace_back("--json");
    start(std::move(options));
    const auto told = nlohmann::json::parse(running_->out_so_far());
    token_ = told["token"];
    const std::string url = told["url"];
    port_ = static_cast<std::uint16_t>(std::atoi(url.substr(url.rfind(':') + 1).c_str()));
  }
  [[nodiscard]] std::vector<std::string> environment() const {
    std::vector<std::string> all = {"DRAGOMAN_STATE_DIR=" + directory_.path().string(),
                                    "HOME=" + (directory_.path() / "home").string()};
    all.insert(all.end(), more_.begin(), more_.end());
    return all;
  }
  [[nodiscard]] RawResponse get(const std::string& target, const std::string& fields) const {
    const auto response = ask_once(
        port_,
        fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", target, port_, fields));
    EXPECT_TRUE(response) << target;
    return response.value_or(RawResponse{});
  }
  [[nodiscard]] RawResponse get(const std::string& target) const {
    return get(target, "Authorization: Bearer " + token_ + "\r\n");
  }

  TempDir directory_;
  std::unique_ptr<Running> running_;
  std::uint16_t port_ = 0;
  std::string token_;
  std::vector<std::string> more_;  // of the environment
};

TEST_F(Serve, TellsProgramsWhereItIsAndEndsInGoodOrder) {
  start_json();
  EXPECT_EQ(get("/healthz", "").status, 200);
  EXPECT_EQ(get("/api/v1/runs").status, 200);
  EXPECT_EQ(get("/api/v1/runs", "").status, 401);
  running_->send(SIGTERM);
  EXPECT_EQ(running_->wait().exit_code, 0);
}

TEST_F(Serve, PrintsOneAddressThatOpensTheDashboardOnce) {
  start({});
  const std::string line = running_->out_so_far();
  const std::string scheme = "http://127.0.0.1:";
  ASSERT_EQ(line.substr(0, scheme.size()), scheme);
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  port_ = static_cast<std::uint16_t>(std::atoi(line.substr(scheme.size()).c_str()));
  const std::string target =
      line.substr(line.find("/login"), line.size() - line.find("/login") - 1);
  EXPECT_EQ(get(target, "").status, 303);
  EXPECT_EQ(get(target, "").status, 401);
  const Ended again = dragoman({.arguments = {"serve", "--login", "--port", std::to_string(port_)},
                                .environment = environment()});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const std::string fresh = again.out.substr(again.out.find("/login"));
  EXPECT_EQ(get(fresh.substr(0, fresh.size() - 1), "").status, 303);
}

TEST_F(Serve, NoAddressIsPrintedForAServerThatIsNotThere) {
  const Ended ended =
      dragoman({.arguments = {"serve", "--login", "--port", "1"}, .environment = environment()});
  EXPECT_EQ(ended.exit_code, 125);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("no server answers at"), std::string::npos) << ended.err;
}

TEST_F(Serve, SaysWhenItCannotPrintItsAddress) {
  Running running(dragoman_program(), {.arguments = {"serve", "--port", "0"},
                                       .environment = environment(),
                                       .stdout_to = "/dev/full"});
  const auto said = [&] { return running.err_so_far(); };
  EXPECT_TRUE(eventually([&] { return said().find("--login") != std::string::npos; })) << said();
  EXPECT_NE(said().find("the address could not be printed: No space left on device; the server is "
                        "at http://127.0.0.1:"),
            std::string::npos)
      << said();
  running.send(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 2);
}

TEST_F(Serve, TheTokenSurvivesARestartAndNotANewOne) {
  start_json();
  const std::string first = token_;
  running_->send(SIGINT);
  running_->wait();
  start_json();
  EXPECT_EQ(token_, first);
  // Another server's --new-token counts for this one, too.
  const std::uint16_t port = port_;
  auto old = std::move(running_);
  port_ = 0;
  start_json({"--new-token"});
  EXPECT_NE(token_, first);
  port_ = port;
  EXPECT_EQ(get("/api/v1/info").status, 200);
  EXPECT_EQ(get("/api/v1/info", "Authorization: Bearer " + first + "\r\n").status, 401);
}

TEST_F(Serve, TheDemoPlaysByItselfAndLeavesNothing) {
  start_json({"--demo"});
  EXPECT_TRUE(nlohmann::json::parse(get("/api/v1/info").body)["demo"].get<bool>());
  EXPECT_TRUE(
      eventually([&] { return !nlohmann::json::parse(get("/api/v1/runs").body)["runs"].empty(); }));
  running_->send(SIGTERM);
  EXPECT_EQ(running_->wait().exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(Serve, ADemoLeavesNothingWhenItsTerminalIsClosed) {
  std::filesystem::create_directory(directory_.path() / "tmp");
  more_ = {"TMPDIR=" + (directory_.path() / "tmp").string()};
  start_json({"--demo"});
  EXPECT_FALSE(std::filesystem::is_empty(directory_.path() / "tmp"));
  running_->send(SIGHUP);
  EXPECT_EQ(running_->wait().exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() / "tmp"));
}

// It went on in the working directory.
TEST_F(Serve, ADemoNeedsAPlaceOfItsOwn) {
  more_ = {"TMPDIR=/nowhere"};
  const Ended ended =
      dragoman({.arguments = {"serve", "--demo", "--port", "0"}, .environment = environment()});
  EXPECT_EQ(ended.exit_code, 125);
  EXPECT_EQ(ended.err,
            "dragoman: serve: make a directory for the demo in /nowhere: No such file or "
            "directory; TMPDIR names another place\n");
}

TEST_F(Serve, APortThatIsTakenIsNamed) {
  start_json();
  const Ended second = dragoman(
      {.arguments = {"serve", "--port", std::to_string(port_)}, .environment = environment()});
  EXPECT_EQ(second.exit_code, 125);
  EXPECT_NE(second.err.find(std::to_string(port_)), std::string::npos) << second.err;
  EXPECT_EQ(
      dragoman({.arguments = {"serve", "--port", "x"}, .environment = environment()}).exit_code, 2);
}

}  // namespace
}  // namespace dragoman::test
