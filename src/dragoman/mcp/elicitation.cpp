// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/elicitation.hpp"

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

using schema::NodeId;
using schema::Tree;

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kLongestLabel = 300;
constexpr std::size_t kMostOptions = 100;

std::string label_of(const Choice& choice) {
  std::string label(utf8::prefix(choice.label, kLongestLabel));
  if (!choice.description.empty()) {
    label += " - ";
    label += utf8::prefix(choice.description, kLongestLabel);
  }
  return label;
}

// Options are chosen by number: labels may repeat, and need not be what a client keeps intact.
void put_options(json::Writer& w, const ask::QuestionRecord& question) {
  w.begin_array();
  for (std::size_t i = 0; i < std::min(question.options.size(), kMostOptions); ++i) {
    w.begin_object().name("const").string(std::to_string(i + 1));
    w.name("title").string(label_of(question.options[i])).end_object();
  }
  w.end_array();
}

// "1", ["1","3"]: numbers of options; empty: it is neither.
std::vector<std::size_t> choice_of(const Tree& tree, NodeId node) {
  const auto number = [&tree](NodeId each) -> std::optional<std::size_t> {
    if (!tree.is(each, json::Kind::string)) return std::nullopt;
    const std::string_view text = tree.string(each);
    const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (text.empty() || text.size() > 4 || !digits) return std::nullopt;
    return std::stoul(std::string(text));
  };
  if (const auto one = number(node)) return {*one};
  std::vector<std::size_t> numbers;
  if (!tree.is(node, json::Kind::array)) return numbers;
  for (const NodeId each : tree.children(node)) {
    const auto one = number(each);
    if (!one) return {};
    numbers.push_back(*one);
  }
  return numbers;
}

}  // namespace

bool can_be_elicited(const ask::QuestionRecord& question) { return !question.secret; }

InputRequest elicitation_of(const ask::QuestionRecord& question) {
  InputRequest request{question.key(), "elicitation/create", ""};
  std::string message = question.header.empty() ? "" : question.header + ": ";
  message += utf8::prefix(ask::asked_words(question), kLongestText);
  const bool choices = !question.options.empty();
  const bool words = question.free_text || !choices;
  json::Writer w(request.params);
  w.begin_object().name("mode").word("form").name("message").string(message);
  w.name("requestedSchema").begin_object().name("type").word("object");
  w.name("properties").begin_object();
  if (choices) {
    w.name("choice").begin_object();
    if (question.multi_select) {
      w.name("type").word("array").name("title").string("Choices");
      w.name("items").begin_object().name("anyOf");
      put_options(w, question);
      w.end_object();
    } else {
      w.name("type").word("string").name("title").string("Choice");
      w.name("oneOf");
      put_options(w, question);
    }
    w.end_object();
  }
  if (words) {
    w.name("answer").begin_object().name("type").word("string");
    const bool reason = question.permission();
    w.name("title").string(reason    ? "Or deny it, and say why"
                           : choices ? "Or in your own words"
                                     : "Answer");
    w.end_object();
  }
  w.end_object();
  w.name("required").begin_array();
  if (choices != words) w.word(choices ? "choice" : "answer");
  w.end_array().end_object().end_object();
  return request;
}

Elicited take_elicited(ask::Desk& desk, const ask::QuestionRecord& question,
                       std::string_view result, std::string_view by) {
  const auto tree = Tree::parse(std::string(result));
  if (!tree || !tree->is(schema::kRoot, json::Kind::object))
    return {Elicited::How::unfit, "the client could not show the form"};
  const auto action = tree->member(schema::kRoot, "action");
  if (!action || !tree->is(*action, json::Kind::string) || tree->string(*action) != "accept")
    return {Elicited::How::declined};
  const auto content = tree->member(schema::kRoot, "content");
  if (!content || !tree->is(*content, json::Kind::object))
    return {Elicited::How::unfit, "the form came back empty"};
  const auto told = [&](const Reply& reply) -> Elicited {
    const auto outcome = desk.answer(reply, by);
    if (outcome) return {Elicited::How::answered};
    return {Elicited::How::unfit, outcome.error().message};
  };
  const auto answer = tree->member(*content, "answer");
  if (answer && tree->is(*answer, json::Kind::string) && !tree->string(*answer).empty())
    return told({.id = question.key(), .text = std::string(tree->string(*answer))});
  const auto choice = tree->member(*content, "choice");
  if (!choice) return {Elicited::How::unfit, "nothing was chosen"};
  auto numbers = choice_of(*tree, *choice);
  if (numbers.empty()) return {Elicited::How::unfit, "'choice' is not the number of an option"};
  return told({.id = question.key(), .options = std::move(numbers)});
}

}  // namespace dragoman::mcp
