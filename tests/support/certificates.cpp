// SPDX-License-Identifier: Apache-2.0
#include "tests/support/certificates.hpp"

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "tests/support/files.hpp"

namespace dragoman::test {

bool make_certificates(const std::filesystem::path& directory) {
  const auto run = [&](const std::string& words) {
    return std::system(fmt::format("cd {} && openssl {} >/dev/null 2>&1", directory.string(), words)
                           .c_str()) == 0;
  };
  const std::string key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
  const auto own = [&](const std::string& name) {
    return run(fmt::format("req -x509 {0} -keyout {1}.key -out {1}.pem -subj /CN={1}", key, name));
  };
  const auto issue = [&](const std::string& name, const std::string& host) {
    write_file(directory / (name + ".ext"), "subjectAltName=DNS:" + host + "\n");
    return run(fmt::format("req {0} -keyout {1}.key -out {1}.csr -subj /CN={2}", key, name,
                           host)) &&
           run(fmt::format("x509 -req -in {0}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
                           "-out {0}.pem -extfile {0}.ext",
                           name));
  };
  return own("ca") && own("other") && issue("server", "localhost") &&
         issue("elsewhere", "elsewhere.example") && issue("client", "worker.example");
}

}  // namespace dragoman::test
