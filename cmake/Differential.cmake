# SPDX-License-Identifier: Apache-2.0
# Generated documents, read by the library and by the documents' own parsers in Python and Node.
add_executable(differential_driver "${PROJECT_SOURCE_DIR}/tests/differential/driver.cpp")
dragoman_own(differential_driver)
target_link_libraries(differential_driver PRIVATE dragoman_dialect)
set_target_properties(differential_driver PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
add_test(NAME differential.agrees_with_the_documents_parsers
  COMMAND "${DRAGOMAN_PYTHON}" "${PROJECT_SOURCE_DIR}/tests/differential/differential.py"
    --driver $<TARGET_FILE:differential_driver> --peers "${PROJECT_SOURCE_DIR}/bench/peers")
set_tests_properties(differential.agrees_with_the_documents_parsers PROPERTIES LABELS differential)
