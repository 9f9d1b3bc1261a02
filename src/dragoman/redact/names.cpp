// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "dragoman/base/ascii.hpp"
#include "dragoman/redact/recognise.hpp"

namespace dragoman::redact {
namespace {

using Word = std::string_view;
constexpr std::size_t kMostWords = 12;

// Written as one word, these are still two.
constexpr std::array kWhole = {
    Word("apikey"),     Word("apisecret"),    Word("authtoken"),    Word("accesstoken"),
    Word("accesskey"),  Word("secretkey"),    Word("clientsecret"), Word("privatekey"),
    Word("accountkey"), Word("bottoken"),     Word("refreshtoken"), Word("sharedaccesskey"),
    Word("sharedkey"),  Word("authkey"),      Word("masterkey"),    Word("encryptionkey"),
    Word("appsecret"),  Word("idtoken"),      Word("apitoken"),     Word("authpassword"),
    Word("connstring"), Word("webhooksecret")};
constexpr std::array kPasswords = {Word("password"), Word("passwd"), Word("passphrase"),
                                   Word("pwd"),      Word("pass"),   Word("passwort")};
constexpr std::array kSecrets = {Word("secret"),     Word("secrets"),       Word("token"),
                                 Word("tokens"),     Word("credential"),    Word("credentials"),
                                 Word("passphrase"), Word("authorization"), Word("auth")};
// Whose key it is.
constexpr std::array kKeepers = {
    Word("api"),       Word("secret"),     Word("access"),      Word("account"),
    Word("auth"),      Word("private"),    Word("signing"),     Word("encryption"),
    Word("encrypt"),   Word("decryption"), Word("master"),      Word("shared"),
    Word("admin"),     Word("service"),    Word("webhook"),     Word("license"),
    Word("deploy"),    Word("storage"),    Word("hmac"),        Word("aes"),
    Word("cipher"),    Word("crypto"),     Word("jwt"),         Word("consumer"),
    Word("functions"), Word("write"),      Word("integration"), Word("subscription"),
    Word("session"),   Word("host")};
// Keys and tokens that open nothing, whatever they look like.
constexpr std::array kHarmlessKeepers = {
    Word("primary"),   Word("foreign"),     Word("sort"),         Word("cache"),
    Word("public"),    Word("partition"),   Word("unique"),       Word("index"),
    Word("lookup"),    Word("group"),       Word("object"),       Word("row"),
    Word("map"),       Word("sorting"),     Word("composite"),    Word("surrogate"),
    Word("hot"),       Word("state"),       Word("color"),        Word("translation"),
    Word("config"),    Word("widget"),      Word("query"),        Word("route"),
    Word("next"),      Word("page"),        Word("pagination"),   Word("continuation"),
    Word("max"),       Word("min"),         Word("num"),          Word("total"),
    Word("input"),     Word("output"),      Word("prompt"),       Word("completion"),
    Word("reasoning"), Word("cached"),      Word("stop"),         Word("eos"),
    Word("bos"),       Word("pad"),         Word("unk"),          Word("sep"),
    Word("mask"),      Word("special"),     Word("cancellation"), Word("cancel"),
    Word("known"),     Word("publishable"), Word("idempotency"),  Word("join"),
    Word("hash"),      Word("shard"),       Word("routing"),      Word("thinking"),
    Word("ssh"),       Word("host"),        Word("no"),           Word("sync"),
    Word("registry"),  Word("prop"),        Word("property"),     Word("react"),
    Word("list"),      Word("data"),        Word("metric"),       Word("label"),
    Word("redis"),     Word("shortcut")};
// Behind the word they make another thing of it.
constexpr std::array kHarmlessEnds = {
    Word("type"),       Word("path"),        Word("file"),     Word("name"),
    Word("names"),      Word("id"),          Word("ids"),      Word("length"),
    Word("len"),        Word("count"),       Word("limit"),    Word("limits"),
    Word("url"),        Word("uri"),         Word("expires"),  Word("expiry"),
    Word("expiration"), Word("expired"),     Word("ttl"),      Word("policy"),
    Word("field"),      Word("fields"),      Word("format"),   Word("status"),
    Word("size"),       Word("header"),      Word("index"),    Word("endpoint"),
    Word("prefix"),     Word("suffix"),      Word("mode"),     Word("version"),
    Word("usage"),      Word("budget"),      Word("dir"),      Word("directory"),
    Word("location"),   Word("arn"),         Word("ref"),      Word("lifetime"),
    Word("rules"),      Word("hint"),        Word("label"),    Word("placeholder"),
    Word("strength"),   Word("reset"),       Word("required"), Word("enabled"),
    Word("regex"),      Word("pattern"),     Word("provider"), Word("manager"),
    Word("store"),      Word("cache"),       Word("method"),   Word("param"),
    Word("parameter"),  Word("duration"),    Word("age"),      Word("created"),
    Word("updated"),    Word("issuer"),      Word("audience"), Word("scope"),
    Word("scopes"),     Word("env"),         Word("var"),      Word("column"),
    Word("input"),      Word("max"),         Word("min"),      Word("algorithm"),
    Word("alg"),        Word("sock"),        Word("socket"),   Word("class"),
    Word("handler"),    Word("service"),     Word("server"),   Word("host"),
    Word("port"),       Word("rate"),        Word("source"),   Word("kind"),
    Word("state"),      Word("error"),       Word("message"),  Word("text"),
    Word("title"),      Word("description"), Word("map"),      Word("mount"),
    Word("volume"),     Word("exists"),      Word("valid"),    Word("scanning"),
    Word("rotation"),   Word("stdin"),       Word("prompt"),   Word("fd")};
// Behind "key" they make nothing else of it.
constexpr std::array kKeyEnds = {Word("prod"),    Word("production"), Word("dev"),     Word("live"),
                                 Word("test"),    Word("staging"),    Word("old"),     Word("new"),
                                 Word("value"),   Word("b64"),        Word("base64"),  Word("raw"),
                                 Word("primary"), Word("secondary"),  Word("default"), Word("hex")};

bool is_one_of(Word word, std::span<const Word> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

struct Words {
  std::array<std::string, kMostWords> of;
  std::size_t count = 0;

  void begin() {
    if (count < kMostWords && (count == 0 || !of[count - 1].empty())) ++count;
  }
  void add(char c) {
    if (count == 0) begin();
    of[count - 1].push_back(ascii::lower(c));
  }
  void end() {
    if (count > 0 && of[count - 1].empty()) --count;
  }
};

Words words_of(std::string_view name) {
  Words words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_in(c, kAlnum)) {
      words.begin();
      continue;
    }
    const bool upper = is_in(c, kUpper);
    const bool hump = upper && i > 0 && is_in(name[i - 1], kLower | kDigit);
    // The last capital of several begins the next word: APIKey.
    const bool last = upper && i > 0 && is_in(name[i - 1], kUpper) && i + 1 < name.size() &&
                      is_in(name[i + 1], kLower);
    if (hump || last) words.begin();
    words.add(c);
  }
  words.end();
  return words;
}

// PGPASSWORD, GITHUBTOKEN
bool ends_as_one(Word word) {
  constexpr std::array kEnds = {Word("password"), Word("passwd"), Word("passphrase"),
                                Word("secret"),   Word("token"),  Word("apikey")};
  return std::any_of(kEnds.begin(), kEnds.end(), [word](Word end) { return word.ends_with(end); });
}

bool is_password(Word word) {
  return is_one_of(word, kPasswords) || word.ends_with("password") || word.ends_with("passwd");
}

bool is_number(Word word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return is_in(c, kDigit); });
}

NameSays said_of_key(const Words& words, std::size_t key) {
  for (std::size_t i = key + 1; i < words.count; ++i) {
    if (!is_number(words.of[i]) && !is_one_of(words.of[i], kKeyEnds)) return NameSays::nothing;
  }
  if (key == 0) return NameSays::key;
  if (words.of[key - 1] == "access" && key > 1 && words.of[key - 2] == "secret")
    return NameSays::aws;
  if (is_one_of(words.of[key - 1], kKeepers)) return NameSays::secret;
  if (is_one_of(words.of[key - 1], kHarmlessKeepers)) return NameSays::nothing;
  return NameSays::key;
}

NameSays said_of_other(const Words& words, std::size_t at) {
  const Word word = words.of[at];
  for (std::size_t i = at + 1; i < words.count; ++i) {
    if (is_one_of(words.of[i], kHarmlessEnds)) return NameSays::nothing;
  }
  if (is_password(word)) {
    const bool bare = word == "pass" && at + 1 < words.count;
    return bare ? NameSays::nothing : NameSays::password;
  }
  if (at > 0 && is_one_of(words.of[at - 1], kHarmlessKeepers)) return NameSays::nothing;
  if (word == "auth" && at + 1 < words.count) return NameSays::nothing;
  const bool vague = word == "tokens" || word == "auth" || word == "authorization";
  return vague ? NameSays::key : NameSays::secret;
}

}  // namespace

NameSays what_name_says(std::string_view name) {
  const Words words = words_of(name);
  for (std::size_t i = words.count; i-- > 0;) {
    const Word word = words.of[i];
    if (word == "key") return said_of_key(words, i);
    if (word == "secretaccesskey") return NameSays::aws;
    const bool whole = is_one_of(word, kWhole);
    if (!whole && !is_password(word) && !is_one_of(word, kSecrets) && !ends_as_one(word)) continue;
    return said_of_other(words, i);
  }
  return NameSays::nothing;
}

}  // namespace dragoman::redact
