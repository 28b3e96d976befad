// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/spantext.h"

#include "core/base/utf8.h"

#include <utility>

namespace chokepoint {

namespace {

std::string validText(std::string text)
{
    return isValidUtf8(text) ? std::move(text) : repairedUtf8(text);
}

std::string validText(std::string_view text)
{
    return isValidUtf8(text) ? std::string(text) : repairedUtf8(text);
}

} // namespace

SpanText spanText(const Trace& trace, std::size_t span, const ExportOptions& options)
{
    SpanPayload payload = trace.payload(span);
    const SpanRow row = trace.columns().spans.row(span);
    SpanText text;
    text.traceId = validText(trace.idName());
    text.spanId = validText(trace.spanIdName(span));
    text.parentId = validText(trace.parentIdName(span));
    text.service = validText(trace.service(span));
    text.name = validText(trace.name(span));
    text.kind = spanKindName(row.flags.kind());
    text.status = spanStatusName(row.flags.status());
    text.statusMessage = validText(std::move(payload.statusMessage));
    if (options.stageOf)
        text.stage = validText(options.stageOf(trace, span));
    if (!payload.attributes.empty())
        text.attributes = validText(toText(AttributeValue{std::move(payload.attributes)}));
    text.start = row.start;
    text.duration = spanDuration(row.start, row.end, row.flags);
    return text;
}

} // namespace chokepoint
