// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace file (*.chokepoint, SQLite): create, open, write, read back exactly. The one owner of SQL for trace data.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/model/spanbatch.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// A labelled set of traces inside a workspace. A trace id is unique within its deployment.
struct Deployment {
    std::int64_t id = 0;
    std::string label;
    std::uint64_t traces = 0;
    std::uint64_t spans = 0;
};

/// One imported file, as recorded in the workspace.
struct StoredInput {
    std::int64_t id = 0;
    std::int64_t deployment = 0;
    std::string path;
    std::string format;
    std::string compression;
    std::uint64_t bytes = 0;
    std::uint64_t spans = 0; // newly stored
    std::string importedAt; // ISO 8601, UTC
    /// Of the file's first `bytes` bytes, so that it is known again; 0 when unknown.
    std::uint64_t contentHash = 0;
    /// Where reading can go on when the file has grown: behind its last complete record, or absent.
    std::optional<Place> resume;
    Diagnostics diagnostics;
};

class SpanWriter;

class Store {
public:
    enum class Mode { ReadOnly, ReadWrite };

    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    /// A new workspace at \a path. It is written aside and takes its name with publish(); dropped before that, it leaves
    /// nothing behind. Fails with CannotWrite (also when \a path exists).
    [[nodiscard]] static Result<Store> create(const std::string& path);
    /// A workspace that vanishes with this object; kept on disk beyond a bounded cache.
    [[nodiscard]] static Result<Store> temporary();
    /// Fails with CannotOpen, NotAWorkspace, WorkspaceTooNew, WorkspaceDamaged, WorkspaceBusy. ReadWrite migrates older versions.
    [[nodiscard]] static Result<Store> open(const std::string& path, Mode mode);
    /// True when the file starts as SQLite and carries our application_id.
    [[nodiscard]] static bool isWorkspace(const std::string& path);

    /// fsync and rename to the final name; no-op for stores that were opened or are temporary.
    [[nodiscard]] Result<void> publish();
    /// A consistent copy of this workspace at \a path (written aside, then renamed), such as "Save workspace as".
    [[nodiscard]] Result<void> copyTo(const std::string& path) const;
    [[nodiscard]] const std::string& path() const;

    /// Texts, resources and scopes. Grows only through the dictionary that a SpanWriter hands out.
    [[nodiscard]] std::shared_ptr<const Dictionary> dictionary() const;

    [[nodiscard]] Result<std::vector<Deployment>> deployments() const;
    [[nodiscard]] Result<std::vector<StoredInput>> inputs() const;
    /// Small texts that belong to the workspace: stage rules ("rules"), cached verdict line ("verdict"), notes.
    [[nodiscard]] Result<std::optional<std::string>> setting(const std::string& key) const;
    [[nodiscard]] Result<void> setSetting(const std::string& key, const std::string& value);

    /// All spans of one deployment (all deployments when absent) as assembled columns. About 60 bytes a span.
    [[nodiscard]] Result<TraceColumns> loadColumns(std::optional<std::int64_t> deployment, const JobControl& job) const;
    /// One whole trace by its storeKey (see TraceColumns).
    [[nodiscard]] Result<std::shared_ptr<const Trace>> loadTrace(std::int64_t storeKey) const;
    /// storeKeys of the traces with this id (hex of any spelling, or the source's text), one a deployment.
    [[nodiscard]] Result<std::vector<std::int64_t>> findTrace(const std::string& traceId) const;
    /// Calls \a visit for every trace of \a columns in order with the packed payload of each of its spans (in the trace's
    /// display order). visit returns false to stop early. One sequential read of the blocks.
    using VisitPayloads = std::function<bool(std::size_t traceIndex, const std::vector<std::string_view>& payloads)>;
    [[nodiscard]] Result<void> forEachTracePayloads(const TraceColumns& columns, const VisitPayloads& visit, const JobControl& job) const;

private:
    friend class SpanWriter;
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// How many spans may wait to be grouped by trace; it bounds memory and changes nothing in what is stored.
struct WriteWindow {
    std::size_t spans = 131072;
    std::size_t bytes = std::size_t(128) << 20; // of columns and payloads
};

/// Writes the spans of one input in one transaction. Dropped without commit(), it leaves the workspace as it was.
/// Spans may arrive in any order; exact duplicates of what is stored (or came before) in the same deployment are dropped and
/// counted (DUPLICATE_SPAN); a report of the same span that lacks its end is merged (PARTIAL_SPAN_MERGED).
class SpanWriter {
public:
    /// \a deploymentLabel names the deployment; it is created when new. One writer at a time, else WorkspaceBusy. \a store outlives it.
    [[nodiscard]] static Result<SpanWriter> begin(Store& store, const std::string& deploymentLabel, const WriteWindow& window = {});
    SpanWriter(SpanWriter&&) noexcept;
    SpanWriter& operator=(SpanWriter&&) noexcept;
    ~SpanWriter();

    /// Readers intern into this one while the writer lives. May be used on another thread than append(): append never
    /// reads texts; the writer compares and persists dictionary entries in commit() only, or when told that the reader waits.
    [[nodiscard]] Dictionary& dictionary();

    /// Takes the batch's spans; the batch is left cleared with its capacity. Fails with CannotWrite (disk full).
    [[nodiscard]] Result<void> append(SpanBatch& batch);

    struct Written {
        std::uint64_t newSpans = 0;
        std::uint64_t newTraces = 0;
        Diagnostics diagnostics; // DUPLICATE_SPAN, PARTIAL_SPAN_MERGED
    };
    /// Records \a input (deployment, spans and importedAt are filled in here) and commits. Call after the reader is done. An
    /// input with an id goes on where that one ended: its record is brought up to date instead of a new one.
    [[nodiscard]] Result<Written> commit(StoredInput input);

private:
    struct Impl;
    explicit SpanWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace chokepoint
