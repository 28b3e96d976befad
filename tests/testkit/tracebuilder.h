// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Literal traces for tests: a span a call, times in nanoseconds, spans named by their own short keys.
#pragma once

#include "core/model/spanbatch.h"
#include "core/model/trace.h"
#include "core/model/tracecolumns.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chokepoint::testkit {

/// Builds one or more traces, for example
///
///     const TraceColumns columns = TraceBuilder()
///         .span("root", 0, 100)
///         .span("db", 10, 40, "root").kind(SpanKind::Client).service("db")
///         .build();
///
/// The key of a span is its name (change it with named()) and what children say as parent; a key may be used before its
/// span is added, so cycles can be written, and a parent key that never comes makes an orphan. Span ids count 1, 2, 3 in
/// the order of span() calls over all traces, trace ids 1, 2, 3. Modifiers apply to the span added last.
class TraceBuilder {
public:
    TraceBuilder();
    /// Starts another trace; keys of earlier ones are forgotten.
    TraceBuilder& nextTrace();
    TraceBuilder& span(std::string_view key, std::int64_t startNs, std::int64_t endNs, std::string_view parentKey = {});

    TraceBuilder& named(std::string_view name);
    TraceBuilder& kind(SpanKind kind);
    TraceBuilder& service(std::string_view service);
    TraceBuilder& host(std::string_view hostName);
    TraceBuilder& error();
    TraceBuilder& follows() { return flag(SpanFlags::Follows); }
    TraceBuilder& async() { return flag(SpanFlags::Async); }
    TraceBuilder& cancelled() { return flag(SpanFlags::Cancelled); }
    TraceBuilder& timedOut() { return flag(SpanFlags::TimedOut); }
    TraceBuilder& flag(SpanFlags::Bit bit);
    TraceBuilder& streaming(std::int64_t firstTokenNs);
    TraceBuilder& id(std::uint64_t spanId);
    TraceBuilder& noStart();
    TraceBuilder& noEnd();
    TraceBuilder& attribute(std::string_view key, AttributeValue value);
    TraceBuilder& message(std::string_view statusMessage);
    TraceBuilder& event(std::string_view name, std::int64_t timeNs, AttributeList attributes = {});
    /// To the span of \a key in the same trace, whose key stands before.
    TraceBuilder& link(std::string_view key, AttributeList attributes = {});

    /// The traces as trees, without the payloads.
    [[nodiscard]] TraceColumns build() const;
    /// The traces as trees, with the packed payload of each span of the columns.
    [[nodiscard]] std::pair<TraceColumns, std::vector<std::string>> buildWithPayloads() const;
    /// The first trace as a whole, with the payloads.
    [[nodiscard]] Trace buildTrace() const;
    /// All spans in the order they were added, as a reader would hand them over; interns into \a dictionary.
    [[nodiscard]] SpanBatch batch(Dictionary& dictionary) const;

private:
    struct Entry {
        std::string key;
        std::string parentKey;
        std::string name;
        std::string service;
        std::string host;
        SpanRow row;
        SpanPayload payload;
    };
    /// Rows of one trace in the order added, parents resolved, texts interned.
    [[nodiscard]] SpanColumns rowsOf(const std::vector<Entry>& entries, Dictionary& dictionary) const;

    std::vector<std::vector<Entry>> m_traces;
    std::uint64_t m_lastId = 0;
};

/// Trees of \a traces (the spans of one trace each, in any order); trace ids count 1, 2, 3.
[[nodiscard]] TraceColumns assemble(std::shared_ptr<const Dictionary> dictionary, const std::vector<SpanColumns>& traces);

/// Index, in its trace, of the first span called \a name; fails the program when there is none.
[[nodiscard]] std::uint32_t spanNamed(const TraceColumns& columns, std::string_view name, std::size_t trace = 0);

} // namespace chokepoint::testkit
