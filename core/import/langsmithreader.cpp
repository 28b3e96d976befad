// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/langsmithreader.h"

#include "core/import/jsonhead.h"
#include "core/import/langsmithrun.h"
#include "core/import/treerecords.h"

#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace chokepoint {

namespace {

class LangSmithSpans {
public:
    LangSmithSpans(SpanSink& sink, const RecordPlace& place) : m_llm(sink, place), m_span(m_llm.span()) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] std::optional<Error> failure() const { return m_llm.span().failure(); }

private:
    struct Level {
        JsonNode::Iterator next;
        JsonNode::Iterator end;
        RunIds ids; // of the run whose children these are
    };
    struct Open {
        RunIds enclosing;
        std::string json; // empty when it was closed
    };
    [[nodiscard]] bool readOne(JsonNode run, const RunIds& enclosing);
    [[nodiscard]] bool add(JsonNode run, const RunIds& enclosing);
    [[nodiscard]] bool merge(JsonNode run, const std::string& id, const RunIds& enclosing);
    [[nodiscard]] std::string merged(JsonNode run, const std::string& earlier) const;

    LlmSpan m_llm;
    TreeSpan& m_span;
    /// Spans that were added, and whether they stood inside another run: such copies repeat what a list has.
    std::map<std::pair<TraceId, SpanId>, bool> m_added;
    /// Runs without a start or an end, as JSON: their updates may come later.
    std::vector<Open> m_open;
    std::unordered_map<std::string, std::size_t> m_openAt; // by id
};

bool isComplete(JsonNode run)
{
    return run["start_time"] && run["end_time"];
}

bool LangSmithSpans::read(JsonNode record)
{
    if (!record["run_type"] && !record["dotted_order"] && !record["trace_id"] && !record["child_runs"])
        return m_span.leaveOut(record);
    if (!readOne(record, {}))
        return false;
    std::vector<Level> levels;
    const auto enter = [&levels](JsonNode run, const RunIds& enclosing) {
        if (const JsonNode children = run["child_runs"]; children.isArray())
            levels.push_back({children.begin(), children.end(), runIds(run, enclosing)});
    };
    enter(record, {});
    while (!levels.empty()) {
        Level& level = levels.back();
        if (!(level.next != level.end)) {
            levels.pop_back();
            continue;
        }
        const JsonNode run = *level.next;
        ++level.next;
        const RunIds enclosing = level.ids;
        if (!run.isObject())
            continue;
        if (!readOne(run, enclosing))
            return false;
        enter(run, enclosing);
    }
    return true;
}

bool LangSmithSpans::readOne(JsonNode run, const RunIds& enclosing)
{
    const std::string id = runIds(run, enclosing).run;
    const bool isAlone = isComplete(run) && !m_openAt.contains(id);
    return isAlone || id.empty() ? add(run, enclosing) : merge(run, id, enclosing);
}

bool LangSmithSpans::add(JsonNode run, const RunIds& enclosing)
{
    const bool isNested = !enclosing.run.empty();
    m_llm.begin();
    readRun(run, runIds(run, enclosing), m_llm);
    const std::pair key{m_span.draft().traceId, m_span.row().spanId};
    if (const auto known = m_added.find(key); known != m_added.end() && (known->second || isNested || !isComplete(run)))
        return true;
    if (!key.second.isNull())
        m_added.emplace(key, isNested);
    return m_span.add();
}

bool LangSmithSpans::merge(JsonNode run, const std::string& id, const RunIds& enclosing)
{
    const auto [at, isNew] = m_openAt.emplace(id, m_open.size());
    if (isNew)
        m_open.emplace_back();
    Open& open = m_open[at->second];
    open.json = merged(run, open.json);
    if (!enclosing.run.empty())
        open.enclosing = enclosing;
    JsonTree whole;
    if (!whole.read(open.json, m_span.sink().diagnostics()) || !isComplete(whole.root()))
        return true;
    const Open closed = std::move(open);
    open = {};
    m_openAt.erase(at);
    return add(whole.root(), closed.enclosing);
}

/// Both parts of a run together: what the one that has an end says goes before what the other does.
std::string LangSmithSpans::merged(JsonNode run, const std::string& earlier) const
{
    JsonTree tree;
    const JsonNode other = !earlier.empty() && tree.read(earlier, m_span.sink().diagnostics()) ? tree.root() : JsonNode();
    const bool isFirst = run["end_time"] || !other["end_time"];
    const JsonNode first = isFirst ? run : other;
    const JsonNode second = isFirst ? other : run;
    std::string text = "{";
    for (const JsonNode part : first)
        if (part.key() != "child_runs" && !isEmptyValue(part))
            appendJsonMember(text, part.key(), part);
    for (const JsonNode part : second)
        if (part.key() != "child_runs" && !isEmptyValue(part) && isEmptyValue(first[part.key()]))
            appendJsonMember(text, part.key(), part);
    return text + "}";
}

/// Runs that never ended.
Result<void> LangSmithSpans::finish()
{
    for (const Open& open : m_open) {
        JsonTree tree;
        if (open.json.empty() || !tree.read(open.json, m_span.sink().diagnostics()))
            continue;
        if (!add(tree.root(), open.enclosing))
            return fail(*m_span.failure());
    }
    return {};
}

class LangSmithReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 4> lists = {"runs", "data", "post", "patch"};
        return readTrees<LangSmithSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffLangSmith(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    for (const std::string_view prefix : {"", "post[].", "patch[].", "runs[]."}) {
        const auto name = [prefix](std::string_view member) { return std::string(prefix).append(member); };
        for (const std::string_view other : {"trace_id", "dotted_order", "parent_run_id", "child_runs"})
            if (json.hasAll({name("run_type"), name(other)}))
                return Sniffed::Yes;
        if (json.hasAll({name("dotted_order"), name("trace_id")}))
            return Sniffed::Yes;
    }
    return Sniffed::No;
}

std::unique_ptr<TraceReader> createLangSmithReader()
{
    return std::make_unique<LangSmithReader>();
}

} // namespace chokepoint
