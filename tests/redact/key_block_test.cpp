// SPDX-License-Identifier: Apache-2.0
// Private keys as agents show them: numbered, coloured, quoted, found by grep, in strings.
#include <gtest/gtest.h>

#include "dragoman/redact/filter.hpp"

namespace dragoman::redact {
namespace {

const std::vector<std::string> kLines = {
    "-----BEGIN RSA " + std::string("PRIVATE KEY-----"),
    "Proc-Type: 4,ENCRYPTED",
    "DEK-Info: AES-128-CBC,3F17F5316E2BAC89F20A19E7",
    "",
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz",
    "c2gtZWQyNTUxOQAAACDx8y7z6w5v4u3t2s1r0q9p8o7n6m5l4k3j2i1h0g9f8e7d",
    "QyNTUxOQ==",
    "-----END RSA " + std::string("PRIVATE KEY-----")};

std::string key_with(const std::string& before, const std::string& behind) {
  std::string out;
  int number = 0;
  for (const std::string& line : kLines) {
    std::string start = before;
    if (const auto at = start.find('#'); at != std::string::npos)
      start.replace(at, 1, std::to_string(++number));
    out += start + line + behind;
  }
  return out;
}

void expect_no_line(const std::string& text) {
  const auto rules = make_rules();
  const std::string whole = redacted(text, rules);
  for (std::size_t i = 1; i + 1 < kLines.size(); ++i) {
    if (kLines[i].empty()) continue;
    EXPECT_EQ(whole.find(kLines[i]), std::string::npos) << text << "\n" << whole;
  }
  EXPECT_EQ(whole.find("and more"), whole.size() - 8) << whole;
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    Filter filter(rules);
    std::string out(filter.push(std::string_view(text).substr(0, cut)));
    out += filter.push(std::string_view(text).substr(cut));
    out += filter.finish();
    ASSERT_EQ(out, whole) << "cut at " << cut;
  }
}

TEST(KeyBlock, GoesWhateverStandsBetweenItsLines) {
  for (const char* const before :
       {"", "     #\xe2\x86\x92", "#: ", "id_rsa:#:", "> ", "> > ", "+ ", "\x1b[32m", "    "}) {
    expect_no_line(key_with(before, "\n") + "and more");
    expect_no_line(key_with(before, "\r\n") + "and more");
    expect_no_line("{\"t\":\"" + key_with(before, "\\n") + "\"} and more");
    expect_no_line(R"({"t":"{\"t\":\")" + key_with(before, "\\\\n") + R"(\"}"} and more)");
  }
  expect_no_line(key_with("\x1b[32m", "\x1b[0m\n") + "and more");
  expect_no_line(key_with("\"", "\\n\" +\n") + "and more");
  expect_no_line("[" + key_with("\"", "\", ") + "] and more");
  expect_no_line(key_with("", " ") + "and more");
}

TEST(KeyBlock, OnlyTheEndOfAKeyEndsIt) {
  for (const char* const other : {"-----END X-----", "-----END CERTIFICATE-----", "---- END ----",
                                  "-----END PRIVATE", "-----END "}) {
    expect_no_line(kLines[0] + "\n" + other + "\n" + kLines[4] + "\n" + kLines[5] + "\n" +
                   kLines[1] + kLines[2] + kLines[6] + "\n" + kLines[7] + "\nand more");
  }
}

TEST(KeyBlock, OneThatIsCutOffGoesToItsEndOrSixteenKibibytes) {
  const auto rules = make_rules();
  std::string open = kLines[0] + "\n" + kLines[4] + "\n";
  EXPECT_EQ(redacted(open, rules), "[REDACTED:private_key]");
  EXPECT_EQ(redacted(open + "{\"a\": 1}\n", rules), "[REDACTED:private_key]");
  open += std::string(20'000, 'x');
  const std::string out = redacted(open, rules);
  EXPECT_EQ(out.size(), std::string("[REDACTED:private_key]").size() + open.size() -
                            kLines[0].size() - 16 * 1024);
  // In a string of JSON what follows the string is not the key's.
  EXPECT_EQ(redacted("{\"t\":\"" + kLines[0] + "\\n" + kLines[4] + "\"}\n{\"u\":1}", rules),
            "{\"t\":\"[REDACTED:private_key]\"}\n{\"u\":1}");
}

}  // namespace
}  // namespace dragoman::redact
