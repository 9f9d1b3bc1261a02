// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_library.hpp"

#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

#include "dragoman/base/sanitized.hpp"

#if DRAGOMAN_SANITIZED
// libnats 3.4 reads a TLS connection in a thread of its own and writes it in ours, under a lock
// that the reader does not take. OpenSSL promises nothing for that. It would hurt us if a message
// of the handshake came while we write: the writer would go on with that handshake. Go's TLS, which
// nats-server speaks, sends such messages before its first PONG only, and up to there libnats reads
// and writes in one thread. What is left are a few words of state that decide nothing on a socket
// that blocks, which it does as long as we set no write deadline. This OpenSSL belongs to libnats
// alone, ours is linked into us, so nothing of ours goes unseen.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "race:libssl.so.3\nrace:libcrypto.so.3\n";
}
#endif

namespace dragoman {

namespace {

struct Loaded {
  NatsLibrary table;
  std::string fault;  // empty: usable
};

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& fault) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr && fault.empty()) fault = fmt::format("libnats has no {}", name);
}

void find_options(void* library, NatsLibrary& t, std::string& fault) {
  find(library, "natsStatus_GetText", t.status_text, fault);
  find(library, "natsOptions_Create", t.options_create, fault);
  find(library, "natsOptions_Destroy", t.options_destroy, fault);
  find(library, "natsOptions_SetServers", t.set_servers, fault);
  find(library, "natsOptions_SetName", t.set_name, fault);
  find(library, "natsOptions_SetTimeout", t.set_timeout, fault);
  find(library, "natsOptions_SetSecure", t.set_secure, fault);
  find(library, "natsOptions_LoadCATrustedCertificates", t.load_ca, fault);
  find(library, "natsOptions_LoadCertificatesChain", t.load_certificate, fault);
  find(library, "natsOptions_SetUserCredentialsFromFiles", t.set_credentials, fault);
  find(library, "natsOptions_SetMaxReconnect", t.set_max_reconnect, fault);
  find(library, "natsOptions_SetCustomReconnectDelay", t.set_reconnect_delay, fault);
  find(library, "natsOptions_SetPingInterval", t.set_ping_interval, fault);
  find(library, "natsOptions_SetMaxPingsOut", t.set_max_pings_out, fault);
  find(library, "natsOptions_SetFailRequestsOnDisconnect", t.set_fail_requests, fault);
  find(library, "natsOptions_SetErrorHandler", t.set_error_handler, fault);
}

void find_traffic(void* library, NatsLibrary& t, std::string& fault) {
  find(library, "natsConnection_Connect", t.connect, fault);
  find(library, "natsConnection_Destroy", t.connection_destroy, fault);
  find(library, "natsConnection_GetMaxPayload", t.max_payload, fault);
  find(library, "natsConnection_GetConnectedUrl", t.connected_url, fault);
  find(library, "natsConnection_Publish", t.publish, fault);
  find(library, "natsConnection_PublishRequest", t.publish_request, fault);
  find(library, "natsConnection_RequestMsg", t.request, fault);
  find(library, "natsConnection_SubscribeSync", t.subscribe, fault);
  find(library, "natsSubscription_NextMsg", t.next, fault);
  find(library, "natsSubscription_SetPendingLimits", t.set_pending_limits, fault);
  find(library, "natsSubscription_Destroy", t.subscription_destroy, fault);
  find(library, "natsInbox_Create", t.inbox_create, fault);
  find(library, "natsInbox_Destroy", t.inbox_destroy, fault);
  find(library, "natsMsg_Create", t.message_create, fault);
  find(library, "natsMsg_Destroy", t.message_destroy, fault);
  find(library, "natsMsg_GetSubject", t.message_subject, fault);
  find(library, "natsMsg_GetReply", t.message_reply, fault);
  find(library, "natsMsg_GetData", t.message_data, fault);
  find(library, "natsMsg_GetDataLength", t.message_length, fault);
  find(library, "natsMsgHeader_Set", t.header_set, fault);
  find(library, "natsMsgHeader_Get", t.header_get, fault);
  find(library, "natsMsgHeader_Keys", t.header_keys, fault);
}

Loaded load() {
  Loaded loaded;
  // Its OpenSSL is another one than ours: DEEPBIND keeps the two apart. Sanitizers refuse that
  // flag, and RTLD_LOCAL alone is enough as long as we export none of our own symbols.
#if DRAGOMAN_SANITIZED
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#else
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif
  void* library = ::dlopen("libnats.so.3.4", kFlags);
  if (library == nullptr) {
    const char* why = ::dlerror();
    loaded.fault =
        fmt::format("the NATS client library is missing ({}): apt-get install libnats3.4",
                    why == nullptr ? "not found" : why);
    return loaded;
  }
  find_options(library, loaded.table, loaded.fault);
  find_traffic(library, loaded.table, loaded.fault);
  return loaded;
}

}  // namespace

Result<const NatsLibrary*> nats_library() {
  static const Loaded kLoaded = load();
  if (!kLoaded.fault.empty()) return Error{ErrorCode::unsupported, kLoaded.fault, "backend"};
  return &kLoaded.table;
}

}  // namespace dragoman
