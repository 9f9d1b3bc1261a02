// SPDX-License-Identifier: Apache-2.0
// Every secret of the table, in every dress that texts wear on their way through an agent.
#include <algorithm>

#include <gtest/gtest.h>

#include "dragoman/redact/filter.hpp"
#include "tests/redact/samples.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::redact {
namespace {

// As json.dumps of Python writes a string, and as encoding/json of Go does.
enum class Encoder : std::uint8_t { python, go };
std::string in_json(const std::string& text, Encoder encoder) {
  std::string out = "\"";
  for (const char c : text) {
    const bool html = encoder == Encoder::go && (c == '<' || c == '>' || c == '&');
    if (html || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r')) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
    } else if (c == '\n' || c == '\r') {
      out += c == '\n' ? "\\n" : "\\r";
    } else {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  return out + '"';
}

std::string coloured(const Sample& sample) {
  return sample.before + "\x1b[01;31m\x1b[K" + sample.secret + "\x1b[m\x1b[K" + sample.after;
}

// grep --color shows what it has found: the beginning.
std::string coloured_inside(const Sample& sample, std::size_t cut) {
  return sample.before + "\x1b[01;31m\x1b[K" + sample.secret.substr(0, cut) + "\x1b[m\x1b[K" +
         sample.secret.substr(cut) + sample.after;
}

// Without colours, which may stand inside of what is looked for.
std::string plain(std::string text) {
  for (const std::string colour :
       {"\x1b[01;31m", "\x1b[K", "\x1b[m", "\\u001b[01;31m", "\\u001b[K", "\\u001b[m"}) {
    for (std::size_t at = 0; (at = text.find(colour)) != std::string::npos;)
      text.erase(at, colour.size());
  }
  return text;
}

void expect_gone(const std::string& text, const Sample& sample,
                 const std::shared_ptr<const Rules>& rules) {
  const std::string out = redacted(text, rules);
  EXPECT_EQ(plain(out).find(sample.secret), std::string::npos) << text << "\n" << out;
  EXPECT_NE(out.find("[REDACTED:"), std::string::npos) << text;
}

std::vector<std::string> dresses_of(const Sample& sample) {
  std::vector<std::string> out;
  for (const std::string& text :
       {sample.text(), coloured(sample), coloured_inside(sample, 3),
        coloured_inside(sample, sample.secret.size() / 2), "    12\xe2\x86\x92" + sample.text(),
        "src/app.env:12:" + sample.text(), "> " + sample.text()}) {
    out.push_back(text);
    for (const Encoder encoder : {Encoder::python, Encoder::go}) {
      const std::string once = in_json(text, encoder);
      out.push_back("{\"t\":" + once + "}");
      out.push_back("{\"t\":" + in_json("{\"t\":" + once + "}", encoder) + "}");
    }
  }
  return out;
}

TEST(SecretTable, HasEnough) {
  EXPECT_GE(secret_samples().size(), 200U);
  EXPECT_GE(harmless_texts().size(), 200U);
}

TEST(SecretTable, NoSecretIsLeftInAnyDress) {
  const auto rules = make_rules();
  for (const Sample& sample : secret_samples()) {
    for (const std::string& text : dresses_of(sample)) expect_gone(text, sample, rules);
  }
}

TEST(SecretTable, CutAtEveryByteItIsTheSame) {
  const auto rules = make_rules();
  const std::size_t every = 1000 / test::scaled(1000);
  std::size_t count = 0;
  for (const Sample& sample : secret_samples()) {
    for (const std::string& text : dresses_of(sample)) {
      const std::string whole = redacted(text, rules);
      for (std::size_t cut = 1; cut < text.size(); ++cut) {
        if (++count % every != 0) continue;
        Filter filter(rules);
        std::string out(filter.push(std::string_view(text).substr(0, cut)));
        out += filter.push(std::string_view(text).substr(cut));
        out += filter.finish();
        ASSERT_EQ(out, whole) << "cut at " << cut;
      }
    }
  }
}

TEST(SecretTable, HarmlessTextsStayAsTheyAre) {
  const auto rules = make_rules();
  const auto texts = harmless_texts();
  std::size_t touched = 0;
  for (const std::string& text : texts) {
    const std::string out = redacted(text, rules);
    if (out == text) continue;
    ++touched;
    ADD_FAILURE() << text << "\n" << out;
  }
  EXPECT_LE(touched * 50, texts.size());
}

}  // namespace
}  // namespace dragoman::redact
