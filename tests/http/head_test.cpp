// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/head.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/http/body.hpp"

namespace dragoman::http {
namespace {

struct Case {
  const char* name;
  std::string head;
  int status;  // 0: it is fine
};

TEST(HttpHead, IsReadStrictly) {
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  const Case cases[] = {
      {"plain", get + "\r\n", 0},
      {"length", get + "Content-Length: 5\r\n\r\n", 0},
      {"chunked", get + "Transfer-Encoding: Chunked\r\n\r\n", 0},
      {"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", 0},
      {"length and coding", get + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"two lengths", get + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400},
      {"list of lengths", get + "Content-Length: 5, 5\r\n\r\n", 400},
      {"plus", get + "Content-Length: +5\r\n\r\n", 400},
      {"minus", get + "Content-Length: -5\r\n\r\n", 400},
      {"hexadecimal", get + "Content-Length: 0x5\r\n\r\n", 400},
      {"empty length", get + "Content-Length:\r\n\r\n", 400},
      {"huge length", get + "Content-Length: 99999999999999999999\r\n\r\n", 400},
      {"unknown coding", get + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"coding twice", get + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"folded line", get + "X: a\r\n b\r\n\r\n", 400},
      {"space before the colon", get + "Content-Length : 5\r\n\r\n", 400},
      {"bare line feed", "GET / HTTP/1.1\nHost: h\r\n\r\n", 400},
      {"bare line feed in fields", get + "A: b\nC: d\r\n\r\n", 400},
      {"carriage return in a value", get + "A: b\rC: d\r\n\r\n", 400},
      {"NUL", get + std::string("A: b\0c\r\n\r\n", 11), 400},
      {"no name", get + ": b\r\n\r\n", 400},
      {"no colon", get + "Hello\r\n\r\n", 400},
      {"two hosts", get + "Host: i\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"another scheme", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"target without authority", "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"target with a name", "GET http://h@evil/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"NUL in the path", "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"broken escape", "GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"two words", "GET /\r\nHost: h\r\n\r\n", 400},
      {"no method", " / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"method with a bracket", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"HTTP/2", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
      {"lower case", "GET / http/1.1\r\nHost: h\r\n\r\n", 400},
  };
  for (const Case& one : cases) {
    BadHead bad{0, ""};
    const bool read = read_head(one.head, bad).has_value();
    EXPECT_EQ(read ? 0 : bad.status, one.status) << one.name;
  }
}

TEST(HttpHead, EndsWithAnEmptyLineHoweverItWasEnded) {
  const std::string good = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  EXPECT_EQ(end_of_head(good + "body\n\n", 0), good.size());
  EXPECT_EQ(end_of_head(good.substr(0, good.size() - 1), 0), std::nullopt);
  // What is no head is refused at once, and not when the patience with its sender is over.
  const std::string bare = "GET / HTTP/1.1\nHost: h\n\n";
  EXPECT_EQ(end_of_head(bare, 0), bare.size());
  for (std::size_t seen = 0; seen < good.size(); ++seen)
    EXPECT_EQ(end_of_head(good, seen), good.size()) << seen;
}

TEST(HttpHead, SaysWhatWasAsked) {
  BadHead bad;
  const auto head = read_head(
      "POST /a%20b/c?x=1+2&y=%26&x=3 HTTP/1.1\r\nhost: h:1\r\nX-A:  v \r\n"
      "Connection: foo, Close\r\nExpect: 100-Continue\r\ncontent-length: 12\r\n\r\n",
      bad);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.method, "POST");
  EXPECT_EQ(head->request.path, "/a b/c");
  EXPECT_EQ(head->request.parameter("x"), "1 2");
  EXPECT_EQ(head->request.parameter("y"), "&");
  EXPECT_EQ(head->request.parameter("z"), std::nullopt);
  EXPECT_EQ(head->request.fields.find("x-a"), "v");
  EXPECT_EQ(head->length, 12U);
  EXPECT_FALSE(head->keep_alive);
  EXPECT_TRUE(head->wants_continue);
}

std::string read_body(std::string_view bytes, std::size_t limit, std::size_t step) {
  Head head;
  head.chunked = true;
  BodyReader reader(head, limit);
  while (!bytes.empty() && reader.state() == BodyReader::State::more) {
    std::size_t taken = 0;
    reader.push(bytes.substr(0, step), taken);
    bytes.remove_prefix(taken);
  }
  switch (reader.state()) {
    case BodyReader::State::more:
      return "more";
    case BodyReader::State::bad:
      return "bad";
    case BodyReader::State::too_large:
      return "too large";
    case BodyReader::State::done:
      return "done " + reader.body() + "|" + std::string(bytes);
  }
  return {};
}

TEST(HttpBody, ChunksAreJoinedHoweverTheyAreCut) {
  const std::pair<const char*, const char*> cases[] = {
      {"3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\nrest", "done abcde|rest"},
      {"0\r\nTrailer: x\r\n\r\n", "done |"},
      {"A\r\n0123456789\r\n0\r\n\r\n", "done 0123456789|"},
      {"B\r\n0123456789a\r\n0\r\n\r\n", "too large"},
      {"3\r\nabcX\r\n0\r\n\r\n", "bad"},
      {"3\nabc\r\n", "bad"},
      {"-3\r\nabc\r\n", "bad"},
      {"\r\n", "bad"},
      {"fffffffffffffffff\r\n", "bad"},
      {"3\r\nab", "more"},
  };
  for (const auto& [bytes, expected] : cases)
    for (std::size_t step = 1; step <= std::string_view(bytes).size(); ++step)
      EXPECT_EQ(read_body(bytes, 10, step), expected) << bytes << " by " << step;
}

TEST(HttpBody, ALongChunkLineIsRefused) {
  EXPECT_EQ(read_body(std::string(100'000, '0'), 10, 1000), "bad");
}

// RFC 9112, 3.2.2: what the target names counts in place of the field.
TEST(ReadHead, TakesTheHostOfAnAbsoluteTarget) {
  const auto read = [](const std::string& target) {
    BadHead bad;
    const auto head = read_head("GET " + target + " HTTP/1.1\r\nHost: other\r\n\r\n", bad);
    if (!head) return std::string("refused");
    return fmt::format("{}|{}|{}|{}", *head->request.fields.find("Host"),
                       head->request.fields.count("host"), head->request.path, head->request.query);
  };
  EXPECT_EQ(read("http://h:80/a%20b?c=d"), "h:80|1|/a b|c=d");
  EXPECT_EQ(read("HTTP://h"), "h|1|/|");
  EXPECT_EQ(read("/http://h/x"), "other|1|/http://h/x|");
  EXPECT_EQ(read("/a?b=http://h/x"), "other|1|/a|b=http://h/x");
}

}  // namespace
}  // namespace dragoman::http
