// SPDX-License-Identifier: Apache-2.0
// Names and numbers of the Model Context Protocol, both eras.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dragoman::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kLatestLegacy = "2025-11-25";
// What a client means that names no version: the last revision without the header.
inline constexpr std::string_view kUnnamedVersion = "2025-03-26";
inline constexpr std::string_view kBatchVersion = "2025-03-26";  // the only one with batches
inline constexpr std::array<std::string_view, 5> kLegacyVersions = {
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"};

[[nodiscard]] constexpr bool is_legacy_version(std::string_view version) {
  for (const std::string_view each : kLegacyVersions) {
    if (each == version) return true;
  }
  return false;
}

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaClient = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaRelatedTask = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kBadRequest = -32000;          // legacy: the transport's complaints
inline constexpr int kSessionNotFound = -32001;     // legacy
inline constexpr int kResourceNotFound = -32002;    // legacy
inline constexpr int kHeaderMismatch = -32020;      // modern
inline constexpr int kMissingCapability = -32021;   // modern
inline constexpr int kUnsupportedVersion = -32022;  // modern

// What an outsider can make us keep.
inline constexpr std::size_t kMaxMessage = 16U << 20U;
inline constexpr std::size_t kMaxBatch = 256;
inline constexpr std::size_t kMaxInFlight = 512;       // requests of one peer
inline constexpr std::size_t kMaxSubscriptions = 256;  // resources, tasks and listen streams of one
inline constexpr std::size_t kPageSize = 100;
inline constexpr std::size_t kMostCompletions = 100;

// An error as JSON-RPC has it, and the status HTTP would give it.
struct ProtocolError {
  int code = kInternalError;
  std::string message;
  std::string data = {};  // JSON; empty: none
  int http = 200;

  friend bool operator==(const ProtocolError&, const ProtocolError&) = default;
};

[[nodiscard]] inline ProtocolError bad_params(std::string_view what) {
  return {kInvalidParams, "Invalid params: " + std::string(what)};
}

}  // namespace dragoman::mcp
