// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/langfusereader.h"

#include "core/import/jsonhead.h"
#include "core/import/langfuseobservation.h"
#include "core/import/treerecords.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace chokepoint {

namespace {

/// Observations wait for the trace that stands around them: it says what their root is and how they were scored. Of a trace with
/// more of them the rest goes by itself.
constexpr std::size_t waitingAtMost = 16384;

struct NamedMember {
    std::string_view name;
    std::string_view attribute;
};

constexpr std::array<NamedMember, 8> traceMembers = {{
    {"name", "langfuse.trace.name"},
    {"user_id", "user.id"},
    {"session_id", "session.id"},
    {"tags", "langfuse.trace.tags"},
    {"release", "langfuse.release"},
    {"version", "langfuse.version"},
    {"environment", "langfuse.environment"},
    {"public", "langfuse.trace.public"},
}};

class LangfuseSpans {
public:
    LangfuseSpans(SpanSink& sink, const RecordPlace& place) : m_llm(sink, place), m_span(m_llm.span()) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] bool around(JsonNode object);
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] std::optional<Error> failure() const { return m_llm.span().failure(); }

private:
    [[nodiscard]] bool readObservation(JsonNode observation);
    void giveTraceId(JsonNode trace);
    [[nodiscard]] bool isAll(JsonNode trace);
    void settleRoot(JsonNode trace);
    void synthesizeRoot(JsonNode trace, const std::vector<std::size_t>& roots);
    void describe(std::size_t root, JsonNode trace, bool isSynthesized);
    void addScores(JsonNode scores);
    void addScore(JsonNode score);
    void checkPayloads(JsonNode object);
    [[nodiscard]] std::vector<std::size_t> rootsWaiting() const;
    [[nodiscard]] bool release();

    LlmSpan m_llm;
    TreeSpan& m_span;
    std::vector<SpanDraft> m_waiting;
    std::set<std::pair<TraceId, SpanId>> m_known; // of the lists that are being read
    bool m_hasPayload = false; // one of them has input or output
    bool m_wasCut = false; // more than may wait
    std::uint64_t m_observations = 0;
    std::uint64_t m_traces = 0; // rows and objects without observations
};

bool LangfuseSpans::read(JsonNode record)
{
    if (isLangfuseObservation(record))
        return readObservation(record);
    if (record["trace"].isObject())
        return around(record); // its observations stand inside the trace
    if (!record["id"])
        return m_span.leaveOut(record);
    ++m_traces;
    return true;
}

bool LangfuseSpans::readObservation(JsonNode observation)
{
    ++m_observations;
    m_hasPayload |= !isEmptyValue(member(observation, "input")) || !isEmptyValue(member(observation, "output"));
    m_llm.begin();
    readLangfuseObservation(observation, m_llm);
    m_known.insert({m_span.draft().traceId, m_span.row().spanId});
    m_waiting.push_back(m_span.take());
    m_llm.begin();
    if (m_waiting.size() < waitingAtMost)
        return true;
    m_wasCut = true;
    return release();
}

/// A trace with its observations, or the answer of the API around many of either.
bool LangfuseSpans::around(JsonNode object)
{
    const JsonNode inner = object["trace"];
    const JsonNode trace = inner.isObject() ? inner : object["id"] ? object : JsonNode();
    if (const JsonNode repeated = inner["observations"]; repeated.isArray()) {
        for (const JsonNode observation : repeated) {
            if (!isLangfuseObservation(observation))
                continue;
            m_llm.begin();
            m_llm.setTraceId(member(observation, "trace_id").text());
            m_llm.setSpanId(member(observation, "id").text());
            if (!m_known.contains({m_span.draft().traceId, m_span.row().spanId}) && !readObservation(observation))
                return false;
        }
    }
    if (m_waiting.empty()) {
        const JsonNode ids = object["observations"];
        m_traces += !m_wasCut && trace && ids.hasChildren() ? 1 : 0; // a list of ids
    } else {
        giveTraceId(trace);
        checkPayloads(object);
        if (trace && !m_wasCut && isAll(trace))
            settleRoot(trace);
        addScores(object["scores"]);
        addScores(inner["scores"]);
    }
    const bool isGood = release();
    m_known.clear();
    m_hasPayload = m_wasCut = false;
    return isGood;
}

void LangfuseSpans::giveTraceId(JsonNode trace)
{
    const std::string id = trace["id"].text();
    for (SpanDraft& waiting : m_waiting) {
        if (!waiting.traceId.isNull() || id.empty())
            continue;
        m_span.resume(std::move(waiting));
        m_llm.setTraceId(id);
        waiting = m_span.take();
    }
}

/// Whether every observation that waits is of \a trace.
bool LangfuseSpans::isAll(JsonNode trace)
{
    m_llm.begin();
    m_llm.setTraceId(trace["id"].text());
    const TraceId id = m_span.draft().traceId;
    return std::all_of(m_waiting.begin(), m_waiting.end(), [id](const SpanDraft& waiting) { return waiting.traceId == id; });
}

/// Downloads of large traces leave out what went in and came out.
void LangfuseSpans::checkPayloads(JsonNode object)
{
    const bool isDownload = object["trace"].isObject() || (object["scores"].isArray() && !object["id"]);
    if (isDownload && !m_hasPayload)
        m_span.sink().diagnostics().report(DiagnosticCode::PartialTrace,
            [&] { return fmt::format("{}: inputs and outputs are not in this export", m_span.place().text()); });
}

std::vector<std::size_t> LangfuseSpans::rootsWaiting() const
{
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < m_waiting.size(); ++i)
        if (m_waiting[i].row.parentId.isNull())
            roots.push_back(i);
    return roots;
}

/// One observation without a parent that covers all others is the root; else the trace itself is made one.
void LangfuseSpans::settleRoot(JsonNode trace)
{
    const std::vector<std::size_t> roots = rootsWaiting();
    const auto isCovered = [&](const SpanDraft& other) {
        const SpanRow& root = m_waiting[roots.front()].row;
        const bool startsInside = !isKnown(other.row.start) || (isKnown(root.start) && root.start <= other.row.start);
        return startsInside && (!isKnown(other.row.end) || !isKnown(root.end) || other.row.end <= root.end);
    };
    if (roots.size() == 1 && std::all_of(m_waiting.begin(), m_waiting.end(), isCovered))
        describe(roots.front(), trace, false);
    else
        synthesizeRoot(trace, roots);
}

void LangfuseSpans::synthesizeRoot(JsonNode trace, const std::vector<std::size_t>& roots)
{
    m_llm.begin();
    const std::string id = trace["id"].text();
    m_llm.setTraceId(id);
    m_llm.setSpanId(id); // old SDKs name it as the parent
    m_span.setName(trace["name"].text());
    SpanRow& row = m_span.row();
    row.start = m_span.time(member(trace, "timestamp"), TimeUnit::Milliseconds);
    for (const SpanDraft& waiting : m_waiting) {
        const SpanRow& part = waiting.row;
        if (isKnown(part.start) && (!isKnown(row.start) || part.start < row.start))
            row.start = part.start;
        for (const Timestamp end : {part.start, part.end})
            if (isKnown(end) && (!isKnown(row.end) || end > row.end))
                row.end = end;
    }
    if (isKnown(row.start) && isKnown(row.end) && row.end < row.start)
        row.end = row.start;
    row.resource = m_waiting.front().row.resource;
    const SpanId spanId = row.spanId;
    const std::string spanIdText = m_span.draft().spanIdText;
    m_waiting.insert(m_waiting.begin(), m_span.take());
    for (const std::size_t root : roots) {
        m_waiting[root + 1].row.parentId = spanId;
        m_waiting[root + 1].parentIdText = spanIdText;
    }
    describe(0, trace, true);
}

/// What is said about the whole trace stands on its root.
void LangfuseSpans::describe(std::size_t root, JsonNode trace, bool isSynthesized)
{
    m_span.resume(std::move(m_waiting[root]));
    for (const NamedMember& plain : traceMembers)
        if (!m_llm.hasAttribute(plain.attribute))
            m_llm.scalar(plain.attribute, member(trace, plain.name));
    if (isSynthesized) {
        m_llm.setKind("chain");
        m_llm.value("input", "langfuse.trace.input", trace["input"]);
        m_llm.value("output", "langfuse.trace.output", trace["output"]);
    }
    if (isSynthesized || !m_llm.hasAttribute("metadata"))
        m_llm.json("langfuse.trace.metadata", trace["metadata"]);
    m_waiting[root] = m_span.take();
    m_llm.begin();
}

void LangfuseSpans::addScores(JsonNode scores)
{
    if (!scores.isArray())
        return;
    for (const JsonNode score : scores)
        if (score.isObject())
            addScore(score);
}

/// An event of the observation that was scored, or of the root.
void LangfuseSpans::addScore(JsonNode score)
{
    const std::string observation = member(score, "observation_id").text();
    m_llm.begin();
    m_llm.setSpanId(observation);
    const SpanId scored = m_span.row().spanId;
    const auto target = std::find_if(m_waiting.begin(), m_waiting.end(),
        [&](const SpanDraft& waiting) { return observation.empty() ? waiting.row.parentId.isNull() : waiting.row.spanId == scored; });
    if (target == m_waiting.end())
        return;
    m_span.resume(std::move(*target));
    m_span.beginEvent("langfuse.score", m_span.time(member(score, "timestamp"), TimeUnit::Milliseconds));
    for (const JsonNode part : score)
        m_llm.scalar(snakeCase(part.key()), part);
    m_span.endNested();
    *target = m_span.take();
    m_llm.begin();
}

bool LangfuseSpans::release()
{
    for (SpanDraft& waiting : m_waiting) {
        if (!m_span.add(waiting))
            return false;
    }
    m_waiting.clear();
    return true;
}

Result<void> LangfuseSpans::finish()
{
    if (!release())
        return fail(*m_span.failure());
    if (m_observations == 0 && m_traces > 0)
        return fail(ErrorCode::UnsupportedFormat,
            "this Langfuse export has no observations, only rows about traces; download the trace itself, or export the table of "
            "observations");
    return {};
}

class LangfuseReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 3> lists = {"observations", "data", "traces"};
        return readTrees<LangfuseSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffLangfuse(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isLangfuse = json.hasAll({"observations"}) || json.hasAll({"traceId", "startTime", "type"})
        || json.hasAll({"trace_id", "start_time", "parent_observation_id"}) || json.hasAll({"id", "timestamp", "userId", "sessionId"})
        || json.hasAll({"id", "timestamp", "user_id", "session_id", "release"});
    return isLangfuse ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createLangfuseReader()
{
    return std::make_unique<LangfuseReader>();
}

} // namespace chokepoint
