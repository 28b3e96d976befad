// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One OTLP Span message that is whole in memory, decoded straight into a draft for the sink.
#pragma once

#include "core/import/otlpprotovalues.h"
#include "core/import/spandraft.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace chokepoint {

class OtlpProtoSpan {
public:
    explicit OtlpProtoSpan(OtlpProtoValues& values) : m_values(values) { }

    /// Fills the draft. False when the message is damaged so that its fields cannot be told apart; damage inside an attribute,
    /// event, link or the status costs that part alone.
    [[nodiscard]] bool decode(std::string_view bytes);
    [[nodiscard]] SpanDraft& draft() { return m_draft; }

private:
    void decodeSpan(std::string_view bytes);
    void decodeStatus(std::string_view bytes);
    void decodeEvent(std::string_view bytes);
    void decodeLink(std::string_view bytes);
    bool setTime(Timestamp& time, std::uint64_t nanoseconds);
    void setKind(std::uint64_t kind);
    void setStatus(std::uint64_t code);

    OtlpProtoValues& m_values;
    SpanDraft m_draft;
};

} // namespace chokepoint
