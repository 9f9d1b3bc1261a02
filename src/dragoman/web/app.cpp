// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/app.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/web/embedded.hpp"
#include "dragoman/web/views.hpp"

namespace dragoman::web {

namespace {

constexpr int kCookieSeconds = 30 * 24 * 3600;

// Addresses that the dashboard itself resolves.
constexpr std::array<std::string_view, 6> kPages = {"/",       "/questions", "/new",
                                                    "/search", "/view",      "/runs"};

bool is_page(std::string_view path) {
  for (const std::string_view page : kPages)
    if (path == page) return true;
  return path.starts_with("/runs/");
}

bool has_body(const http::Request& head) {
  return head.fields.find("Content-Length").value_or("0") != "0" ||
         head.fields.count("Transfer-Encoding") > 0;
}

// Whether the body is other bytes than those that are meant.
bool has_coded_body(const http::Request& head) {
  if (!has_body(head)) return false;
  const auto is_coding = [](const http::Fields::Field& field) {
    return ascii::same_letters(field.first, "Content-Encoding") &&
           !ascii::same_letters(field.second, "identity");
  };
  return std::any_of(head.fields.all().begin(), head.fields.all().end(), is_coding);
}

// A person in a browser, not a program.
bool wants_page(const http::Request& request) {
  return request.fields.find("Accept").value_or("").find("text/html") != std::string_view::npos;
}

http::Response refused_coding() {
  http::Response response =
      error_response(415, "content_encoding",
                     "a body is taken as it is: unpack it, and send it without Content-Encoding");
  response.fields.add("Accept-Encoding", "identity");
  return response;
}

http::Response refused(const Refusal& refusal) {
  http::Response response = error_response(refusal.status, refusal.code, refusal.message);
  if (refusal.status == 401) response.fields.add("WWW-Authenticate", "Bearer realm=\"dragoman\"");
  return response;
}

}  // namespace

http::Response refused_head(int status, std::string_view why) {
  switch (status) {
    case 413:
      return error_response(status, "too_large", why);
    case 431:
      return error_response(status, "head_too_large", why);
    case 503:
      return error_response(status, "busy", why);
    default:
      return error_response(status, "bad_request", why);
  }
}

http::Fields security_fields() {
  return {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
       "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Embedder-Policy", "require-corp"},
      {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
  };
}

std::vector<std::string> own_hosts(const std::string& host, std::uint16_t port) {
  std::vector<std::string> names = {"127.0.0.1", "localhost", "[::1]"};
  if (host.find(':') != std::string::npos) {
    names.push_back("[" + host + "]");
  } else if (!host.empty() && host != "127.0.0.1" && host != "0.0.0.0") {
    names.push_back(host);
  }
  std::vector<std::string> hosts;
  for (const auto& name : names) {
    hosts.push_back(fmt::format("{}:{}", name, port));
    if (port == 80 || port == 0) hosts.push_back(name);
  }
  return hosts;
}

App::App(task::Service& service, std::shared_ptr<Token> token, AppOptions options)
    : service_(service),
      feed_(service.log(), options.feed),
      api_(service, feed_, std::move(options.api)),
      assets_(embedded_ui()),
      gate_(std::move(options.gate), std::move(token)),
      codes_(task::now_ms()) {
  router_.add(run_routes(api_));
  router_.add(stream_routes(api_));
  router_.add(command_routes(api_));
  router_.add(message_routes(api_));
  router_.add(document_routes(api_));
  add_own_routes();
  router_.add(std::move(options.mounted));
}

void App::allow_hosts(std::vector<std::string> hosts) { gate_.allow(std::move(hosts)); }

void App::add_own_routes() {
  const auto answer = [this](http::Response (App::*function)()) {
    return answering([this, function](const Call&) { return (this->*function)(); });
  };
  router_.add({"GET", "/login", "", answering([this](const Call& call) { return log_in(call); }),
               Access::anyone, http::RunsIn::loop});
  router_.add({"GET", "/healthz", "", answering([](const Call&) {
                 return http::Response{200, {{"Content-Type", "text/plain"}}, "ok\n"};
               }),
               Access::anyone, http::RunsIn::loop});
  router_.add({"GET", "/readyz", "", answer(&App::ready), Access::anyone});
  router_.add({"GET", "/metrics", "", answer(&App::metrics)});
}

http::Decide App::decide() {
  return [this](const http::Request& head) { return decide(head); };
}

http::Decision App::decide(const http::Request& head) {
  if (const auto refusal = gate_.check_origin(head)) return refused(*refusal);
  if (auto response = page(head)) return *std::move(response);
  Router::Match match = router_.find(head);
  if (match.route == nullptr && match.allowed.empty() && wants_page(head)) {
    if (auto response = page_for_nothing(head)) return *std::move(response);
  }
  const bool open = match.route != nullptr && match.route->access == Access::anyone;
  const Identity who = open ? Identity::nobody : gate_.identity(head);
  if (const auto refusal = open ? std::nullopt : gate_.check_token(head, who))
    return refused(*refusal);
  if (match.route == nullptr) {
    if (match.allowed.empty()) return error_response(404, "not_found", "there is nothing here");
    http::Response response = error_response(405, "method", "this address has no such method");
    response.fields.add("Allow", match.allowed);
    return response;
  }
  const RouteSpec& route = *match.route;
  const bool needs_json = !is_safe(head.method) && route.body_type == BodyType::json &&
                          (has_body(head) || who == Identity::cookie);
  if (needs_json && !is_json(head))
    return error_response(415, "content_type", "the body has to be application/json");
  if (has_coded_body(head)) return refused_coding();
  return http::Route{route.runs_in, route.body_limit,
                     [&route, parts = std::move(match.parts), who](
                         std::shared_ptr<const http::Request> request, http::Reply reply) {
                       route.handler({std::move(request), parts, who}, std::move(reply));
                     },
                     /*known=*/!open};
}

std::optional<http::Response> App::page(const http::Request& head) const {
  if (!is_safe(head.method) || head.path.empty()) return std::nullopt;
  if (is_page(head.path)) return assets_.empty() ? plain_page() : assets_.serve(head, "index.html");
  const std::string_view name = std::string_view(head.path).substr(1);
  if (!assets_.has(name)) return std::nullopt;
  return assets_.serve(head, name);
}

// What somebody typed into a browser: the page says that there is nothing, in its own words.
std::optional<http::Response> App::page_for_nothing(const http::Request& head) const {
  if (!is_safe(head.method) || assets_.empty() || head.path.starts_with("/api/"))
    return std::nullopt;
  http::Request fresh = head;
  fresh.fields.set("If-None-Match", "");  // "not modified" would be another answer than 404
  http::Response response = assets_.serve(fresh, "index.html");
  response.status = 404;
  return response;
}

http::Response App::log_in(const Call& call) {
  const std::string code = call.request->parameter("code").value_or("");
  Token& token = gate_.token();
  if (!codes_.use(code, token.current(), task::now_ms())) {
    // Opened a second time: whoever is signed in goes on, others are told on the page what to do.
    if (wants_page(*call.request))
      return {303, {{"Location", "/?login=old"}, {"Cache-Control", "no-store"}}, {}};
    return error_response(401, "login",
                          "this address has been used or is too old: 'dragoman serve --login' "
                          "prints a new one");
  }
  http::Response response{303, {{"Location", "/"}, {"Cache-Control", "no-store"}}, {}};
  const std::string name = cookie_name(*call.request);
  response.fields.add("Set-Cookie",
                      fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}", name,
                                  token.cookie(name), kCookieSeconds));
  return response;
}

http::Response App::ready() {
  const auto count = service_.log().count({.bucket = std::string(task::kTasks)});
  if (!count) return {503, {{"Content-Type", "text/plain"}}, "the store does not answer\n"};
  return {200, {{"Content-Type", "text/plain"}}, "ready\n"};
}

}  // namespace dragoman::web
