// SPDX-License-Identifier: Apache-2.0
// Clusters that let not everybody in: TLS, passwords, client certificates, credentials files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/log/open_log.hpp"
#include "dragoman/task/service.hpp"
#include "tests/e2e/nats_identity.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/nats_cluster.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class SecureFleet : public testing::Test {
 protected:
  void SetUp() override {
    DRAGOMAN_NEEDS_NATS();
    ASSERT_TRUE(make_certificates(directory_.path())) << "openssl is missing";
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] std::string tls(const std::string& who, const std::string& more = "") const {
    return fmt::format("tls {{ cert_file: \"{}\", key_file: \"{}\"{} }}\n", file(who + ".pem"),
                       file(who + ".key"), more);
  }
  void start_servers(const std::string& configuration) {
    cluster_ = std::make_unique<NatsCluster>(1, "127.0.0.1", configuration);
  }
  [[nodiscard]] std::string url(const std::string& scheme, const std::string& who,
                                const std::string& options) const {
    return fmt::format("{}://{}localhost:{}/secure?replicas=1{}", scheme, who, cluster_->port(0),
                       options);
  }
  // What is wrong with an address; empty: nothing.
  [[nodiscard]] static std::string fault_of(const std::string& url) {
    const auto log = open_log(url, "");
    if (!log) return log.error().message;
    const auto last = (*log)->last("s");
    return last ? "" : last.error().message;
  }
  // Submits by the command line, and a worker does it.
  [[nodiscard]] std::string do_one_task(const std::string& store) const {
    const std::vector<std::string> environment = {"DRAGOMAN_STATE_DIR=" + file("state"),
                                                  "HOME=" + directory_.path().string(),
                                                  "DRAGOMAN_STORE=" + store};
    const Running worker(dragoman_program(),
                         Start{.arguments = {"worker", "--name", "w"}, .environment = environment});
    const Ended submitted = dragoman({.arguments = {"task", "submit", "--cwd", "/tmp", "--agent",
                                                    "command", "--", "/bin/echo", "done"},
                                      .environment = environment});
    if (submitted.exit_code != 0) return submitted.out + submitted.err;
    const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
    const Ended waited = dragoman(
        {.arguments = {"task", "wait", id, "--timeout", "60s"}, .environment = environment});
    return waited.exit_code == 0 ? "done" : waited.out + waited.err;
  }
  [[nodiscard]] Ended doctor(const std::string& store) const {
    return dragoman({.arguments = {"doctor", "--store", store},
                     .environment = {"DRAGOMAN_STATE_DIR=" + file("state"),
                                     "HOME=" + directory_.path().string()}});
  }

  TempDir directory_;
  std::unique_ptr<NatsCluster> cluster_;
};

TEST_F(SecureFleet, APasswordOverTls) {
  start_servers(tls("server") + "authorization { user: fleet, password: secret }\n");
  const std::string ca = "&ca=" + file("ca.pem");
  const std::string good = url("tls", "fleet:secret@", ca);
  ASSERT_EQ(fault_of(good), "");
  EXPECT_EQ(do_one_task(good), "done");
  const Ended healthy = doctor(good);
  EXPECT_THAT(healthy.out, HasSubstr("nats-server 2."));
  EXPECT_THAT(healthy.out, HasSubstr("secure-events"));
  EXPECT_THAT(healthy.out, Not(HasSubstr("broken")));

  EXPECT_NE(fault_of(url("tls", "fleet:wrong@", ca)), "");
  EXPECT_NE(fault_of(url("tls", "", ca)), "");
  EXPECT_NE(fault_of(url("tls", "fleet:secret@", "&ca=" + file("other.pem"))), "");
  EXPECT_NE(fault_of(url("tls", "fleet:secret@", "")), "");  // nobody the system trusts
  EXPECT_NE(fault_of(url("nats", "fleet:secret@", "")), "");
  const Ended refused = doctor(url("tls", "fleet:wrong@", ca));
  EXPECT_THAT(refused.out, HasSubstr("credentials"));
  EXPECT_THAT(refused.out + refused.err, Not(HasSubstr("wrong")));
}

TEST_F(SecureFleet, ACertificateOfAnotherHostIsRefused) {
  start_servers(tls("elsewhere"));
  EXPECT_NE(fault_of(url("tls", "", "&ca=" + file("ca.pem"))), "");
}

TEST_F(SecureFleet, ClientsWithACertificate) {
  start_servers(tls("server", fmt::format(", ca_file: \"{}\", verify: true", file("ca.pem"))));
  const std::string ca = "&ca=" + file("ca.pem");
  EXPECT_EQ(fault_of(url("tls", "",
                         ca + "&certificate=" + file("client.pem") + "&key=" + file("client.key"))),
            "");
  EXPECT_NE(fault_of(url("tls", "", ca)), "");
  EXPECT_NE(fault_of(url("tls", "",
                         ca + "&certificate=" + file("other.pem") + "&key=" + file("other.key"))),
            "");
}

TEST_F(SecureFleet, ACredentialsFile) {
  const NatsAccount account = make_nats_account();
  write_file(file("good.creds"), account.credentials);
  write_file(file("bad.creds"), make_nats_account().credentials);
  start_servers(tls("server") + account.configuration);
  const std::string ca = "&ca=" + file("ca.pem");
  const std::string good = url("tls", "", ca + "&credentials=" + file("good.creds"));
  ASSERT_EQ(fault_of(good), "");
  EXPECT_EQ(do_one_task(good), "done");
  EXPECT_NE(fault_of(url("tls", "", ca + "&credentials=" + file("bad.creds"))), "");
  EXPECT_NE(fault_of(url("tls", "", ca + "&credentials=" + file("none.creds"))), "");
  EXPECT_NE(fault_of(url("tls", "", ca)), "");
  // A lost connection is made again with the same file.
  const auto log = open_log(good, "");
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_TRUE(write_one(**log, Append{"s", {"before"}, {}}));
  cluster_->kill(0);
  cluster_->start(0);
  EXPECT_TRUE(eventually([&] { return write_one(**log, Append{"s", {"after"}, 1}).has_value(); }));
  EXPECT_EQ(*(*log)->last("s"), 2U);
}

}  // namespace
}  // namespace dragoman::test
