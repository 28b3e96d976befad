// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One Span message of Zipkin's ListOfSpans that is whole in memory, decoded straight into a draft for the sink.
#pragma once

#include "core/import/spansink.h"
#include "core/import/zipkinplaces.h"

#include <string>
#include <string_view>

namespace protozero {
class pbf_reader;
}

namespace chokepoint {

class ZipkinProtoSpan {
public:
    enum class Outcome {
        Read,
        Rejected, // its times make no span; counted
        Damaged // the fields cannot be told apart; not counted
    };

    explicit ZipkinProtoSpan(SpanSink& sink)
        : m_sink(sink), m_span(sink.dictionary(), sink.writer(), sink.diagnostics(), m_place), m_places(sink.dictionary())
    {
    }

    /// Fills the draft from a message that begins at \a offset of the stream; damage inside a tag, an annotation or an endpoint
    /// costs that part alone.
    [[nodiscard]] Outcome decode(std::string_view bytes, std::uint64_t offset);
    [[nodiscard]] SpanDraft& draft() { return m_span.draft(); }

private:
    void decodeSpan(std::string_view bytes);
    void decodeField(protozero::pbf_reader& span);
    void decodeTag(std::string_view bytes);
    void decodeAnnotation(std::string_view bytes);
    void decodeEndpoint(std::string_view bytes, ZipkinEndpoint& endpoint);
    [[nodiscard]] const ZipkinPlace& placeOf(std::string_view bytes);
    [[nodiscard]] std::string_view validText(std::string_view text, std::string& repaired);
    template <typename Decode> void part(const char* what, Decode&& decode);
    void skipOther(protozero::pbf_reader& reader, const char* message, std::uint32_t lastKnown);

    SpanSink& m_sink;
    RecordPlace m_place; // of the message that is being decoded
    ZipkinSpan m_span;
    ZipkinPlaces m_places; // by their bytes
    std::string_view m_local; // bytes of the span's endpoints
    std::string_view m_remote;
};

} // namespace chokepoint
