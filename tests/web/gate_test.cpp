// SPDX-License-Identifier: Apache-2.0
// Who gets in, on every route.
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include <fmt/format.h>

#include "tests/web/served.hpp"

namespace dragoman::web::test {
namespace {

std::string cookie_name_of(int port) { return fmt::format("dragoman-{}", port); }

class Gates : public Served {
 protected:
  struct Target {
    std::string method;
    std::string target;
    Access access;
  };
  // Every route, with something in the place of its braces, and the pages.
  std::vector<Target> targets() {
    std::vector<Target> all;
    for (const auto& route : app_->router().routes()) {
      std::string target = route.path;
      for (std::size_t at; (at = target.find('{')) != std::string::npos;)
        target.replace(at, target.find('}') - at + 1, "T-local-abc");
      all.push_back({route.method, target, route.access});
    }
    for (const char* page : {"/", "/runs/T-local-abc", "/questions", "/new", "/search", "/view"})
      all.push_back({"GET", page, Access::anyone});
    return all;
  }
  // The answer's status; the body that was promised is never sent, so a server that waits for it
  // does not answer.
  int status_of(const Target& target, const std::string& fields) {
    std::string head = request(target.method, target.target, fields);
    if (target.method == "POST") {
      const std::size_t at = head.find("Content-Length: 0");
      head.replace(at, 17, "Content-Length: 1000000000");
    }
    RawClient client(port());
    client.send(head);
    const auto response = client.head();
    return response ? response->status : 0;
  }
  // What a browser sends that was signed in at that port.
  std::string cookie_field(int port) const {
    const std::string name = cookie_name_of(port);
    return fmt::format("Cookie: {}={}\r\n", name, Token(token_file()).cookie(name));
  }
};

TEST_F(Gates, HostAndOriginAreLookedAtFirst) {
  const std::string port_text = std::to_string(port());
  const std::string own = "127.0.0.1:" + port_text;
  struct Case {
    std::string fields;
    bool allowed;
  };
  const auto host = [](const std::string& name) { return "Host: " + name + "\r\n"; };
  const auto origin = [&](const std::string& name) {
    return host(own) + "Origin: " + name + "\r\n";
  };
  const std::vector<Case> cases = {
      {host(own), true},
      {host("localhost:" + port_text), true},
      {host("[::1]:" + port_text), true},
      {origin("http://" + own), true},
      {host("localhost:" + port_text) + "Origin: http://localhost:" + port_text + "\r\n", true},
      {host("evil.example:" + port_text) + "Origin: http://evil.example:" + port_text + "\r\n",
       false},
      {host("evil.example:" + port_text), false},
      {host("127.0.0.1"), false},
      {host("127.0.0.1:1"), false},
      {host("localhost.evil.example:" + port_text), false},
      {host("127.0.0.1.nip.io:" + port_text), false},
      {host("LOCALHOST:" + port_text), false},
      {host("0.0.0.0:" + port_text), false},
      {host(own + "@evil.example"), false},
      {host(""), false},
      {origin("null"), false},
      {origin("https://" + own), false},
      {origin("http://127.0.0.1"), false},
      {origin("http://127.0.0.1:" + port_text + ".evil.example"), false},
      {origin("http://localhost.evil.example:" + port_text), false},
      {origin("http://LOCALHOST:" + port_text), false},
      {origin("http://localhost:" + port_text), false},  // ours, but not the one that is asked
      {origin("http://evil.example") + "Origin: http://" + own + "\r\n", false},
      {origin(""), false},
  };
  ASSERT_EQ(cases.size(), 24U);
  for (const Target& target : targets()) {
    for (const Case& one : cases) {
      const int status = status_of(target, one.fields + "X-Nobody: yes\r\n");
      if (one.allowed) {
        EXPECT_NE(status, 403) << target.target << "\n" << one.fields;
      } else {
        EXPECT_EQ(status, 403) << target.target << "\n" << one.fields;
      }
    }
  }
}

TEST_F(Gates, WithoutTheTokenNothingButPagesAnswers) {
  const std::string cut = token_.substr(0, token_.size() - 1);
  const std::vector<std::string> wrong = {
      "X-Nobody: yes\r\n",
      "Authorization: Bearer " + cut + "\r\n",
      "Authorization: Bearer " + token_ + "0\r\n",
      "Authorization: Bearer \r\n",
      "Authorization: bearer " + std::string(token_.size(), 'a') + "\r\n",
      "Authorization: Basic " + token_ + "\r\n",
      "Authorization: Bearer " + token_ + "\r\nAuthorization: Bearer x\r\n",
      "Cookie: " + cookie_name_of(port()) + "=" + token_ + "\r\n",
      "Cookie: other=1; " + cookie_name_of(port()) + "=abc\r\n",
  };
  for (const Target& target : targets()) {
    for (const auto& fields : wrong) {
      const int status = status_of(target, fields);
      if (target.access == Access::token) {
        EXPECT_EQ(status, 401) << target.target << "\n" << fields;
      } else if (target.target != "/login") {
        EXPECT_NE(status, 401) << target.target << "\n" << fields;
      }
    }
    if (target.access == Access::token) {
      EXPECT_EQ(
          status_of({target.method, target.target + "?token=" + token_, {}}, "X-Nobody: yes\r\n"),
          401);
    }
  }
  EXPECT_EQ(ask("GET", "/api/v1/nothing", "X-Nobody: yes\r\n").status, 401);
}

TEST_F(Gates, TheNameOfTheSchemeHasNoCase) {
  for (const char* const scheme : {"Bearer", "bearer", "BEARER"}) {
    EXPECT_EQ(
        ask("GET", "/api/v1/info", fmt::format("Authorization: {} {}\r\n", scheme, token_)).status,
        200)
        << scheme;
  }
}

TEST_F(Gates, ANewTokenCountsFromTheNextRequestOn) {
  const std::string old = token_;
  EXPECT_EQ(ask("GET", "/api/v1/info").status, 200);
  auto fresh = Token::prepare(token_file(), true);
  ASSERT_TRUE(fresh);
  EXPECT_NE(*fresh, old);
  for (const Target& target : targets()) {
    if (target.access != Access::token) continue;
    EXPECT_EQ(status_of(target, "Authorization: Bearer " + old + "\r\n"), 401) << target.target;
  }
  token_ = *fresh;
  EXPECT_EQ(ask("GET", "/api/v1/info").status, 200);
}

TEST_F(Gates, ATokenFileThatOthersReadOpensNothing) {
  ASSERT_EQ(::chmod(token_file().c_str(), 0644), 0);
  EXPECT_EQ(ask("GET", "/api/v1/info").status, 401);
  EXPECT_FALSE(Token::prepare(token_file(), false));
}

TEST_F(Gates, ALoginAddressWorksOnceAndSetsAStrictCookie) {
  const auto code = make_login_code(token_, task::now_ms());
  ASSERT_TRUE(code);
  const RawResponse first = ask("GET", "/login?code=" + *code, "X-Nobody: yes\r\n");
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(first.fields.at("location"), "/");
  const std::string cookie = first.fields.at("set-cookie");
  EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict; Path=/"), std::string::npos) << cookie;
  EXPECT_EQ(cookie.find(token_), std::string::npos);
  EXPECT_EQ(ask("GET", "/login?code=" + *code, "X-Nobody: yes\r\n").status, 401);
  const std::string field = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  EXPECT_EQ(ask("GET", "/api/v1/info", field).status, 200);
  // After a restart the cookie is good, and a code from before is not.
  const auto unused = make_login_code(token_, task::now_ms() - 1);
  stop();
  start();
  EXPECT_EQ(ask("GET", "/api/v1/info", field).status, 200);
  EXPECT_EQ(ask("GET", "/login?code=" + *unused, "X-Nobody: yes\r\n").status, 401);
}

// A browser sends what one port of a host has set to all of them.
TEST_F(Gates, ACookieIsGoodForItsPortAlone) {
  const int other = port() == 4777 ? 4778 : 4777;
  EXPECT_EQ(ask("GET", "/api/v1/info", cookie_field(port())).status, 200);
  EXPECT_EQ(ask("GET", "/api/v1/info", cookie_field(other)).status, 401);
  // Nor under the name of this one.
  const std::string moved = fmt::format("Cookie: {}={}\r\n", cookie_name_of(port()),
                                        Token(token_file()).cookie(cookie_name_of(other)));
  EXPECT_EQ(ask("GET", "/api/v1/info", moved).status, 401);
}

TEST_F(Gates, AnotherServersCookieOfTheSameNameSignsNobodyOut) {
  std::string both = cookie_field(port());
  both.insert(std::string_view("Cookie: ").size(), cookie_name_of(port()) + "=of-another; ");
  EXPECT_EQ(ask("GET", "/api/v1/info", both).status, 200);
}

TEST_F(Gates, ALoginSetsTheCookieOfThePortThatWasAsked) {
  const auto code = make_login_code(token_, task::now_ms());
  const std::string set =
      ask("GET", "/login?code=" + *code, "X-Nobody: yes\r\n").fields.at("set-cookie");
  EXPECT_EQ(set.substr(0, set.find('=')), cookie_name_of(port()));
}

TEST_F(Gates, ABrowserWithAnOldLoginAddressIsSentToThePageWithoutACookie) {
  const RawResponse old = ask("GET", "/login?code=a-b-c", "Accept: text/html,*/*;q=0.8\r\n");
  EXPECT_EQ(old.status, 303);
  EXPECT_EQ(old.fields.at("location"), "/?login=old");
  EXPECT_EQ(old.fields.count("set-cookie"), 0U);
}

TEST_F(Gates, OldForgedAndForeignCodesDoNotOpen) {
  const auto old = make_login_code(token_, task::now_ms() - 11 * 60 * 1000);
  const auto foreign = make_login_code("another token altogether", task::now_ms());
  auto forged = *make_login_code(token_, task::now_ms());
  forged.back() = forged.back() == '0' ? '1' : '0';
  for (const auto& code : {*old, *foreign, forged, std::string(), std::string("a-b-c")})
    EXPECT_EQ(ask("GET", "/login?code=" + code, "X-Nobody: yes\r\n").status, 401) << code;
}

TEST(LoginCodes, ManyLoginsLockNobodyOut) {
  constexpr std::int64_t kNow = 1'000'000'000;
  constexpr std::int64_t kLater = kNow + 11 * 60 * 1000;
  LoginCodes codes(0);
  const std::string first = *make_login_code("token", kNow);
  ASSERT_TRUE(codes.use(first, "token", kNow));
  for (int i = 1; i < 10'000; ++i)
    ASSERT_TRUE(codes.use(*make_login_code("token", kNow), "token", kNow)) << i;
  EXPECT_FALSE(codes.use(*make_login_code("token", kNow), "token", kNow)) << "bounded";
  EXPECT_TRUE(codes.use(*make_login_code("token", kLater), "token", kLater));
  EXPECT_FALSE(codes.use(first, "token", kLater));
}

TEST_F(Gates, WhatAForeignPageCanSendChangesNothing) {
  const std::string id = add_task();
  const std::string cookie = cookie_field(port());
  const std::string own = "Origin: http://" + host() + "\r\n";
  const std::string target = "/api/v1/runs/" + id + "/cancel";
  struct Case {
    const char* name;
    std::string fields;
    int status;
  };
  const Case cases[] = {
      {"a form",
       cookie + "Origin: https://evil.example\r\nContent-Type: "
                "application/x-www-form-urlencoded\r\n",
       403},
      {"a form of a sandboxed frame", cookie + "Origin: null\r\nContent-Type: text/plain\r\n", 403},
      {"no Origin at all", cookie + "Content-Type: application/json\r\n", 403},
      {"our page without JSON", cookie + own + "Content-Type: text/plain\r\n", 415},
      {"our page with a form", cookie + own + "Content-Type: multipart/form-data; boundary=x\r\n",
       415},
      {"cross-site fetch", cookie + own + "Sec-Fetch-Site: cross-site\r\n", 403},
      {"a neighbour's port", cookie + own + "Sec-Fetch-Site: same-site\r\n", 403},
  };
  for (const Case& one : cases)
    EXPECT_EQ(ask("POST", target, one.fields, "{}").status, one.status) << one.name;
  // GET changes nothing, whatever it asks for.
  EXPECT_EQ(ask("GET", target, cookie).status, 405);
  EXPECT_EQ((*service_->get(id)).state, "working");
  EXPECT_EQ(ask("POST", target, cookie + own, "{}").status, 200);
  EXPECT_EQ((*service_->get(id)).state, "cancelled");
}

TEST_F(Gates, ABodyIsTakenAsItIsAndNoOtherwise) {
  stop();
  // As /mcp and as a webhook.
  for (const auto& [path, access] :
       {std::pair("/mounted", Access::token), std::pair("/hook", Access::anyone)}) {
    RouteSpec route{"POST", path, "", answering([](const Call&) { return http::Response{}; })};
    route.access = access;
    route.body_type = BodyType::any;
    options_.mounted.push_back(std::move(route));
  }
  start();
  const std::vector<std::string> coded = {
      "gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip", "gzip, identity", ""};
  std::size_t posts = 0;
  for (const Target& target : targets()) {
    if (target.method != "POST") continue;
    ++posts;
    for (const std::string& coding : coded) {
      EXPECT_EQ(status_of(target, "Content-Encoding: " + coding + "\r\n"), 415)
          << target.target << " " << coding;
    }
    EXPECT_EQ(status_of(target, "content-encoding: identity\r\ncontent-encoding: br\r\n"), 415);
    const bool open = target.access == Access::anyone;
    EXPECT_EQ(status_of(target, "Content-Encoding: gzip\r\nX-Nobody: yes\r\n"), open ? 415 : 401);
  }
  EXPECT_EQ(posts, 8U);
  const auto refused =
      ask("POST", "/api/v1/parse?dialect=auto", "Content-Encoding: gzip\r\n", "\x1f\x8b\x08");
  EXPECT_EQ(refused.fields.at("accept-encoding"), "identity");
  EXPECT_EQ(nlohmann::json::parse(refused.body)["error"]["message"],
            "a body is taken as it is: unpack it, and send it without Content-Encoding");
  EXPECT_EQ(ask("POST", "/api/v1/parse", "Content-Encoding: Identity\r\n", "words").status, 200);
  // Where there is no body there is nothing to unpack.
  EXPECT_EQ(ask("GET", "/api/v1/info", "Content-Encoding: gzip\r\n").status, 200);
}

TEST_F(Gates, ACaptureThatIsCompressedIsNotReadAsWords) {
  using std::string_view_literals::operator""sv;
  for (const auto& [bytes, name] :
       {std::pair("\x1f\x8b\x08\0\0"sv, "gzip"), std::pair("\x28\xb5\x2f\xfd\x24"sv, "zstd"),
        std::pair("\xfd\x37zXZ\0\0"sv, "xz"), std::pair("BZh91AY&SY\x01"sv, "bzip2"),
        std::pair("PK\x03\x04\x14"sv, "zip")}) {
    const auto refused = ask("POST", "/api/v1/parse", "", bytes);
    EXPECT_EQ(refused.status, 415) << name;
    EXPECT_EQ(nlohmann::json::parse(refused.body)["error"]["message"],
              fmt::format("the capture is compressed ({}): unpack it first", name));
  }
  EXPECT_EQ(ask("POST", "/api/v1/parse", "", "PK and BZh are words\n").status, 200);
}

TEST(Json, IsKnownByItsOneTypeWhateverItsLettersAndParameters) {
  const auto of_type = [](const std::vector<std::string>& types) {
    http::Request request;
    for (const std::string& type : types) request.fields.add("Content-Type", type);
    return is_json(request);
  };
  for (const char* type : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json ;charset=utf-8"})
    EXPECT_TRUE(of_type({type})) << type;
  for (const char* type : {"", "application/jsonp", "text/json", "application/x;application/json"})
    EXPECT_FALSE(of_type({type})) << type;
  EXPECT_FALSE(of_type({}));
  EXPECT_FALSE(of_type({"application/json", "text/plain"}));
}

TEST_F(Gates, EveryResponseForbidsWhatTheDashboardDoesNotNeed) {
  std::vector<RawResponse> responses = {ask("GET", "/"), ask("GET", "/api/v1/info"),
                                        ask("GET", "/nothing"), ask("GET", "/metrics"),
                                        ask("GET", "/healthz", "Host: evil\r\n")};
  const auto broken = dragoman::test::ask_once(port(), "nonsense\r\n\r\n");
  ASSERT_TRUE(broken);
  responses.push_back(*broken);
  for (const auto& response : responses) {
    const std::string& policy = response.fields.at("content-security-policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe-"), std::string::npos);
    EXPECT_EQ(response.fields.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(response.fields.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(response.fields.at("cross-origin-opener-policy"), "same-origin");
    EXPECT_EQ(response.fields.count("access-control-allow-origin"), 0U);
  }
}

TEST_F(Gates, TheTokenFileIsForItsOwnerAlone) {
  struct stat status {};
  ASSERT_EQ(::stat(token_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(token_.size(), 64U);
}

// A port that is mapped or proxied is another one to the browser than to the server.
TEST(GateOf, ACookieIsNamedAfterThePortInTheAddress) {
  const auto named = [](std::string host) {
    http::Request request;
    request.fields = {{"Host", std::move(host)}};
    return cookie_name(request);
  };
  EXPECT_EQ(named("127.0.0.1:4777"), "dragoman-4777");
  EXPECT_EQ(named("[::1]:4778"), "dragoman-4778");
  EXPECT_EQ(named("[::1]"), "dragoman");
  EXPECT_EQ(named("box.example"), "dragoman");
  EXPECT_EQ(named("box.example:8443"), "dragoman-8443");
}

TEST(GateOf, AUnixSocketIsLocalhostForItsOwner) {
  const Gate gate({.hosts = {"127.0.0.1:1"}}, nullptr);
  http::Request request;
  request.fields = {{"Host", "localhost"}};
  EXPECT_TRUE(gate.check_origin(request));
  request.peer.user = ::geteuid();
  EXPECT_FALSE(gate.check_origin(request));
  request.peer.user = ::geteuid() + 1;
  EXPECT_EQ(gate.check_origin(request)->code, "user");
}

TEST(GateOf, AProxysNameIsTakenInBothSchemes) {
  const Gate gate({.hosts = {}, .proxied = {"box.example:8443"}}, nullptr);
  http::Request request;
  for (const auto& [origin, refused] :
       {std::pair("https://box.example:8443", false), std::pair("http://box.example:8443", false),
        std::pair("https://box.example", true)}) {
    request.fields = {{"Host", "box.example:8443"}, {"Origin", origin}};
    EXPECT_EQ(gate.check_origin(request).has_value(), refused) << origin;
  }
}

TEST(Secrets, AreComparedWhole) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", ""));
}

TEST_F(Gates, AnAbsoluteTargetIsTakenAndItsHostIsJudged) {
  EXPECT_EQ(ask("GET", "http://" + host() + "/healthz").status, 200);
  EXPECT_EQ(ask("GET", "http://evil.example/healthz").status, 403);
}

TEST_F(Gates, WhatIsRefusedBeforeAnyRouteIsAnErrorOfTheApi) {
  const auto refused = [this](const std::string& text) {
    const auto response = dragoman::test::ask_once(port(), text);
    EXPECT_TRUE(response);
    EXPECT_EQ(response->fields.at("content-type"), "application/json");
    EXPECT_EQ(response->fields.count("content-security-policy"), 1U);
    const auto body = nlohmann::json::parse(response->body);
    EXPECT_FALSE(body["error"]["message"].get<std::string>().empty());
    return fmt::format("{} {}", response->status, body["error"]["code"].get<std::string>());
  };
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), "400 bad_request");
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nX: " + std::string(40000, 'x') + "\r\n\r\n"),
            "431 head_too_large");
  EXPECT_EQ(refused(request("POST", "/api/v1/tasks", "", std::string(3 << 20, 'x'))),
            "413 too_large");
}

}  // namespace
}  // namespace dragoman::web::test
