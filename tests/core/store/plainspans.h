// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Spans as plain values, to put into a store, read back and compare, and a folder for the store's file.
#pragma once

#include "core/store/store.h"
#include "tests/testkit/randomtrace.h"

#include <QTemporaryDir>

#include <string>
#include <vector>

namespace chokepoint::testkit {

/// One span with everything that a workspace keeps.
struct PlainSpan {
    TraceId traceId;
    SpanId spanId;
    SpanId parentId;
    Timestamp start = unknownTime;
    Timestamp end = unknownTime;
    Timestamp firstToken = unknownTime;
    std::string name;
    std::uint32_t flags = 0; // SpanFlags::stored()
    Resource resource;
    Scope scope;
    SpanPayload payload;
};

/// Shape of random spans.
struct PlainShape {
    std::size_t traces = 20;
    std::size_t spansPerTrace = 12; // at most; in random order over all traces
    unsigned opaquePercent = 20; // of the traces: ids that are no hex
};
/// Every type of value, events, links, unknown times, opaque ids, nested containers, parents in and out of the trace.
[[nodiscard]] std::vector<PlainSpan> randomSpans(std::uint64_t seed, const PlainShape& shape = {});

/// Two traces with one of everything, for tests that look at each value.
[[nodiscard]] std::vector<PlainSpan> smallPopulation();

/// One span of trace \a trace (1, 2, ...) with id \a id, [\a startNs, \a endNs), called "work".
[[nodiscard]] PlainSpan plainSpan(
    std::uint64_t trace, std::uint64_t id, std::int64_t startNs, std::int64_t endNs, std::uint64_t parent = 0);

/// A line that tells two spans apart whatever the difference; sorted, lists of them compare as sets.
[[nodiscard]] std::string describe(const PlainSpan& span);
[[nodiscard]] std::vector<std::string> describeAll(const std::vector<PlainSpan>& spans);

/// The store; fails the program on an error.
[[nodiscard]] Store opened(Result<Store> store);

struct ImportShape {
    std::size_t batch = 7;
    WriteWindow window;
};
/// Appends without committing.
[[nodiscard]] Result<void> appendSpans(SpanWriter& writer, const std::vector<PlainSpan>& spans, std::size_t batch = 7);
/// begin, append, commit.
[[nodiscard]] Result<SpanWriter::Written> importSpans(
    Store& store, const std::string& label, const std::vector<PlainSpan>& spans, const ImportShape& shape = {});

/// What the store has, read through loadColumns and forEachTracePayloads; and through loadTrace. Both fail the program on an error.
[[nodiscard]] std::vector<std::string> storedByColumns(const Store& store, std::optional<std::int64_t> deployment = {});
[[nodiscard]] std::vector<std::string> storedByTrace(const Store& store, std::optional<std::int64_t> deployment = {});

/// A folder that vanishes, and names inside it.
class StoreFolder {
public:
    [[nodiscard]] std::string file(const char* name = "test.chokepoint") const
    {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }
    /// Names of everything in it, hidden files included.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    QTemporaryDir m_folder;
};

[[nodiscard]] std::string readFile(const std::string& path);
void writeFile(const std::string& path, const std::string& bytes);

} // namespace chokepoint::testkit
