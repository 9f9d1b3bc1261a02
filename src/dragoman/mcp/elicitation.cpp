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

std::string label_of(const ask::QuestionRecord& question, std::size_t option) {
  std::string label(utf8::prefix(question.labels[option], kLongestLabel));
  if (option < question.descriptions.size() && !question.descriptions[option].empty()) {
    label += " - ";
    label += utf8::prefix(question.descriptions[option], kLongestLabel);
  }
  return label;
}

// Options are chosen by number: labels may repeat, and need not be what a client keeps intact.
void put_options(json::Writer& w, const ask::QuestionRecord& question) {
  w.begin_array();
  for (std::size_t i = 0; i < std::min(question.labels.size(), kMostOptions); ++i) {
    w.begin_object().name("const").string(std::to_string(i + 1));
    w.name("title").string(label_of(question, i)).end_object();
  }
  w.end_array();
}

// "1", ["1","3"]: the words of `dragoman answer`.
std::string choice_of(const Tree& tree, NodeId node) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.size() <= 4 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (tree.is(node, json::Kind::string))
    return is_number(tree.string(node)) ? std::string(tree.string(node)) : std::string();
  std::string words;
  if (!tree.is(node, json::Kind::array)) return words;
  for (const NodeId each : tree.children(node)) {
    if (!tree.is(each, json::Kind::string) || !is_number(tree.string(each))) return {};
    if (!words.empty()) words.push_back(',');
    words += tree.string(each);
  }
  return words;
}

}  // namespace

bool can_be_elicited(const ask::QuestionRecord& question) { return !question.secret; }

InputRequest elicitation_of(const ask::QuestionRecord& question) {
  InputRequest request{question.key(), "elicitation/create", ""};
  std::string message = question.header.empty() ? "" : question.header + ": ";
  message += utf8::prefix(ask::asked_words(question), kLongestText);
  const bool choices = !question.labels.empty();
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
    const bool reason = ask::rules_of(question).permission();
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
  const auto told = [&](std::string_view words, ask::Literal literal) -> Elicited {
    const auto outcome = desk.answer(question.key(), words, literal, by);
    if (outcome) return {Elicited::How::answered};
    return {Elicited::How::unfit, outcome.error().message};
  };
  const auto answer = tree->member(*content, "answer");
  if (answer && tree->is(*answer, json::Kind::string) && !tree->string(*answer).empty())
    return told(tree->string(*answer), ask::Literal::yes);
  const auto choice = tree->member(*content, "choice");
  if (!choice) return {Elicited::How::unfit, "nothing was chosen"};
  const std::string words = choice_of(*tree, *choice);
  if (words.empty()) return {Elicited::How::unfit, "'choice' is not the number of an option"};
  return told(words, ask::Literal::no);
}

}  // namespace dragoman::mcp
