// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace dragoman::surface {
namespace {

using testing::HasSubstr;

class SurfaceSettingsTest : public testing::Test {
 protected:
  Result<Settings> read(const std::string& toml) {
    test::write_file(directory_.path() / "config.toml", toml);
    config::Places places;
    places.working_directory = directory_.path();
    places.file = directory_.path() / "config.toml";
    auto config = config::Config::load(places);
    if (!config) return std::move(config).error();
    EXPECT_THAT(config->warnings(), testing::IsEmpty());
    return read_settings(*config, {"TOKEN=t0", "EMPTY="});
  }
  test::TempDir directory_;
};

TEST_F(SurfaceSettingsTest, ReadsTablesAndResolvesSecrets) {
  test::write_file(directory_.path() / "secret", "s3\n");
  const auto settings = read(R"([ask]
policy = "order"
quiet_hours = "22:30-06:15"
default_answer = "1"
[surface.ops]
kind = "github"
repo = "a/b"
issue = "3"
token = "env:TOKEN"
webhook_secret = "file:)" + (directory_.path() / "secret").string() +
                             R"("
order = 2
offers = ["failure"]
poll = "2s"
[surface.script]
kind = "command"
command = ["a", "b c"]
)");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_TRUE(settings->policy.in_order);
  EXPECT_EQ(settings->policy.quiet, std::pair(22 * 60 + 30, 6 * 60 + 15));
  const SurfaceSettings* const ops = settings->find("ops");
  ASSERT_NE(ops, nullptr);
  EXPECT_EQ(ops->secret("token"), "t0");
  EXPECT_EQ(ops->secret("webhook_secret"), "s3");
  EXPECT_EQ(ops->text("repo"), "a/b");
  EXPECT_EQ(ops->order, 2);
  EXPECT_EQ(ops->poll, std::chrono::seconds(2));
  EXPECT_THAT(ops->offers, testing::ElementsAre("failure"));
  EXPECT_THAT(settings->find("script")->argv, testing::ElementsAre("a", "b c"));
}

TEST_F(SurfaceSettingsTest, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"[surface.x]\nkind = \"fax\"", "config.toml:2: x: kind has to be"},
      {"[surface.x]\nkind = \"github\"\nrepo = \"a/b\"\nissue = \"1\"", "token is missing"},
      {"[surface.x]\nkind = \"github\"\nrepo = \"a/../b\"", "repo"},
      {"[surface.x]\nkind = \"slack\"\nchannel = \"C\"\ntoken = \"xoxb-1\"",
       "env:NAME or file:PATH"},
      {"[surface.x]\nkind = \"slack\"\nchannel = \"C\"\ntoken = \"env:EMPTY\"", "has no EMPTY"},
      {"[surface.x]\nkind = \"slack\"\nchannel = \"C\"\ntoken = \"env:TOKEN\"", "who may answer"},
      {"[surface.x]\nkind = \"discord\"\napi = \"http://example.com\"", "https"},
      {"[surface.x]\nkind = \"discord\"\napplication = \"1\"", "takes no such setting"},
      {"[surface.x]\nkind = \"desktop\"\nwhat = \"1\"", "takes no such setting"},
      {"[surface.x]\nkind = \"desktop\"\noffers = [\"all\"]", "'all' is none of"},
      {"[surface.x]\nkind = \"command\"", "command = "},
      {"[surface]\nkind = \"command\"", "[surface.NAME]"},
      {"[ask]\nquiet_hours = \"late\"", "22:00-07:00"},
  };
  for (const auto& [toml, message] : rows) {
    const auto settings = read(toml);
    ASSERT_FALSE(settings) << toml;
    EXPECT_THAT(settings.error().message, HasSubstr(message));
  }
}

TEST_F(SurfaceSettingsTest, AProjectFileSetsUpNoSurface) {
  test::write_file(directory_.path() / ".dragoman.toml",
                   "[surface.x]\nkind = \"command\"\ncommand = [\"evil\"]\n");
  config::Places places;
  places.working_directory = directory_.path();
  const auto config = config::Config::load(places);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->warnings().size(), 2U);
  const auto settings = read_settings(*config, {});
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->surfaces.empty());
}

}  // namespace
}  // namespace dragoman::surface
