// SPDX-License-Identifier: Apache-2.0
// No secret that passes through a run or a task is kept or shown: one canary of every kind, whole,
// escaped as JSON once and twice, and cut at every byte, looked for in everything that is left.
#include <gmock/gmock.h>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/secret_samples.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

struct Canary {
  std::string before;
  std::string secret;  // must be found nowhere
  std::string after;
  [[nodiscard]] std::string text() const { return before + secret + after; }
};

// Put together here, so that no scanner takes them for real ones.
std::vector<Canary> canaries() {
  const std::string tail = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
  const std::string jwt = std::string("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9") +
                          ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
  return {
      {"", "sk-" + std::string("ant-api03-") + tail + "-AA", ""},
      {"", "sk-" + std::string("proj-") + tail, ""},
      {"", "sk-" + tail + tail, ""},
      {"", "ghp" + ("_" + tail), ""},
      {"", "gho" + ("_" + tail), ""},
      {"", "ghu" + ("_" + tail), ""},
      {"", "ghs" + ("_" + tail), ""},
      {"", "ghr" + ("_" + tail), ""},
      {"", "github" + ("_pat_11ABCDEFG0" + tail), ""},
      {"", std::string("AKIA") + "IOSFODNN7EXAMPLE", ""},
      {"", std::string("ASIA") + "IOSFODNN7EXAMPLE", ""},
      {"aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""},
      {"", "AIza" + tail, ""},
      {"Authorization: Bearer ", tail, ""},
      {std::string("-----BEGIN RSA ") + "PRIVATE KEY-----\n", "MIIEowIBAAKCAQEAtest0123456789",
       std::string("\nabcdefghij+/ABCDEFGHIJ==\n-----END RSA ") + "PRIVATE KEY-----"},
      {"", jwt, ""},
      {"", std::string("xoxb") + "-123456789012-abcdefABCDEF", ""},
      {"postgres://", "admin:hunter2hunter2", "@db.example.org/x"},
      {"postgres://", "app:s3cr3t+Passw0rd==", "@db.example.org/x"},
      {"amqp://", "app:s3cr3t$Passw0rd", "@db"},
      {"export DB_PASSWORD=", "correct-horse-battery", ""},
      {"DB_PASSWORD=", "s3cr3t$Passw0rd99", ""},
      {"DB_PASSWORD=\"", "s3cr3t Passw0rd77", "\""},
      {"MY_SECRET_THING=", "abcd1234efgh5678", ""},
      {"CI_TOKEN=", "tok1234tok5678tok", ""},
      {"SIGNING_KEY=", "kkkk1234kkkk5678", ""},
      {"DB_PASSWD=", "pppp1234pppp5678", ""},
      {"\"api_key\": \"", "abcdefgh12345678zz", "\""},
      {"\"password\": \"", "correct-horse-staple", "\""},
      {"the value ", "plain-looking-value-of-ours", " of a variable"},
      {"the value ", "/Zq8k/is-no-path", " of a variable"},
      {"the value ", "Gr\xc3\xbcn&Tee99x", " of a variable"},
      {std::string("    1\xe2\x86\x92-----BEGIN OPENSSH ") + "PRIVATE KEY-----\n    2\xe2\x86\x92",
       "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
       std::string("\n    3\xe2\x86\x92-----END OPENSSH ") + "PRIVATE KEY-----"},
      {"https://", "4f9a0c6e1b7d42858c5e90ab17f3d6244b8e0d9c", "@github.com/a/b.git"},
      {"secret_key = '", "django-insecure-9x$w!z8k", "'"},
      {"x-api-key: ", "Kk3dE6gH9jK2mN5pQ8sT1vW4", ""},
      {"Authorization: Basic ", "YWRtaW46aHVudGVyMmh1bnRlcjI=", ""},
      {"MYSQL_PWD=", "mysql-pass-phrase-9", ""},
      {"token \x1b[31m", "npm_Zz9dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6", "\x1b[0m"},
  };
}
constexpr char kOurs[] = "CANARY_TOKEN=plain-looking-value-of-ours";
constexpr char kOursWithAnAccent[] = "CANARY_PASSWORD=Gr\xc3\xbcn&Tee99x";
constexpr char kOursWithASlash[] = "CANARY_SECRET=/Zq8k/is-no-path";

// Prints each text of canaries.json in every way, and says what an agent would say.
constexpr char kAgent[] = R"(#!/usr/bin/env python3
import json, os, sys, time
def put(text):
    data = text.encode()
    while data: data = data[os.write(1, data):]
rows = json.load(open(sys.argv[1]))
every = int(sys.argv[2])
for row in rows:
    put(row + "\n")
    put(json.dumps({"t": row}) + "\n")
    put(json.dumps(json.dumps({"t": row})) + "\n")
    os.write(2, (row + "\n").encode())
count = 0
for row in rows:
    for cut in range(1, len(row)):
        count += 1
        if count % every: continue
        put(row[:cut]); time.sleep(0.0005); put(row[cut:] + "\n")
)";

constexpr char kClaudeWithSecrets[] = R"(#!/usr/bin/env python3
import json, sys
rows = json.load(open("canaries.json"))
open("prompt", "w").write(sys.stdin.readline())
# As Python writes JSON and as Go does, and with the first letter of each token as an escape.
def say(o):
    line = json.dumps(o)
    print(line, flush=True)
    print(line.replace("&", "\\u0026").replace("npm_", "\\u006epm_"), flush=True)
sid = "11111111-2222-4333-8444-555555555555"
say({"type":"system","subtype":"init","session_id":sid,"cwd":".","model":"m"})
for i, row in enumerate(rows):
    say({"type":"assistant","message":{"id":str(i),"role":"assistant","content":[{"type":"text","text":row}]},"session_id":sid})
    say({"type":"assistant","message":{"id":"t%d"%i,"role":"assistant","content":[{"type":"tool_use","id":"u%d"%i,"name":"Bash","input":{"command":"echo '%s'"%row}}]},"session_id":sid})
    say({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u%d"%i,"content":json.dumps({"t":row})}]},"session_id":sid})
say({"type":"result","subtype":"success","is_error":False,"result":"\n".join(rows),"session_id":sid})
sys.stdin.read()
)";

// Has read every text of dresses.json, and asks whether it may go on with those of asked.json.
constexpr char kClaudeThatReads[] = R"(#!/usr/bin/env python3
import json, sys
told = sys.stdin.readline()
sid = "11111111-2222-4333-8444-555555555555"
def say(o): print(json.dumps(o), flush=True)
def talk(text, i): say({"type":"assistant","message":{"id":"m%s"%i,"role":"assistant","content":[{"type":"text","text":text}]},"session_id":sid})
say({"type":"system","subtype":"init","session_id":sid,"cwd":".","model":"m"})
if "--resume" in sys.argv:
    talk("Thank you.", "e")
else:
    for i, text in enumerate(json.load(open("dresses.json"))):
        say({"type":"assistant","message":{"id":"t%d"%i,"role":"assistant","content":[{"type":"tool_use","id":"u%d"%i,"name":"Read","input":{"file_path":"x"}}]},"session_id":sid})
        say({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u%d"%i,"content":text}]},"session_id":sid})
        talk(text, i)
    question = "\n".join(json.load(open("asked.json")))
    talk("<!--QUESTION:" + json.dumps({"questions":[{"question":question,"header":"h","options":[{"label":"Yes"},{"label":"No"}]}]}) + "-->\n", "q")
say({"type":"result","subtype":"success","is_error":False,"result":"ok","session_id":sid})
)";

class Redaction : public testing::Test {
 protected:
  void SetUp() override {
    place_.more_environment = {kOurs, kOursWithASlash, kOursWithAnAccent};
    json rows = json::array();
    for (const Canary& canary : canaries()) rows.push_back(canary.text());
    write_file(place_.work() / "canaries.json", rows.dump());
    agent_ = place_.script("agent.py", kAgent).string();
    place_.script("claude", kClaudeWithSecrets);
  }
  Ended tool(std::vector<std::string> arguments, std::string input = {}) const {
    Start start = place_.start({}, std::move(input));
    start.arguments = std::move(arguments);
    return dragoman(start);
  }
  // Everything below the state directory: database, write-ahead log, recordings, sessions.
  std::string kept() const {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place_.state())) {
      if (entry.is_regular_file()) all += read_file(entry.path()) + "\n";
    }
    return all;
  }
  static void expect_none(const std::string& where, const std::string& bytes) {
    for (const Canary& canary : canaries()) {
      EXPECT_EQ(bytes.find(canary.secret), std::string::npos) << where << ": " << canary.secret;
    }
  }
  // Each of so many cuts is made.
  static std::string every() { return std::to_string(1000 / scaled(1000)); }

  RunPlace place_;
  std::string agent_;
};

TEST_F(Redaction, OfAnythingACommandPrints) {
  const Ended run = place_.run({"--as", "json", "--", "python3", agent_, "canaries.json", every()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("[REDACTED:"));
  expect_none("output", run.out + run.err);
  const Ended shown = place_.run({"--", "python3", agent_, "canaries.json", "1000"});
  expect_none("terminal", shown.out + shown.err);
  expect_none("state directory", kept());
}

TEST_F(Redaction, OfAnythingAnAgentSays) {
  const Ended run = place_.run({"--agent", "claude", "--as", "json", "go"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_none("output", run.out + run.err);
  expect_none("state directory", kept());
}

TEST_F(Redaction, OfTheNamesOfFilesThatGitReports) {
  const std::string name = "plain-looking-value-of-ours";
  ASSERT_EQ(place_.run({"--", "git", "init", "-q", "."}).exit_code, 0);
  write_file(place_.work() / "make.sh", "touch " + name + " && mkdir d && touch d/" + name + "\n");
  const Ended run = place_.run({"--as", "json", "--git-changes", "--", "sh", "make.sh"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr(R"({"path":"[REDACTED:environment]")"));
  EXPECT_EQ((run.out + run.err + kept()).find(name), std::string::npos);  // nor in the verdict
}

TEST_F(Redaction, OfTheVariablesOfATask) {
  const std::string value = "nothing special about it";
  write_file(place_.work() / "show.sh",
             "printf '%s|%s' \"$FOO\" \"$API_TOKEN\" >told; touch done\n");
  const Ended submitted =
      tool({"task", "submit", "--agent", "command", "--env", "FOO=" + value, "--env",
            "API_TOKEN=hunter2", "--env", "CI=1", "--", "sh", "show.sh"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s", "--json"});
  const Ended shown = tool({"task", "status", "--json", "--verbose"});
  EXPECT_EQ(read_file(place_.work() / "told"), value + "|hunter2");
  const std::string everything = submitted.out + waited.out + shown.out;
  EXPECT_EQ(everything.find(value), std::string::npos);
  EXPECT_TRUE(eventually([&] {
    const std::string left = kept();
    return left.find(value) == std::string::npos && left.find("hunter2\"") == std::string::npos;
  }));
  EXPECT_TRUE(eventually([&] { return tool({"task", "work"}).exit_code == 0; }));
}

TEST_F(Redaction, OfATaskItsWordsAndWhatItsAgentSays) {
  std::string words = "Use these:\n";
  for (const Canary& canary : canaries()) words += canary.text() + "\n";
  const Ended submitted = tool({"task", "submit", "--agent", "claude", "-"}, words);
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s", "--json"});
  const Ended results = tool({"task", "results", id, "--events", "--output", "--json"});
  const Ended status = tool({"task", "status", "--json", "--verbose"});
  const Ended list = tool({"task", "list", "--json"});
  for (const Ended& ended : {submitted, waited, results, status, list})
    expect_none("output", ended.out + ended.err);
  expect_none("state directory", kept());
  // The agent itself was told everything.
  const json told = json::parse(read_file(place_.work() / "prompt"));
  EXPECT_EQ(told["message"]["content"][0]["text"], words);
  EXPECT_TRUE(eventually([&] { return tool({"task", "work"}).exit_code == 0; }));
}

// The samples of the redactor's own tests, on their whole way.
class DressedSecrets : public Redaction {
 protected:
  void SetUp() override {
    json texts = json::array();
    json asked = json::array();
    const std::size_t step = 1000 / scaled(1000);
    std::size_t count = 0;
    for (const Sample& sample : secret_samples()) {
      for (const std::string& text : dresses_of(sample)) {
        if (count++ % step == 0) texts.push_back(text);
      }
      if (asked.size() < 40 && count % 7 == 0) asked.push_back(sample.text());
    }
    write_file(place_.work() / "dresses.json", texts.dump());
    write_file(place_.work() / "asked.json", asked.dump());
    write_file(place_.root() / "config.toml",
               "[surface.script]\nkind = \"command\"\ncommand = [\"" +
                   place_.script("asker", "#!/bin/sh\ncat >> ../heard\necho 1\n").string() +
                   "\"]\n");
    place_.more_environment = {"DRAGOMAN_CONFIG=" + (place_.root() / "config.toml").string()};
    place_.script("claude", kClaudeThatReads);
  }
  static void expect_no_piece(const std::string& where, const std::string& bytes) {
    EXPECT_FALSE(bytes.empty()) << where;
    const std::string text = without_style(bytes);
    for (const Sample& sample : secret_samples()) {
      for (const std::string& piece : plain_pieces(sample.secret)) {
        const std::size_t at = text.find(piece);
        if (at == std::string::npos) continue;
        ADD_FAILURE() << where << ": " << piece << " in "
                      << text.substr(at < 90 ? 0 : at - 90, 200);
      }
    }
  }
  // The run that was recorded last, as pages.
  void expect_pages_without_a_piece() const {
    for (const auto& run : std::filesystem::directory_iterator(place_.state() / "runs")) {
      for (const char* const format : {"html", "markdown"}) {
        const Ended shown = tool({"show", "--as", format, (run.path() / "stdout").string()});
        EXPECT_EQ(shown.exit_code, 0) << shown.err;
        expect_no_piece(format, shown.out);
      }
    }
  }
};

TEST_F(DressedSecrets, ThatACommandPrints) {
  const Ended run = place_.run({"--as", "json", "--", "python3", "-c",
                                "import json\nfor t in json.load(open('dresses.json')): print(t)"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_no_piece("output", run.out + run.err);
  expect_no_piece("state directory", kept());
  expect_pages_without_a_piece();
}

TEST_F(DressedSecrets, ThatAnAgentReadsAndAsksAbout) {
  const Ended run =
      place_.run({"--agent", "claude", "--as", "json", "--surface", "script", "Do it"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_no_piece("output", run.out + run.err);
  expect_no_piece("surface", read_file(place_.root() / "heard"));
  expect_no_piece("state directory", kept());
  expect_pages_without_a_piece();
}

}  // namespace
}  // namespace dragoman::test
