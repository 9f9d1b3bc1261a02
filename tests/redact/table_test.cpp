// SPDX-License-Identifier: Apache-2.0
// Every secret of the table, in every dress that texts wear on their way through an agent.
#include <algorithm>

#include <gtest/gtest.h>

#include "dragoman/redact/filter.hpp"
#include "tests/redact/harmless.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/secret_samples.hpp"

namespace dragoman::redact {
namespace {

using test::dresses_of;
using test::plain_pieces;
using test::Sample;
using test::secret_samples;
using test::without_style;

void expect_gone(const std::string& text, const Sample& sample,
                 const std::shared_ptr<const Rules>& rules) {
  const std::string out = redacted(text, rules);
  for (const std::string& piece : plain_pieces(sample.secret))
    EXPECT_EQ(without_style(out).find(piece), std::string::npos) << text << "\n" << out;
  EXPECT_NE(out.find("[REDACTED:"), std::string::npos) << text;
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
