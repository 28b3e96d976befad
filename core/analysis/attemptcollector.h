// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the attempt facts of spans; what stands behind AttemptFactReader.
#pragma once

#include "core/analysis/attemptcause.h"
#include "core/analysis/attemptfacts.h"
#include "core/analysis/attemptkeys.h"
#include "core/analysis/inputtext.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace chokepoint::attempts {

/// Messages of one call that are kept; longer conversations are no re-asks.
inline constexpr std::size_t mostMessages = 256;

/// Where the text of a fact came from: the lower rank wins.
struct Ranked {
    std::string_view text;
    std::uint8_t rank = 0xff; // none yet

    void offer(std::string_view other, std::uint8_t otherRank)
    {
        if (otherRank < rank && !other.empty()) {
            text = other;
            rank = otherRank;
        }
    }
};

/// One message that is spread over attributes.
struct SpreadMessage {
    std::uint16_t index = 0;
    std::uint64_t hash = 0;
    MessageEnd end;
    bool isTool = false;
};

/// The reader of one span after another: attributes fill a scratch record first, of which texts leave only hashes.
struct FactCollector {
    std::shared_ptr<const Dictionary> dictionary;
    std::vector<std::int32_t> keySlot; // by StringId: -1 not looked at, else index into uses
    std::vector<AttemptKeyUse> uses{{}};
    CauseTexts causes;
    AttemptFacts facts;
    std::uint64_t spans = 0;

    // Of the span at hand. Texts point into its payload.
    AttemptFact fact;
    std::array<Ranked, std::size_t(AttemptKey::User) + 1> texts;
    std::vector<SpreadMessage> spread;
    std::deque<std::string> owned; // texts that do not stand in the payload
    RetryCause httpCause{};
    RetryCause grpcCause{};
    RetryCause typeCause{};
    RetryCause textCause{};
    Timestamp start = unknownTime;
    TraceId traceId;
    std::uint8_t marks = 0; // of the span at hand
    bool isRoot = false;
    bool isError = false;
    bool isGuardrails = false;
    bool hasRow = false;

    explicit FactCollector(std::shared_ptr<const Dictionary> theDictionary)
        : dictionary(std::move(theDictionary)), keySlot(dictionary->strings.size(), -1)
    {
    }

    const AttemptKeyUse& useOf(StringId key);
    void begin(const TraceView& trace, std::size_t i);
    void take(const AttemptKeyUse& use, const PackedValue& value);
    void takeText(const AttemptKeyUse& use, std::string_view text);
    void takeNumber(AttemptKey key, std::int64_t number);
    void takeTruth(AttemptKey key, bool value);
    void takeTags(std::string_view tags);
    void takeMessage(const AttemptKeyUse& use, std::string_view text);
    void takeException(const PackedEvent& event);
    void takeRetryEvent(const PackedEvent& event);
    void readRemainder(std::string_view payload);
    void readLinks(PackedCursor& cursor);
    void finish();
    void store();
    void finishOperation();
    void finishInput();
    void finishCause();
    void finishRequest();
    void addMessages(std::string_view text);
    void endMessages(std::uint64_t count, const MessageEnd& end);
    [[nodiscard]] std::string_view text(AttemptKey key) const { return texts[std::size_t(key)].text; }
    void set(AttemptFact::Flag flag) { fact.flags = std::uint16_t(fact.flags | flag); }
};

} // namespace chokepoint::attempts
