// SPDX-License-Identifier: Apache-2.0
// The functions of libnats that we use, found when somebody first wants them: the library brings
// OpenSSL along, and a program that keeps its tasks in SQLite should not pay for either.
#pragma once

#include <nats/nats.h>

#include "dragoman/base/result.hpp"

namespace dragoman {

struct NatsLibrary {
  decltype(&::natsStatus_GetText) status_text = nullptr;
  decltype(&::natsOptions_Create) options_create = nullptr;
  decltype(&::natsOptions_Destroy) options_destroy = nullptr;
  decltype(&::natsOptions_SetServers) set_servers = nullptr;
  decltype(&::natsOptions_SetName) set_name = nullptr;
  decltype(&::natsOptions_SetTimeout) set_timeout = nullptr;
  decltype(&::natsOptions_SetSecure) set_secure = nullptr;
  decltype(&::natsOptions_LoadCATrustedCertificates) load_ca = nullptr;
  decltype(&::natsOptions_LoadCertificatesChain) load_certificate = nullptr;
  decltype(&::natsOptions_SetUserCredentialsFromFiles) set_credentials = nullptr;
  decltype(&::natsOptions_SetMaxReconnect) set_max_reconnect = nullptr;
  decltype(&::natsOptions_SetCustomReconnectDelay) set_reconnect_delay = nullptr;
  decltype(&::natsOptions_SetPingInterval) set_ping_interval = nullptr;
  decltype(&::natsOptions_SetMaxPingsOut) set_max_pings_out = nullptr;
  decltype(&::natsOptions_SetFailRequestsOnDisconnect) set_fail_requests = nullptr;
  decltype(&::natsOptions_SetErrorHandler) set_error_handler = nullptr;
  decltype(&::natsConnection_Connect) connect = nullptr;
  decltype(&::natsConnection_Destroy) connection_destroy = nullptr;
  decltype(&::natsConnection_GetMaxPayload) max_payload = nullptr;
  decltype(&::natsConnection_GetConnectedUrl) connected_url = nullptr;
  decltype(&::natsConnection_Publish) publish = nullptr;
  decltype(&::natsConnection_PublishRequest) publish_request = nullptr;
  decltype(&::natsConnection_RequestMsg) request = nullptr;
  decltype(&::natsConnection_SubscribeSync) subscribe = nullptr;
  decltype(&::natsSubscription_NextMsg) next = nullptr;
  decltype(&::natsSubscription_SetPendingLimits) set_pending_limits = nullptr;
  decltype(&::natsSubscription_Destroy) subscription_destroy = nullptr;
  decltype(&::natsInbox_Create) inbox_create = nullptr;
  decltype(&::natsInbox_Destroy) inbox_destroy = nullptr;
  decltype(&::natsMsg_Create) message_create = nullptr;
  decltype(&::natsMsg_Destroy) message_destroy = nullptr;
  decltype(&::natsMsg_GetSubject) message_subject = nullptr;
  decltype(&::natsMsg_GetReply) message_reply = nullptr;
  decltype(&::natsMsg_GetData) message_data = nullptr;
  decltype(&::natsMsg_GetDataLength) message_length = nullptr;
  decltype(&::natsMsgHeader_Set) header_set = nullptr;
  decltype(&::natsMsgHeader_Get) header_get = nullptr;
  decltype(&::natsMsgHeader_Keys) header_keys = nullptr;
};

// The one table of the process. Where the library is missing the error names its package.
[[nodiscard]] Result<const NatsLibrary*> nats_library();

}  // namespace dragoman
