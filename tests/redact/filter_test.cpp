// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/filter.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "dragoman/redact/prefixes.hpp"
#include "dragoman/redact/undress.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::redact {
namespace {

// Thirty-six characters that look like nothing in particular.
const std::string kRandom = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
const std::string kHexDigits = "0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kJwt =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
const std::string kPem =
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAtest0123456789\nabcdefghij+/ABCDEFGHIJ==\n"
    "-----END RSA PRIVATE KEY-----";

struct Row {
  std::string text;
  std::string wanted;
};

std::vector<Row> secrets() {
  return {
      {"key sk-ant-api03-" + kRandom + "-AA end", "key [REDACTED:anthropic_key] end"},
      {"sk-proj-" + kRandom, "[REDACTED:openai_key]"},
      {"sk-proj-abcdefghijklmnopqrstuvwxyz", "[REDACTED:openai_key]"},
      {"sk-" + kRandom + kRandom, "[REDACTED:openai_key]"},
      {"sk-0123456789abcdef0123456789abcdef", "[REDACTED:openai_key]"},
      {"sk-svcacct-" + kRandom, "[REDACTED:openai_key]"},
      {"ghp_" + kRandom, "[REDACTED:github_token]"},
      {"gho_" + kRandom + ".", "[REDACTED:github_token]."},
      {"ghs_" + kRandom + "\n", "[REDACTED:github_token]\n"},
      {"ghu_" + kRandom, "[REDACTED:github_token]"},
      {"ghr_" + kRandom, "[REDACTED:github_token]"},
      {"github_pat_11ABCDEFG0" + kRandom + "_x", "[REDACTED:github_token]"},
      {"id AKIAIOSFODNN7EXAMPLE,", "id [REDACTED:aws_access_key],"},
      {"ASIAIOSFODNN7EXAMPLE", "[REDACTED:aws_access_key]"},
      {"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
       "aws_secret_access_key = [REDACTED:aws_secret]"},
      {R"("SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")",
       R"("SecretAccessKey": "[REDACTED:aws_secret]")"},
      {R"("SecretAccessKey":"wJalrXUtnFEMI\/K7MDENG\/bPxRfiCYEXAMPLEKEY")",
       R"("SecretAccessKey":"[REDACTED:aws_secret]")"},
      {"AIza" + kRandom, "[REDACTED:google_key]"},
      {"ya29.a0" + kRandom, "[REDACTED:google_token]"},
      {"xoxb-123456789012-abcdefABCDEF", "[REDACTED:slack_token]"},
      {"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
       "https://[REDACTED:slack_webhook]"},
      {"sk_live_" + kRandom, "[REDACTED:stripe_key]"},
      {"npm_" + kRandom, "[REDACTED:npm_token]"},
      {"glpat-ABCdef123456_7890xyz", "[REDACTED:gitlab_token]"},
      {"hf_" + kRandom, "[REDACTED:huggingface_token]"},
      {"pypi-AgEIcHlwaS5vcmc" + kRandom, "[REDACTED:pypi_token]"},
      {"dop_v1_" + kHexDigits, "[REDACTED:digitalocean_token]"},
      {"SG." + kRandom + "." + kRandom, "[REDACTED:sendgrid_key]"},
      {"Authorization: Bearer " + kRandom, "Authorization: Bearer [REDACTED:bearer_token]"},
      {"authorization: bearer abcdefghijklmnopqrst/+==",
       "authorization: bearer [REDACTED:bearer_token]"},
      {"Bearer " + kJwt, "Bearer [REDACTED:jwt]"},
      {"token " + kJwt + " end", "token [REDACTED:jwt] end"},
      {kPem + " end", "[REDACTED:private_key] end"},
      {"postgres://admin:hunter2@db.example.org/x",
       "postgres://[REDACTED:url_credentials]@db.example.org/x"},
      {R"(https:\/\/user:p4ss@host\/)", R"(https:\/\/[REDACTED:url_credentials]@host\/)"},
      {"export DB_PASSWORD=correct-horse", "export DB_PASSWORD=[REDACTED:secret]"},
      {"MY_SECRET_THING='abcd1234'", "MY_SECRET_THING='[REDACTED:secret]'"},
      {"OPENAI_API_KEY=sk-proj-" + kRandom, "OPENAI_API_KEY=[REDACTED:openai_key]"},
      // What RFC 3986 allows in the userinfo of an address.
      {"postgres://app:s3cr3t+Passw0rd==@db/x", "postgres://[REDACTED:url_credentials]@db/x"},
      {"amqp://app:s3cr3t$Passw0rd@db", "amqp://[REDACTED:url_credentials]@db"},
      {"redis://:a!b$c&d'e(f)g*h+i,j;k=l@db", "redis://[REDACTED:url_credentials]@db"},
      // Passwords have more than letters in them.
      {"DB_PASSWORD=s3cr3t$Passw0rd99", "DB_PASSWORD=[REDACTED:secret]"},
      {"DB_PASSWORD=s&3,c;r(3)t[P]a{s}s|w<0>r next", "DB_PASSWORD=[REDACTED:secret] next"},
      {"DB_PASSWORD=$ecr3tPassw0rd\nnext", "DB_PASSWORD=[REDACTED:secret]\nnext"},
      {R"({"t":"DB_PASSWORD=s3cr3t&Passw0rd\nnext"})",
       R"({"t":"DB_PASSWORD=[REDACTED:secret]\nnext"})"},
      {"run `DB_PASSWORD=s3cr3t$Passw0rd` then", "run `DB_PASSWORD=[REDACTED:secret]` then"},
      {R"("password": "s3cr3t$Passw0rd99")", R"("password": "[REDACTED:secret]")"},
      // In quotes everything up to the one that closes.
      {R"(DB_PASSWORD="s3cr3t Passw0rd99" next)", R"(DB_PASSWORD="[REDACTED:secret]" next)"},
      {"DB_PASSWORD='it is \xc3\xbc secret' x", "DB_PASSWORD='[REDACTED:secret]' x"},
      {R"(DB_PASSWORD="it's a \"secret\" \\" x)", R"(DB_PASSWORD="[REDACTED:secret]" x)"},
      {R"({"t":"DB_PASSWORD=\"s3cr3t Passw0rd99\" x"})",
       R"({"t":"DB_PASSWORD=\"[REDACTED:secret]\" x"})"},
      {R"({"t":"DB_PASSWORD=\"a \\\"secret\\\" it is\" x"})",
       R"({"t":"DB_PASSWORD=\"[REDACTED:secret]\" x"})"},
      // Not closed where it should be: as without quotes, and nothing of what is around it.
      {"DB_PASSWORD=\"s3cr3t$Passw0rd and\nmore\"", "DB_PASSWORD=\"[REDACTED:secret] and\nmore\""},
      {R"({"t":"DB_PASSWORD='s3cr3tPassw0rd and","u":"it's"})",
       R"({"t":"DB_PASSWORD='[REDACTED:secret] and","u":"it's"})"},
      {R"({"t":"DB_PASSWORD=\"s3cr3tPassw0rd and","u":"\"it\""})",
       R"({"t":"DB_PASSWORD=\"[REDACTED:secret] and","u":"\"it\""})"},
      {R"("api_key": "abcdefgh12345678")", R"("api_key": "[REDACTED:secret]")"},
      {R"({\"apiKey\":\"abcdefgh12345678\"})", R"({\"apiKey\":\"[REDACTED:secret]\"})"},
      {"password = 'correct-horse'", "password = '[REDACTED:secret]'"},
      {R"("password":"correct-horse")", R"("password":"[REDACTED:secret]")"},
      // JSON-escaped: the letter of an escape does not belong to the word behind it.
      {R"({"t":"line\nsk-)" + kRandom + R"(\nnext"})",
       R"({"t":"line\n[REDACTED:openai_key]\nnext"})"},
      {R"("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASC\n-----END PRIVATE KEY-----\n")",
       R"("[REDACTED:private_key]\n")"},
      {"two ghp_" + kRandom + " and npm_" + kRandom + ".",
       "two [REDACTED:github_token] and [REDACTED:npm_token]."},
  };
}

// Cut anywhere, and byte by byte.
TEST(Filter, TakesOutWhatIsSecretHoweverItIsCut) {
  const auto rules = make_rules();
  for (const Row& row : secrets()) {
    ASSERT_EQ(redacted(row.text, rules), row.wanted);
    for (std::size_t cut = 0; cut <= row.text.size(); ++cut) {
      Filter filter(rules);
      std::string out(filter.push(std::string_view(row.text).substr(0, cut)));
      out += filter.push(std::string_view(row.text).substr(cut));
      out += filter.finish();
      ASSERT_EQ(out, row.wanted) << "cut at " << cut;
    }
    Filter filter(rules);
    std::string out;
    for (const char& c : row.text) out += filter.push({&c, 1});
    out += filter.finish();
    ASSERT_EQ(out, row.wanted) << "byte by byte";
  }
}

TEST(Filter, LeavesOrdinaryTextAlone) {
  const auto rules = make_rules();
  const std::vector<std::string> rows = {
      "the task-force-for-background-checking of a risk-averse-organisation-in-2024",
      "class=\"sk-fading-circle sk-circle-bounce-delay\"",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "commit 8563c45d1f0b0f4a8f6c7e9d3b2a1c0e5f4d3c2b",
      "123e4567-e89b-12d3-a456-426614174000",
      "data:image/"
      "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+"
      "M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "sha512-0123456789abcdefABCDEF/+0123456789abcdefABCDEF/+0123456789abcdefABCDEF/+==",
      "sorted(items, key=lambda item: item.name), key=itemgetter(1)",
      "const token = request.headers.authorization; token=get_token(request)",
      "MAX_TOKENS=16384 MAX_THINKING_TOKENS=100000000 KEY=1",
      "API_KEY=${API_KEY} TOKEN=$(cat token) SECRET=<your secret> KEY=\"\"",
      "MAX_TOKENS=16000000, MAX_TOKENS=16000000;x f(MAX_TOKENS=16000000)",
      "API_KEY=$OTHER_API_KEY TOKEN=\"$GITHUB_TOKEN\" SECRET=$some_secret KEY=\"${A_KEY:-no key "
      "yet}\"",
      "API_KEY={your_api_key} PASSWORD=%(password)s KEYS=(one two) TOKEN=\"<your token here>\"",
      "if (KEY==otherKeyValue) PRIMARY KEY (id) KEY=>value_of_the_key",
      R"(["API_KEY=", 12345678, "x"] {"API_KEY=":12345678,"x":"y"} f("TOKEN=" + token + ", KEY=" + key))",
      "https://example.org:8080/path?x=1 mailto:user@example.org ssh://git@github.com/x",
      "http://localhost:3000?mail=user@example.org",
      "postgres://${USER}:${PASSWORD}@host/db",
      "\"token\": \"identifier\", \"secret\": \"optional\"",
      "\"password\": \"Enter your password\", \"password\": \"Contrase\xc3\xb1"
      "a\"",
      "type=\"password\" name=\"password\" autocomplete=\"current-password\"",
      "Bearer authentication is used; Bearer <token>; Bearer ${token}",
      "npm_config_registry=https://registry.example.org npm_package_version_number_of_this_package",
      "from huggingface_hub import hf_hub_download, hf_api_for_models_and_datasets",
      "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END "
      "CERTIFICATE-----",
      "grep -r '-----BEGIN RSA PRIVATE KEY-----' .",
      "eyJ is how base64 of {\" begins; eyJhbGciOiJIUzI1NiJ9 alone is no token",
      "AKIA is a prefix, AKIAIOSFODNN7EXAMPLETOOLONG is none",
      "xoxo-hugs-and-kisses SG.something.short r8_ dapi",
      "import dapi; rapid-api-design, pass: passes, secretary, tokenizer = \"gpt2-medium-2\"",
      "[REDACTED:github_token] TOKEN=[REDACTED:secret]",
  };
  for (const std::string& text : rows) EXPECT_EQ(redacted(text, rules), text);
}

TEST(Filter, GivenValuesAreTakenOutWhateverTheyLookLike) {
  const auto rules =
      make_rules({"tr0ub4dor&3", "with \"quotes\"/and\nlines", "short", "tr0ub4dor&3-longer"});
  EXPECT_EQ(redacted("a tr0ub4dor&3 b short", rules), "a [REDACTED:environment] b short");
  EXPECT_EQ(redacted("tr0ub4dor&3-longer", rules), "[REDACTED:environment]");
  EXPECT_EQ(redacted("xtr0ub4dor&3-lon", rules), "x[REDACTED:environment]-lon");
  EXPECT_EQ(redacted("with \"quotes\"/and\nlines", rules), "[REDACTED:environment]");
  EXPECT_EQ(redacted(R"(with \"quotes\"/and\nlines)", rules), "[REDACTED:environment]");
  EXPECT_EQ(redacted(R"(with \"quotes\"\/and\nlines)", rules), "[REDACTED:environment]");
}

std::string cut_everywhere(const std::string& text, const std::shared_ptr<const Rules>& rules) {
  std::string whole = redacted(text, rules);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    Filter filter(rules);
    std::string out(filter.push(std::string_view(text).substr(0, cut)));
    out += filter.push(std::string_view(text).substr(cut));
    out += filter.finish();
    EXPECT_EQ(out, whole) << "cut at " << cut;
  }
  return whole;
}

TEST(Filter, LooksThroughTheSpellingsOfEncoders) {
  const auto rules = make_rules({"Gr\xc3\xbcn&Tee99x", "C:\\u0041\\dir"});
  const std::string gone = "a [REDACTED:environment] b";
  for (const char* const text :
       {"a Gr\xc3\xbcn&Tee99x b", R"(a Gr\u00fcn&Tee99x b)", "a Gr\xc3\xbcn\\u0026Tee99x b",
        R"(a Gr\u00FCn\u0026Tee99x b)", R"(a Gr\\u00fcn\\u0026Tee99x b)",
        R"(a \u0047r\u00fcn\u0026Tee99x b)", "a Gr\x1b[1m\xc3\xbcn&\x1b[0mTee99x b",
        R"(a C:\u0041\dir b)", R"(a C:\\u0041\\dir b)"}) {
    EXPECT_EQ(cut_everywhere(text, rules), gone) << text;
  }
  const auto answered = with_answer(*make_rules(), "Gr\xc3\xbcn&Tee99x");
  EXPECT_EQ(cut_everywhere(R"(a Gr\u00fcn\u0026Tee99x b)", answered), "a [REDACTED:answer] b");
  const std::string key = "hp_" + kRandom;
  EXPECT_EQ(cut_everywhere("a \\u0067" + key + " \\u0041", rules),
            "a [REDACTED:github_token] \\u0041");
  EXPECT_EQ(cut_everywhere("\x1b[31mg\x1b[0m" + key + "\x1b[0m \x1b[1mx", rules),
            "\x1b[31m[REDACTED:github_token]\x1b[0m \x1b[1mx");
}

TEST(Filter, TakesAValueOutOfTheNameOfAnother) {
  const auto rules = make_rules({"a-value-of-ours"});
  EXPECT_EQ(cut_everywhere("api-a-value-of-ours_TOKEN=j2N4Kmpe9kn", rules),
            "api-[REDACTED:environment]_TOKEN=[REDACTED:secret]");
}

TEST(Filter, TakesOutAllOfALongValue) {
  std::string secret;
  while (secret.size() < 10'000) secret += "line " + std::to_string(secret.size()) + "\n";
  const auto rules = make_rules({secret});
  EXPECT_EQ(redacted("a " + secret + "b", rules), "a [REDACTED:environment]b");
  Filter filter(rules);
  std::string out;
  for (const char& c : "a " + secret + "b") out += filter.push({&c, 1});
  out += filter.finish();
  EXPECT_EQ(out, "a [REDACTED:environment]b");
  EXPECT_EQ(filter.take_redactions(), (std::vector<Redaction>{{2, secret.size(), "environment"}}));
  // As far as it is the value.
  EXPECT_EQ(redacted(secret.substr(0, 5000) + "other", rules), "[REDACTED:environment]other");
}

TEST(Filter, FollowsATokenToTheNextLine) {
  const auto rules = make_rules();
  const std::string tail = "Kk3dE6gH9jK2mN5";
  EXPECT_EQ(cut_everywhere("ghp_" + kRandom + "\n" + tail + " x", rules),
            "[REDACTED:github_token]\n[REDACTED:github_token] x");
  EXPECT_EQ(cut_everywhere("ghp_" + kRandom + "\\n  " + tail + "\\nx", rules),
            "[REDACTED:github_token]\\n  [REDACTED:github_token]\\nx");
  EXPECT_EQ(cut_everywhere("ghp_Ab3dE6gH9j\nK2mN5pQ8sT1vW4yZ7bC0eF3hJ6 x", rules),
            "[REDACTED:github_token] x");
  for (const char* const line : {"next line", "NEXT_1=value2", "expires: 2024", "v2.0 is out"}) {
    EXPECT_EQ(cut_everywhere("ghp_" + kRandom + "\n" + line, rules),
              "[REDACTED:github_token]\n" + std::string(line));
  }
  const std::string key = kRandom.substr(0, 24);
  const std::string more = "Pp4sT6vW8yZ1bC3eF5";
  for (const char* const name : {"AccountKey=", "DB_PASSWORD=", "x-api-key: ", "\"api_key\": \""}) {
    EXPECT_EQ(cut_everywhere(name + key + "\n" + more + " x", rules),
              name + std::string("[REDACTED:secret]\n[REDACTED:secret] x"));
  }
  EXPECT_EQ(cut_everywhere("DB_PASSWORD=" + key + "\nNEXT_1=value2", rules),
            "DB_PASSWORD=[REDACTED:secret]\nNEXT_1=value2");
  // Before it is known, too: the line end goes with it.
  EXPECT_EQ(cut_everywhere("https://" + kHexDigits.substr(0, 24) + "\n" +
                               kHexDigits.substr(24, 16) + "@github.com/a",
                           rules),
            "https://[REDACTED:url_credentials]@github.com/a");
  EXPECT_EQ(cut_everywhere(
                "bot 123456789:AA" + kRandom.substr(0, 12) + "\r\n" + kRandom.substr(12, 21) + " x",
                rules),
            "bot 123456789:[REDACTED:telegram_token] x");
  const std::string discord = "MTk4NjIyNDgzNDcxOTI1MjQ4" + (".Gh4dXz." + kRandom.substr(0, 30));
  const std::string jwt = kJwt;
  for (const std::size_t cut : {12U, 20U, 44U}) {
    EXPECT_EQ(cut_everywhere(discord.substr(0, cut) + "\\n" + discord.substr(cut) + " x", rules),
              "[REDACTED:discord_token] x")
        << cut;
  }
  EXPECT_EQ(cut_everywhere(jwt.substr(0, 20) + "\n" + jwt.substr(20) + " x", rules),
            "[REDACTED:jwt] x");
  EXPECT_EQ(cut_everywhere("at http://127.0.0.1:8080\nx1y2z3 is up", rules),
            "at http://127.0.0.1:8080\nx1y2z3 is up");
  // The line end does not wait for the next line.
  Filter filter(rules);
  EXPECT_EQ(filter.push("ghp_" + kRandom + "\n"), "[REDACTED:github_token]\n");
}

TEST(Filter, LooksIntoTheAddressOfALink) {
  const auto rules = make_rules({"a-value-of-ours"});
  EXPECT_EQ(cut_everywhere("a \x1b]8;;https://u:p4ssw0rd@host/x\x1b\\b\x1b]8;;\x1b\\ c", rules),
            "a \x1b]8;;https://[REDACTED:url_credentials]@host/x\x1b\\b\x1b]8;;\x1b\\ c");
  EXPECT_EQ(cut_everywhere("\x1b]8;;https://host/a-value-of-ours\x07gh", rules),
            "\x1b]8;;https://host/[REDACTED:environment]\x07gh");
  EXPECT_EQ(cut_everywhere(R"(\u001b]8;;https://host/a-value-of-ours\u001b\\gh)", rules),
            R"(\u001b]8;;https://host/[REDACTED:environment]\u001b\\gh)");
  // What is longer than a link is text.
  const std::string text = "\x1b]8;;" + std::string(1000, 'x') + " a-value-of-ours";
  EXPECT_EQ(cut_everywhere(text, rules),
            "\x1b]8;;" + std::string(1000, 'x') + " [REDACTED:environment]");
}

TEST(Filter, FindsAValueThreeStringsDeep) {
  const auto rules = make_rules({"it \"is\" a/value\nof ours"});
  EXPECT_EQ(redacted(R"(it \\\\\\\"is\\\\\\\" a/value\\\\nof ours)", rules),
            "[REDACTED:environment]");
  EXPECT_EQ(redacted(R"(it \\\\\\\"is\\\\\\\" a\\/value\\\\nof ours)", rules),
            "[REDACTED:environment]");
}

TEST(Filter, ColoursWithoutEndNeedNoMemory) {
  Filter filter(make_rules());
  std::size_t most = 0;
  for (const char* const start : {"", "ghp_", "ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4y", "\\"}) {
    (void)filter.push(start);
    for (int i = 0; i < 20'000; ++i) {
      (void)filter.push(i % 3 == 0 ? "\x1b[38;5;123m" : i % 3 == 1 ? "\\u001b[0m" : "\\\\\\\\");
      most = std::max(most, filter.held());
    }
  }
  EXPECT_LE(most, Filter::kMaxHeld);
}

TEST(Undress, TheVectorLoopGivesTheAnswersOfThePlainOne) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no AVX2 here";
  std::mt19937 random(12);
  const std::string alphabet = "\\u\x1b\x0f\xe2\x80\x8b\xe2\x80\x8d\x94 aaaaaaaaaaaaaaaaaaaaaaaa";
  for (std::size_t round = 0; round < test::scaled(20'000); ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p != end; ++p) {
      ASSERT_EQ(kernels::find_dress_scalar(p, end) - p, kernels::find_dress_avx2(p, end) - p);
    }
  }
#endif
}

TEST(Filter, LearnsAnAnswerInTheMiddleOfAStream) {
  const auto rules = make_rules({"tr0ub4dor&3"});
  Filter filter(rules);
  std::string out(filter.push("hunter2-Sesame tr0ub"));  // nobody knows the first one yet
  EXPECT_GT(filter.held(), 0U);
  const auto more = with_answer(*rules, "hunter2-Sesame");
  filter.use(more);
  out += filter.push("4dor&3 hunter2-");
  const auto most = with_answer(*more, "another \"answer\"");
  filter.use(most);
  out += filter.push("Sesame");
  out += filter.push(R"( another \"answer\")");
  out += filter.finish();
  EXPECT_EQ(out, "hunter2-Sesame [REDACTED:environment] [REDACTED:answer] [REDACTED:answer]");
  EXPECT_EQ(redacted("short is no secret", with_answer(*most, "short")), "short is no secret");
}

TEST(Filter, LearnsTheLatestAnswerHoweverManyThereWere) {
  auto rules = make_rules(std::vector<std::string>(300, "tr0ub4dor&3"));
  for (int i = 100; i < 400; ++i) rules = with_answer(*rules, "answer " + std::to_string(i));
  EXPECT_EQ(redacted("answer 399", rules), "[REDACTED:answer]");
  EXPECT_EQ(redacted("tr0ub4dor&3", rules), "[REDACTED:environment]");
}

TEST(Filter, SaysWhereItTookOutHowMuch) {
  const std::string key = "ghp_" + kRandom;
  Filter filter(make_rules());
  std::string out(filter.push("one " + key + " two "));
  out += filter.push(key);
  EXPECT_EQ(filter.take_redactions(), (std::vector<Redaction>{{4, key.size(), "github_token"}}));
  out += filter.finish();
  EXPECT_EQ(out, "one [REDACTED:github_token] two [REDACTED:github_token]");
  EXPECT_EQ(filter.take_redactions(), (std::vector<Redaction>{{32, key.size(), "github_token"}}));
}

TEST(Filter, HoldsBackLittleAndOnlyWhatMayBecomeASecret) {
  Filter filter(make_rules());
  EXPECT_EQ(filter.push("plain text."), "plain text.");
  EXPECT_EQ(filter.push("it is gh"), "it is ");
  EXPECT_EQ(filter.held(), 2U);
  EXPECT_EQ(filter.push("ost\n"), "ghost\n");
  // An endless secret and an endless beginning of one need no memory.
  std::size_t most = 0;
  (void)filter.push("ghp_");
  for (int i = 0; i < 1000; ++i) {
    (void)filter.push(std::string(1000, 'A'));
    most = std::max(most, filter.held());
  }
  (void)filter.push(" eyJ");
  for (int i = 0; i < 1000; ++i) {
    (void)filter.push(std::string(1000, 'A'));
    most = std::max(most, filter.held());
  }
  EXPECT_LE(most, Filter::kMaxHeld);
}

TEST(Filter, RandomMixturesDoNotDependOnTheCuts) {
  const auto rules = make_rules({"an environment value"});
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return random() % n; };
  std::vector<std::string> parts = {"sk-",
                                    "gh",
                                    "p_",
                                    "://",
                                    "a:b@",
                                    "KEY",
                                    "-u ",
                                    "\x1b(B",
                                    "\x1b]8;;https://x/",
                                    "\x1b\\",
                                    "\xe2\x80\x8b",
                                    "kie: ",
                                    "\xc3\xbc",
                                    "'",
                                    "password ",
                                    "login ",
                                    "ENV ",
                                    "\"auth",
                                    "=",
                                    "\"",
                                    "\\",
                                    "n",
                                    "token",
                                    "eyJ",
                                    ".",
                                    " ",
                                    "\n",
                                    "Bearer ",
                                    "-----",
                                    "BEGIN ",
                                    "an env",
                                    "\x1b[1m",
                                    "\\u001b[0m",
                                    "\\u0067",
                                    "\\",
                                    "\\\\",
                                    "\r\n",
                                    "Basic ",
                                    "password",
                                    ": ",
                                    "-----END ",
                                    "PRIVATE KEY-----"};
  for (const Row& row : secrets()) parts.push_back(row.text);
  for (std::size_t round = 0; round < test::scaled(40'000); ++round) {
    std::string text;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::string& part = parts[pick(parts.size())];
      text += part.substr(0, pick(2) == 0 ? part.size() : pick(part.size() + 1));
    }
    const std::string whole = redacted(text, rules);
    Filter filter(rules);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t piece = 1 + pick(12);
      out += filter.push(std::string_view(text).substr(at, piece));
      at += piece;
    }
    out += filter.finish();
    ASSERT_EQ(out, whole) << text;
    std::size_t removed = 0;
    for (const Redaction& r : filter.take_redactions()) {
      ASSERT_EQ(out.compare(r.offset, 10, "[REDACTED:"), 0);
      removed += r.length - (11 + r.kind.size());
    }
    ASSERT_EQ(out.size() + removed, text.size()) << "every byte is accounted for";
  }
}

TEST(Prefixes, TheVectorLoopGivesTheAnswersOfThePlainOne) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no AVX2 here";
  Prefixes prefixes;
  std::vector<Prefixes::Beginning> beginnings;
  for (const auto& bytes : {"sk-", "tok", "TOK", "tOk", "://"})
    beginnings.push_back({bytes[0], bytes[1], bytes[2]});
  prefixes.look_for(beginnings);
  std::mt19937 random(11);
  const std::string alphabet = "sk-tTokOK:/ ab";
  for (std::size_t round = 0; round < test::scaled(20'000); ++round) {
    std::string text(random() % 150, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    const char* const end = text.data() + text.size();
    const auto plain = kernels::find_scalar(prefixes.tables(), text.data(), end);
    const auto vector = kernels::find_avx2(prefixes.tables(), text.data(), end);
    ASSERT_EQ(plain - text.data(), vector - text.data()) << text;
  }
#endif
}

}  // namespace
}  // namespace dragoman::redact
