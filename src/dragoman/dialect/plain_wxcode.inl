// SPDX-License-Identifier: Apache-2.0
// The six known WXCODE markers in their plain form. Included behind plain_payload.inl, in the same
// namespace and region.

// A missing required field is worth a finding.
inline bool given(std::string_view text) { return text.data() != nullptr; }

// The length and first byte of a word choose the only one of the known words that it can be, and
// that one is compared in one step: which word it is cannot be guessed, nor how long.
template <std::size_t N>
class Words {
 public:
  explicit constexpr Words(const std::string_view (&words)[N]) {
    for (const std::string_view word : words) {
      std::copy(word.begin(), word.end(), by_length_[word.size()][bucket(word)].begin());
    }
  }
  // kLongest bytes of the text can be read, however short it is; none of them is 0.
  [[nodiscard]] bool has(std::string_view text) const {
    if (text.empty() || text.size() >= kLongest) return false;
    const char* const known = by_length_[text.size()][bucket(text)].data();
#if defined(__SSE2__)
    const __m128i equal =
        _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data())),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(known)));
    const unsigned wanted = (1U << text.size()) - 1;
    return (static_cast<unsigned>(_mm_movemask_epi8(equal)) & wanted) == wanted;
#else
    return std::memcmp(known, text.data(), text.size()) == 0;
#endif
  }

 private:
  static constexpr std::size_t kLongest = 16;
  static constexpr std::size_t kBuckets = 8;
  using Word = std::array<char, kLongest>;
  static constexpr std::size_t bucket(std::string_view word) {
    return static_cast<unsigned char>(word[0]) % kBuckets;
  }
  std::array<std::array<Word, kBuckets>, kLongest> by_length_{};
};
constexpr Words kStatuses({std::string_view("pending"), "in_progress", "completed", "failed",
                           "paused"});
constexpr Words kPriorities({std::string_view("required"), "recommended", "optional"});

// Each returns where the marker ends, or null.
const char* read(CommandStarted& header, const char* at, const char* end,
                 const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  header.command = payload.text(R"({"command":)");
  header.args = payload.text(R"(,"args":)");
  const bool has_args = payload.has_key();
  header.title = payload.text(R"(,"title":)");
  header.phase = payload.number(R"(,"phase":)");
  header.plan = payload.text(R"(,"plan":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !has_args || !given(header.command) || !given(header.title))
    return nullptr;
  to.tools.clear();  // a new block
  return behind;
}

const char* read(ToolStarted& tool, const char* at, const char* end, const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  tool.tool = payload.text(R"({"tool":)");
  tool.description = payload.text(R"(,"description":)");
  tool.command = payload.text(R"(,"command":)");
  tool.file = payload.text(R"(,"file":)");
  tool.mcp_tool = payload.text(R"(,"mcp_tool":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !given(tool.tool) || !given(tool.description)) return nullptr;
  tool.id = tool_id({to.offset, {}}, to.arena);
  to.tools.add(tool.tool, {to.offset, {}});
  return behind;
}

const char* read(ToolFinished& result, const char* at, const char* end, const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  constexpr std::size_t kLongestOutput = 200;  // bytes: below it no one has to count characters
  result.tool = payload.text(R"({"tool":)");
  const std::optional<bool> success = payload.flag(R"(,"success":)");
  result.output = payload.text(R"(,"output":)");
  result.error = payload.text(R"(,"error":)");
  result.duration_ms = payload.number(R"(,"duration_ms":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !given(result.tool) || !success.has_value() ||
      result.output.bytes.size() > kLongestOutput ||
      (result.duration_ms.has_value() && result.duration_ms->integer < 0)) {
    return nullptr;
  }
  result.outcome = *success ? Outcome::ok : Outcome::failed;
  result.id = to.tools.close(result.tool, to.arena);
  return behind;
}

const char* read(Status& status, const char* at, const char* end, const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  status.status = payload.text(R"({"status":)");
  status.message = payload.text(R"(,"message":)");
  status.progress = payload.number(R"(,"progress":)");
  status.phase = payload.number(R"(,"phase":)");
  status.plan = payload.text(R"(,"plan":)");
  status.task = payload.text(R"(,"task":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !given(status.message.bytes) || !kStatuses.has(status.status) ||
      (status.progress.has_value() &&
       (status.progress->integer < 0 || status.progress->integer > 100))) {
    return nullptr;
  }
  return behind;
}

const char* read(NextAction& next, const char* at, const char* end, const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  next.command = payload.text(R"({"command":)");
  next.args = payload.text(R"(,"args":)");
  next.description = payload.text(R"(,"description":)");
  next.priority = payload.text(R"(,"priority":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !given(next.command) || !given(next.description)) return nullptr;
  return kPriorities.has(next.priority) ? behind : nullptr;
}

const char* read(Failure& failure, const char* at, const char* end, const PlainWxcode::To& to) {
  PlainPayload payload(at, end, to.arena);
  failure.code = payload.text(R"({"code":)");
  failure.message = payload.text(R"(,"message":)");
  const std::optional<bool> recoverable = payload.flag(R"(,"recoverable":)");
  failure.suggestion = payload.text(R"(,"suggestion":)");
  const char* const behind = payload.finish();
  if (behind == nullptr || !given(failure.code) || !given(failure.message.bytes) ||
      !recoverable.has_value()) {
    return nullptr;
  }
  failure.recoverable = *recoverable ? Recoverable::true_ : Recoverable::false_;
  return behind;
}

// There is one jump for each marker: which of the six it is cannot be guessed.
template <typename T, std::size_t N>
[[gnu::always_inline]] inline PlainWxcode::Taken read_as(const char* at, const char (&type)[N],
                                                         const char* end,
                                                         const PlainWxcode::To& to) {
  if (!starts_with(at, type)) return {};
  Event& event = to.events[static_cast<std::size_t>(T::kKind)];
  const char* const behind = read(kept<T>(event.payload), at + N - 1, end, to);
  return {behind != nullptr ? &event : nullptr, behind};
}

PlainWxcode::Taken read_marker(const char* at, const char* end, const PlainWxcode::To& to) {
  constexpr std::ptrdiff_t kLongestOpener = 32;
  if (end - at < kLongestOpener + PlainPayload::kRoom || !starts_with(at, "<!-- WXCODE:")) {
    return {};
  }
  const char* const type = at + kWxcodeOpener.size();
  switch (type[0] + type[4]) {
    case 'S' + 'U':
      return read_as<Status>(type, "STATUS:", end, to);
    case 'T' + ':':
      return read_as<ToolStarted>(type, "TOOL:", end, to);
    case 'T' + '_':
      return read_as<ToolFinished>(type, "TOOL_RESULT:", end, to);
    case 'N' + '_':
      return read_as<NextAction>(type, "NEXT_ACTION:", end, to);
    case 'E' + 'R':
      return read_as<Failure>(type, "ERROR:", end, to);
    case 'H' + 'E':
      return read_as<CommandStarted>(type, "HEADER:", end, to);
    default:
      return {};
  }
}
