// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/validator.hpp"

#include <utility>

#include "dragoman/schema/embedded.hpp"
#include "dragoman/schema/evaluation.hpp"
#include "dragoman/schema/program.hpp"

namespace dragoman::schema {
namespace {

std::shared_ptr<Program> new_program(ValidatorOptions options) {
  for (const EmbeddedSchema& schema : all()) {
    options.documents.push_back({std::string(schema.id), schema.text});
  }
  return std::make_shared<Program>(options);
}

}  // namespace

Result<Validator> Validator::compile(std::string text, const ValidatorOptions& options) {
  auto program = new_program(options);
  DRAGOMAN_TRY(const Location root, program->documents.add("", std::move(text)));
  DRAGOMAN_CHECK(compile_into(*program, root));
  return Validator(std::move(program));
}

Result<Validator> Validator::with_id(std::string_view id, const ValidatorOptions& options) {
  auto program = new_program(options);
  DRAGOMAN_TRY(const Location root, program->documents.load(id));
  DRAGOMAN_CHECK(compile_into(*program, root));
  return Validator(std::move(program));
}

Result<std::vector<Finding>> Validator::validate(const Tree& instance) const {
  return Evaluation(*program_, instance).run();
}

}  // namespace dragoman::schema
