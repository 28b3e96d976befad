// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/timeunits.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr Duration longestSpan = std::chrono::hours(7 * 24);
constexpr std::array<std::int64_t, 3> factors = {1'000, 1'000'000, 1'000'000'000};

/// Clamped to what int64 holds.
Timestamp multiplied(Timestamp time, std::int64_t factor)
{
    std::int64_t ns = 0;
    if (!isKnown(time) || !__builtin_mul_overflow(toNs(time), factor, &ns))
        return isKnown(time) ? timestampFromNs(ns) : time;
    return toNs(time) < 0 ? timestampFromNs(toNs(Timestamp::min()) + 1) : Timestamp::max();
}

/// 0 when there is none: seconds are the longest unit. No two factors fit one time, the years are less than three powers of ten
/// apart.
std::int64_t factorOf(Timestamp time, TimeUnit unit)
{
    const std::int64_t longest = unit == TimeUnit::Seconds ? 1 : factors[2 - std::size_t(unit) / 3];
    const auto fits = [&](std::int64_t factor) { return factor <= longest && isPlausibleTime(multiplied(time, factor)); };
    const auto found = std::find_if(factors.begin(), factors.end(), fits);
    return found == factors.end() ? 0 : *found;
}

/// The producers' way to write no time counts as none.
bool isGiven(Timestamp time)
{
    return isKnown(time) && time != Timestamp{};
}

/// The payload of a span that starts at \a start, for one that starts \a factor times as late. A first token that is an event
/// moves with it.
void repairPayload(std::string_view payload, SpanColumns& spans, std::size_t i, std::int64_t factor, PackedWriter& writer, std::string& out)
{
    const Timestamp start = spans.start[i];
    const Timestamp repairedStart = multiplied(start, factor);
    Timestamp& firstToken = spans.firstToken[i];
    bool isEvent = false;
    SpanPayload content = decodePayload(payload, start, writer.strings());
    for (SpanEvent& event : content.events) {
        isEvent |= event.time == firstToken;
        event.time = multiplied(event.time, factor);
    }
    if (isKnown(firstToken))
        firstToken = isEvent ? multiplied(firstToken, factor) : repairedStart + (firstToken - start);
    writer.setOutput(&out);
    encodePayload(content, repairedStart, writer, out);
}

} // namespace

void TimeUnitWatch::look(const SpanDraft& draft)
{
    const SpanRow& row = draft.row;
    look(row.start, draft.timeUnit);
    look(row.end, draft.timeUnit);
    const bool isTimed = isGiven(row.start) && isGiven(row.end);
    const bool isLong = isTimed && saturatingDifference(multiplied(row.end, m_factor), multiplied(row.start, m_factor)) > longestSpan;
    if (isLong || row.flags.has(SpanFlags::RelativeClock) || row.flags.has(SpanFlags::TimeOutOfRange)) {
        m_isOpen = false;
        m_factor = 1;
    }
}

void TimeUnitWatch::look(Timestamp time, TimeUnit unit)
{
    if (!m_isOpen || !isGiven(time))
        return;
    const std::int64_t factor = isPlausibleTime(time) ? 0 : factorOf(time, unit);
    m_isOpen = factor != 0 && (m_factor == 1 || m_factor == factor);
    m_factor = m_isOpen ? factor : 1;
}

std::uint64_t repairTimeUnits(SpanBatch& batch, std::int64_t factor, PackedWriter& writer)
{
    std::uint64_t count = 0;
    std::string payload;
    payload.reserve(batch.payload.size());
    SpanColumns& spans = batch.spans;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::string_view old = std::string_view(batch.payload).substr(begin, batch.payloadEnd[i] - begin);
        begin = batch.payloadEnd[i];
        const auto isMeant = [factor](Timestamp time) { return !isGiven(time) || isPlausibleTime(multiplied(time, factor)); };
        if ((isGiven(spans.start[i]) || isGiven(spans.end[i])) && isMeant(spans.start[i]) && isMeant(spans.end[i])) {
            repairPayload(old, spans, i, factor, writer, payload);
            spans.start[i] = multiplied(spans.start[i], factor);
            spans.end[i] = multiplied(spans.end[i], factor);
            spans.flags[i].set(SpanFlags::TimeRepaired);
            ++count;
        } else {
            payload.append(old);
        }
        batch.payloadEnd[i] = std::uint32_t(payload.size());
    }
    batch.payload = std::move(payload);
    return count;
}

} // namespace chokepoint
