// SPDX-License-Identifier: Apache-2.0
#include "tests/redact/harmless.hpp"

#include <sstream>

namespace dragoman::redact {
namespace {

// One on each line.
constexpr char kTexts[] = R"harmless(PRIMARY_KEY=customer_order_id
FOREIGN_KEY=customer_reference
SORT_KEY=created_at_descending
CACHE_KEY=v1-4f2a9c81d0e7b6
PUBLIC_KEY=ssh-ed25519
PARTITION_KEY=tenant_2024_region_7
KEY_PATH=/etc/ssl/private/server.pem
KEYBOARD=us-international
KEYBOARD_LAYOUT=de-latin1-nodeadkeys
TOKEN_TYPE=bearer_token_type
TOKEN_URL=https://login.example.org/oauth2/token
TOKEN_FILE=/var/run/secrets/token.txt
SECRET_NAME=production/database
SECRET_PATH=/run/secrets/db
PASSWORD_FILE=/run/secrets/db_password
PASSWORD_MIN_LENGTH=12345678
MAX_TOKENS=16384000
MAX_OUTPUT_TOKENS=128000000
CSRF_TOKEN_EXPIRES=86400000
API_KEY=${API_KEY}
API_KEY=$OTHER_API_KEY
API_KEY={your_api_key}
API_KEY=your-api-key-here
TOKEN=$(cat token.txt)
PASSWORD=%(password)s
SECRET=<your secret here>
KEY="$(openssl rand -hex 32)"
DB_PASSWORD=********
DB_PASSWORD=changeme123
PASS=
PWD=/home/dev/work/project
OLDPWD=/home/dev/work
bearer authentication is used for all endpoints
Bearer authentication/authorization-middleware
the bearer authorization-header-must-be-present
The bearer of this certificate is entitled to vote
Bearer <token>
Bearer ${ACCESS_TOKEN}
Bearer realm="https://auth.example.org/token"
WWW-Authenticate: Basic realm="Restricted area"
basic authentication is disabled
Basic understanding of programming
basic configuration
const token = await getToken(request);
const token = request.headers.authorization;
token = tokenizer.next_token()
token=get_token(request)
password = getpass.getpass()
password=self.password
password: args.password
password: str = None
password: string
"password": "string"
"password": "Passwort"
"password": "Password"
"password": "Enter your password"
"password": "required"
'password' => 'required'
type="password" name="password" autocomplete="current-password"
<input type="password" placeholder="Password">
<label for="password">Password</label>
if password == confirm_password:
assert password != "", "no password"
password_hash = hash_password(password)
user.password = make_password(raw)
api_key = os.environ["OPENAI_API_KEY"]
api_key=os.getenv("OPENAI_API_KEY")
apiKey: process.env.ANTHROPIC_API_KEY,
apiKey: config.apiKey
secret: process.env.CLIENT_SECRET
secret_key = settings.SECRET_KEY
secret = base64.b64encode(data)
"secret": "optional"
"token": "identifier"
"token_type": "Bearer"
token_type: bearer
"next_page_token": "CAoQAA2x9y8z7w6v5u4t"
eos_token = "<|endoftext|>"
"key": "value"
"key": "customer-1234-5678"
key = "some_key_name"
key=lambda item: item.name
key: primary
sorted(items, key=itemgetter(1))
dict(key=value)
for key in keys: print(key)
keys = ["alpha", "beta"]
monkey = "banana-banana"
turkey: 12345678
hotkey = "ctrl+shift+p"
keyword = "something-long-here"
keyCode: 1234567890
keydown: handleKeyDown12
primaryKey: "customer_id_2024"
foreignKey = "orders_2024_id"
publicKey: "ssh-rsa"
cacheKey = `user-${id}`
sortKey: "created_at"
accessKeyId: "not-a-secret"
access_key_id = example
secretName: my-secret-2024
secretKeyRef:
  secretName: db-credentials
tokenizer = "gpt2-medium-2"
tokenize("hello world 2024")
max_tokens: 4096000
max_tokens=128000
"max_tokens": 16000
"input_tokens": 123456789
"output_tokens": 12345678
total_tokens = 12345678
prompt_tokens: 87654321
tokens per second: 12345678
passes: 12345678
passenger = "alice-and-bob"
passport: X1234567
bypass = "allowed-2024"
compass: north-by-northwest
passive=true-and-false
--- PASS: TestLoginWithTwoFactors2 (0.00s)
PASS: test_user_can_login_2024
PASSED tests/test_auth.py::test_password_2024
password reset email was sent
The password is checked in auth.py
Password: 
Password for dev@example.org:
Enter passphrase for key '/home/dev/.ssh/id_ed25519':
password authentication failed for user "postgres"
secret: Kubernetes stores it
a secret is something that few people know
the secretary's token gesture
token by token, key by key
--token TOKEN   the token to use
--password PASSWORD
--api-key KEY
use --token to pass a token
author = "somebody"
authority: "https://login.example.org"
authors: ["Alice", "Bob"]
auth: true
auth_method = "password"
authorization: required
Authorization header is missing
authenticate: "never"
commit 8563c45d1f0b0f4a8f6c7e9d3b2a1c0e5f4d3c2b
Merge: 8563c45 1f0b0f4
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
123e4567-e89b-12d3-a456-426614174000
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sha512-0123456789abcdefABCDEF/+0123456789abcdefABCDEF/+0123456789abcdef==
integrity: sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K
image: registry.example.org/app@sha256:9f86d081884c7d65
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
https://example.org:8080/path?x=1
https://example.org/a?key=value&sort=asc
https://example.org/search?q=token&page=2
https://example.org/docs/api/v2#section-4
http://localhost:3000?mail=user@example.org
http://user@host.example.org/path
ssh://git@github.com/owner/repo.git
git@github.com:owner/repo.git
mailto:somebody@example.org
postgres://localhost:5432/database
postgres://${USER}:${PASSWORD}@host/db
redis://cache:6379/0
ftp://anonymous@ftp.example.org/pub
https://jane.doe@example.org/calendar
12:30:45.123456 INFO started
at Object.<anonymous> (/home/dev/app/index.js:12:34)
2026-11-15T10:05:22.104Z
1234567890:AB
time 12345678:AAAA
AKIA is a prefix of access keys
AKIAIOSFODNN7EXAMPLETOOLONG
sk-fading-circle
class="sk-circle-bounce-delay"
the task-force-for-background-checking
risk-averse-organisation-in-2024
npm_config_registry=https://registry.example.org
npm_package_version_number_of_this_package
from huggingface_hub import hf_hub_download
hf_api_for_models_and_datasets
ghost_writer_of_the_year
xoxo-hugs-and-kisses
SG.something.short
import dapi; rapid-api-design
eyJ is how base64 of a brace begins
eyJhbGciOiJIUzI1NiJ9 alone is no token
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE REQUEST-----
grep -r '-----BEGIN RSA PRIVATE KEY-----' .
if "-----BEGIN PRIVATE KEY-----" in text: warn()
it begins with -----BEGIN PRIVATE KEY----- and ends with an END line
------------------------------------------
[REDACTED:github_token]
TOKEN=[REDACTED:secret]
"sig": "ed25519"
signature = hmac.new(secret, body)
sign=true&sig=none
MTA is the mail transfer agent
NDEBUG=1 NzA OTA MjU
data:image/png;base64,iVBORw0KGgoAAAANSUhEUg
AAAAB3NzaC1yc2E is how a public key begins
const PAGE_KEY = "dashboard";
REACT_QUERY_KEY = "users-list-2024"
i18n.key = "errors.password.too_short2"
TRANSLATION_KEY=errors.token.expired2
registry key HKEY_LOCAL_MACHINE
KEY=1
KEYS=(one two three)
KEY=>value_of_the_key
if (KEY==otherKeyValue)
API_KEY_HEADER = "X-Api-Key"
TOKEN_LIFETIME = "3600-seconds"
TOKEN_PREFIX = "tok-2024-v1"
SECRET_SCANNING=enabled-for-all
PASSWORD_POLICY="at least 12 characters"
PASSWORD_RESET_URL=https://example.org/reset
credentials: include
credentials: "same-origin"
withCredentials = true
"credentials": "omit"
\\server\share\users\new
C:\Users\dev\token
\u00fcber alles \u4e2d\u6587 geht es
caf\u00e9 cr\u00e8me
"password": "contraseña"
"password": "密码錯誤"
"password": "At least 8 characters and 1 digit"
"password": "must have at least 8 characters"
use --token to pass a token, --password for the other
docker login --password-stdin registry.example.org:5000
docker run -u 1000:1000 image; date -u +%Y-%m-%dT%H:%M:%SZ
rsync -u host:/srv/backup2024/
systemctl --user restart app.service
machine HOST login NAME password PASSWORD
ENV PATH /usr/local/bin:/usr/bin2:/bin
ENV TOKEN_URL https://login.example.org/v2
PASSWORD=\S{8,64}
Set-Cookie: theme=dark; Path=/
Cookie: consent=yes; lang=en
a cookie: something small and sweet
Authorization: token required
Authorization: see https://example.org/docs
"auth": "required"
"author": "Jane Doe <jane2@example.org>"
Listening on http://127.0.0.1:8080
)harmless";

}  // namespace

std::vector<std::string> harmless_texts() {
  std::vector<std::string> texts;
  std::istringstream lines(kTexts);
  for (std::string line; std::getline(lines, line);) texts.push_back(line);
  return texts;
}

}  // namespace dragoman::redact
