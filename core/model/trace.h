// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One whole trace: its tree and, on demand, everything that hangs on its spans. Immutable; shared between threads.
#pragma once

#include "core/model/packed.h"
#include "core/model/tracecolumns.h"

#include <memory>
#include <string>
#include <vector>

namespace chokepoint {

class Trace {
public:
    /// \a columns holds exactly one trace. payload of span i is [payloadBegin[i], payloadBegin[i] + payloadSize[i]) of
    /// \a payloads.
    Trace(TraceColumns columns, std::vector<std::uint64_t> payloadBegin, std::vector<std::uint32_t> payloadSize, std::string payloads)
        : m_columns(std::move(columns)), m_payloadBegin(std::move(payloadBegin)), m_payloadSize(std::move(payloadSize)),
          m_payloads(std::move(payloads))
    {
    }

    [[nodiscard]] const TraceColumns& columns() const { return m_columns; }
    [[nodiscard]] TraceView view() const { return m_columns.trace(0); }
    [[nodiscard]] const Dictionary& dictionary() const { return *m_columns.dictionary; }
    [[nodiscard]] std::size_t size() const { return m_columns.spanCount(); }
    [[nodiscard]] std::string idName() const { return m_columns.traceIdName(0); }

    [[nodiscard]] std::string_view packedPayload(std::size_t span) const
    {
        return std::string_view(m_payloads).substr(m_payloadBegin[span], m_payloadSize[span]);
    }
    [[nodiscard]] SpanPayload payload(std::size_t span) const
    {
        return decodePayload(packedPayload(span), m_columns.spans.start[span], dictionary().strings);
    }
    [[nodiscard]] std::string_view name(std::size_t span) const { return dictionary().text(m_columns.spans.name[span]); }
    [[nodiscard]] std::string_view service(std::size_t span) const
    {
        return dictionary().text(dictionary().service(m_columns.spans.resource[span]));
    }
    /// The ids as people know them: the source's own text where it was no hex.
    [[nodiscard]] std::string spanIdName(std::size_t span) const;
    [[nodiscard]] std::string parentIdName(std::size_t span) const; // "" for a root

private:
    TraceColumns m_columns;
    std::vector<std::uint64_t> m_payloadBegin;
    std::vector<std::uint32_t> m_payloadSize;
    std::string m_payloads;
};

} // namespace chokepoint
