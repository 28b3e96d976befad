// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What spans tell of speculative decoding, padding, retrieval scores, caches and routers: read once, in the pass over all payloads;
// spans without any of it take no memory.
#pragma once

#include "core/analysis/checkkeys.h"
#include "core/analysis/payloadpass.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace chokepoint {

/// One number of one span.
struct CheckNumber {
    std::uint32_t span = 0; // of the columns
    CheckField field = CheckField::None;
    double value = 0;
};

/// One text of one span.
struct CheckText {
    std::uint32_t span = 0; // of the columns
    CheckField field = CheckField::None;
    StringId text{}; // of CheckFacts::texts
};

/// Acceptance at one position of the drafts of one span.
struct CheckPosition {
    std::uint32_t span = 0; // of the columns
    std::uint16_t position = 0; // from 0
    bool isShare = false; // else a number of accepted tokens
    double value = 0;
};

/// Facts of a population. Immutable once taken; shared between threads.
struct CheckFacts {
    std::vector<CheckNumber> numbers; // by span, then field; each once
    std::vector<CheckText> words; // the same
    std::vector<CheckPosition> positions; // by span
    std::shared_ptr<const StringPool> texts = std::make_shared<StringPool>();

    [[nodiscard]] std::optional<double> number(std::uint64_t span, CheckField field) const;
    [[nodiscard]] std::string_view text(std::uint64_t span, CheckField field) const; // "" when absent
    /// The numbers of spans [first, first + count): a trace, or a subtree.
    [[nodiscard]] std::span<const CheckNumber> numbersOf(std::uint64_t first, std::uint64_t count) const;
    [[nodiscard]] std::span<const CheckText> wordsOf(std::uint64_t first, std::uint64_t count) const;
    [[nodiscard]] std::span<const CheckPosition> positionsOf(std::uint64_t first, std::uint64_t count) const;
    /// Appends those of spans [first, first + count) of \a other as those of spans from \a target on, which come after all so far.
    /// \a other has the same texts.
    void append(const CheckFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target);
};

/// Collects facts span after span; a reader for readPayload(). Traces must come in the order of the population. Not thread-safe.
class CheckFactReader {
public:
    explicit CheckFactReader(std::shared_ptr<const Dictionary> dictionary);

    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent& event);
    void endSpan();
    /// The facts of all spans read so far; the reader is spent.
    [[nodiscard]] CheckFacts take();

private:
    [[nodiscard]] CheckField fieldOf(StringId key);
    void takeValue(CheckField field, const PackedValue& value);
    void takeText(CheckField field, std::string_view text);
    void takeLengths(const PackedValue& value);
    void takeDocuments(const PackedValue& value);
    void takePositions(CheckField field, std::string_view key, const PackedValue& value);
    void offer(CheckField field, double value);

    std::shared_ptr<const Dictionary> m_dictionary;
    std::shared_ptr<StringPool> m_texts = std::make_shared<StringPool>();
    std::vector<std::uint8_t> m_fieldOfKey; // by StringId: 0 not looked at, else the field + 1
    std::size_t m_firstNumber = 0; // of the span at hand
    std::size_t m_firstWord = 0;
    std::uint32_t m_spans = 0;
    CheckFacts m_facts;
};

} // namespace chokepoint
