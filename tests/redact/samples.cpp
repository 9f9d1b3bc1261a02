// SPDX-License-Identifier: Apache-2.0
// Put together here, so that no scanner takes them for real ones.
#include "tests/redact/samples.hpp"

#include <array>

#include "dragoman/redact/tokens.hpp"

namespace dragoman::redact {
namespace {

const std::string kTail = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2qR5tU8xY1aB4cD7fG0";
const std::string kHexTail = "3f9a0c6e1b7d42858c5e90ab17f3d6244b8e0d9c2a71f56e3f9a0c6e1b7d4285";

// A token as the rule describes it, no longer than it must be.
std::string token_of(const TokenRule& rule) {
  std::string body;
  const std::string& from = is_in('G', rule.bytes) ? kTail : kHexTail;
  for (std::size_t i = 0;
       body.size() < rule.least + (rule.proof == TokenRule::Proof::exact ? 0 : 4); ++i) {
    char c = from[i % from.size()];
    if (!is_in(c, rule.bytes)) c = static_cast<char>(c & ~0x20);  // only capitals
    if (is_in(c, rule.bytes)) body.push_back(c);
  }
  return std::string(rule.prefix) + body;
}

// Of names and values that only together are a secret.
void add_named(std::vector<Sample>& out) {
  const std::string plain = "correct-horse-battery9";
  const std::string mixed = "s3cr3t$Passw0rd99";
  const std::string key = kTail.substr(0, 24);
  for (const char* const name :
       {"DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "REDIS_PASSWD", "GPG_PASSPHRASE",
        "CI_TOKEN", "GITHUB_TOKEN", "CLIENT_SECRET", "MY_SECRET_THING", "OPENAI_API_KEY",
        "SIGNING_KEY", "SECRET_KEY", "ENCRYPTION_KEY", "SMTP_PASS", "SLACK_BOT_TOKEN"}) {
    out.push_back({"export " + std::string(name) + "=", plain, ""});
    out.push_back({std::string(name) + "='", mixed, "'"});
    out.push_back({std::string(name) + " = \"", mixed, "\""});
  }
  for (const char* const name :
       {"password", "passwd", "pwd", "db_pass", "dbPassword", "secret_key", "secretKey",
        "client_secret", "access_token", "authToken", "apiKey", "api_key", "api-key", "private_key",
        "user.password", "spring.datasource.password", "adminPassword"}) {
    out.push_back({std::string(name) + "=", mixed, "\n"});
    out.push_back({std::string(name) + " = '", mixed, "'"});
    out.push_back({"\"" + std::string(name) + "\": \"", mixed, "\","});
    out.push_back({std::string(name) + ": ", mixed, "\n"});
  }
  for (const char* const name : {"password", "token", "api-key", "client-secret", "db-password"})
    out.push_back({"run --" + std::string(name) + "=", plain, " --verbose"});
  for (const char* const name : {"access_token", "api_key", "token", "auth_token", "apikey"}) {
    out.push_back({"GET https://example.org/v1/x?" + std::string(name) + "=", key, "&page=2"});
    out.push_back({"GET /v1/x?a=b&" + std::string(name) + "=", key, " HTTP/1.1"});
  }
  for (const char* const name : {"x-api-key", "X-Api-Key", "X-Auth-Token", "Ocp-Subscription-Key"})
    out.push_back({std::string(name) + ": ", key, "\r\n"});
  out.push_back({"MY_KEY=", key, ""});
  out.push_back({"<password>", mixed, "</password>"});
  out.push_back({"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=", kTail + "Zz==", ""});
  out.push_back({"Endpoint=sb://x/;SharedAccessKey=", kTail.substr(0, 43) + "=", ""});
  out.push_back({"//registry.npmjs.org/:_authToken=", kTail.substr(0, 36), ""});
  out.push_back({"aws_secret_access_key = ", kTail.substr(0, 40), ""});
}

void add_addresses(std::vector<Sample>& out) {
  for (const char* const scheme : {"https", "postgres", "mysql", "amqp", "redis", "mongodb+srv"}) {
    out.push_back({std::string(scheme) + "://", "admin:hunter2hunter2", "@db.example.org/x"});
    out.push_back({std::string(scheme) + "://", "app:s3cr3t+Passw0rd==", "@db.example.org/x"});
    out.push_back({std::string(scheme) + "://", "app:p@ssw0rd!x@y", "@db.example.org/x"});
  }
  out.push_back({"git clone https://", kTail.substr(0, 40), "@github.com/a/b.git"});
  out.push_back({"https://", kHexTail.substr(0, 32), "@o1.ingest.example.org/2"});
  out.push_back(
      {"https://x.blob.core.windows.net/c?sv=2022&sig=", kTail.substr(0, 43) + "%3D", ""});
  out.push_back({"Authorization: Bearer ", kTail.substr(0, 32), ""});
  out.push_back({"-H 'authorization: bearer ", kTail.substr(0, 32), "'"});
  out.push_back({"Authorization: Basic ", "YWRtaW46aHVudGVyMmh1bnRlcjI=", ""});
  out.push_back({"Proxy-Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "\r\n"});
  out.push_back({"bot ", "123456789" + (":AA" + kTail.substr(0, 33)), ""});
  out.back().before += "123456789:";
  out.back().secret = "AA" + kTail.substr(0, 33);
  out.push_back({"bot ", "MTk4NjIyNDgzNDcxOTI1MjQ4" + (".Gh4dXz." + kTail.substr(0, 38)), ""});
  out.push_back({"bot ", "NzkyNzE1NDU0MTk2MDg4ODQy" + (".X-hvzA." + kTail.substr(0, 27)), "\n"});
  out.push_back({"",
                 "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" +
                     (".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + kTail.substr(0, 22)),
                 ""});
}

}  // namespace

std::vector<Sample> secret_samples() {
  std::vector<Sample> out;
  for (const TokenRule& rule : token_rules()) out.push_back({"it is ", token_of(rule), " here"});
  out.push_back({"s3://x ", "AKIA" + std::string("IOSFODNN7EXAMPLE"), "/20261118/eu"});
  add_named(out);
  add_addresses(out);
  return out;
}

}  // namespace dragoman::redact
