// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/checkfacts.h"

#include "core/analysis/spanentries.h"
#include "core/analysis/usagevalues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace chokepoint {

namespace {

template <typename Entry> const Entry* find(const std::vector<Entry>& entries, std::uint64_t span, CheckField field)
{
    const auto wanted = std::pair(span, field);
    const auto before = [](const Entry& entry, const auto& key) { return std::pair(std::uint64_t(entry.span), entry.field) < key; };
    const auto found = std::lower_bound(entries.begin(), entries.end(), wanted, before);
    return found != entries.end() && found->span == span && found->field == field ? &*found : nullptr;
}

template <typename Visit> void forEachElement(const PackedValue& array, const StringPool& strings, Visit&& visit)
{
    PackedCursor elements(array.container);
    while (elements.ok() && !elements.rest().empty() && ValueTag(elements.rest().front()) != ValueTag::End) {
        const PackedValue element = readValue(elements, strings);
        if (elements.ok())
            visit(element);
    }
}

std::string lower(std::string_view text)
{
    constexpr std::size_t longest = 64; // words of interest are short
    std::string result(text.substr(0, longest));
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return result;
}

/// A document's score or distance, by the names that libraries give it.
struct DocumentKey {
    std::string_view name;
    CheckField field;
};
constexpr std::array documentKeys{DocumentKey{"score", CheckField::Score}, DocumentKey{"document.score", CheckField::Score},
    DocumentKey{"similarity", CheckField::Score}, DocumentKey{"distance", CheckField::Distance}};

} // namespace

std::optional<double> CheckFacts::number(std::uint64_t span, CheckField field) const
{
    const CheckNumber* const found = find(numbers, span, field);
    return found == nullptr ? std::nullopt : std::optional(found->value);
}

std::string_view CheckFacts::text(std::uint64_t span, CheckField field) const
{
    const CheckText* const found = find(words, span, field);
    return found == nullptr ? std::string_view() : texts->text(found->text);
}

std::span<const CheckNumber> CheckFacts::numbersOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(numbers), first, count);
}

std::span<const CheckText> CheckFacts::wordsOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(words), first, count);
}

std::span<const CheckPosition> CheckFacts::positionsOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(positions), first, count);
}

void CheckFacts::append(const CheckFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target)
{
    for (CheckNumber entry : other.numbersOf(first, count)) {
        entry.span = std::uint32_t(entry.span - first + target);
        numbers.push_back(entry);
    }
    for (CheckText entry : other.wordsOf(first, count)) {
        entry.span = std::uint32_t(entry.span - first + target);
        words.push_back(entry);
    }
    for (CheckPosition entry : other.positionsOf(first, count)) {
        entry.span = std::uint32_t(entry.span - first + target);
        positions.push_back(entry);
    }
}

CheckFactReader::CheckFactReader(std::shared_ptr<const Dictionary> dictionary)
    : m_dictionary(std::move(dictionary)), m_fieldOfKey(m_dictionary->strings.size(), 0)
{
}

CheckField CheckFactReader::fieldOf(StringId key)
{
    if (toIndex(key) >= m_fieldOfKey.size())
        return CheckField::None;
    std::uint8_t& slot = m_fieldOfKey[toIndex(key)];
    if (slot == 0)
        slot = std::uint8_t(std::uint8_t(checkFieldOf(m_dictionary->text(key))) + 1);
    return CheckField(slot - 1);
}

void CheckFactReader::beginSpan(const TraceView&, std::size_t)
{
    m_firstNumber = m_facts.numbers.size();
    m_firstWord = m_facts.words.size();
}

/// Of several scores the best counts; of other numbers the first.
void CheckFactReader::offer(CheckField field, double value)
{
    const auto begin = m_facts.numbers.begin() + std::ptrdiff_t(m_firstNumber);
    const auto known = std::find_if(begin, m_facts.numbers.end(), [field](const CheckNumber& entry) { return entry.field == field; });
    if (known == m_facts.numbers.end())
        m_facts.numbers.push_back({m_spans, field, value});
    else if (field == CheckField::Score)
        known->value = std::max(known->value, value);
    else if (field == CheckField::Distance)
        known->value = std::min(known->value, value);
}

void CheckFactReader::takeText(CheckField field, std::string_view text)
{
    if (text.empty())
        return;
    if (field == CheckField::CacheOutcome) {
        const std::string word = lower(text);
        if (word.find("miss") != std::string::npos)
            offer(CheckField::CacheHit, 0);
        else if (word.find("hit") != std::string::npos)
            offer(CheckField::CacheHit, 1);
        return;
    }
    if (field == CheckField::CacheOperation) {
        constexpr std::array<std::string_view, 7> writes{"set", "put", "store", "write", "update", "upsert", "delete"};
        if (std::find(writes.begin(), writes.end(), lower(text)) != writes.end())
            offer(CheckField::CacheWrite, 1);
        return;
    }
    m_facts.words.push_back({m_spans, field, m_texts->intern(text)});
}

/// A batch whose sequences all take the length of the longest.
void CheckFactReader::takeLengths(const PackedValue& value)
{
    double sum = 0;
    double longest = 0;
    double count = 0;
    forEachElement(value, m_dictionary->strings, [&](const PackedValue& element) {
        const TokenCount length = tokenCountOf(element);
        sum += double(length.orZero());
        longest = std::max(longest, double(length.orZero()));
        count += length.isKnown() ? 1 : 0;
    });
    if (count == 0)
        return;
    offer(CheckField::PaddedTokens, count * longest);
    offer(CheckField::ActualTokens, sum);
}

void CheckFactReader::takeDocuments(const PackedValue& value)
{
    constexpr std::size_t longestJson = std::size_t(1) << 20;
    double count = 0;
    if (value.tag == ValueTag::Array) {
        forEachElement(value, m_dictionary->strings, [&](const PackedValue& document) {
            ++count;
            for (const DocumentKey& key : documentKeys)
                if (const auto score =
                        document.tag == ValueTag::Map ? attributeOf(document.container, key.name, m_dictionary->strings) : std::nullopt)
                    takeValue(key.field, *score);
        });
    } else if (value.isText() && value.text.size() <= longestJson && value.text.starts_with('[')) {
        const nlohmann::json documents = nlohmann::json::parse(value.text, nullptr, false);
        if (!documents.is_array())
            return;
        for (const nlohmann::json& document : documents) {
            ++count;
            for (const DocumentKey& key : documentKeys)
                if (const auto score = document.is_object() ? document.find(key.name) : document.end();
                    score != document.end() && score->is_number())
                    offer(key.field, score->get<double>());
        }
    } else {
        return;
    }
    offer(CheckField::Results, count);
}

void CheckFactReader::takeValue(CheckField field, const PackedValue& value)
{
    if (field == CheckField::None)
        return;
    if (field == CheckField::Documents)
        return takeDocuments(value);
    if (field == CheckField::Lengths)
        return value.tag == ValueTag::Array ? takeLengths(value) : void();
    if (field >= CheckField::CacheOutcome)
        return value.isText() ? takeText(field, value.text) : void();
    if (value.tag == ValueTag::Array)
        return forEachElement(value, m_dictionary->strings, [&](const PackedValue& element) {
            if (const auto number = numberOf(element))
                offer(field, *number);
        });
    if (field == CheckField::CacheHit && value.isText())
        return offer(field, isTrue(value) || lower(value.text) == "hit" ? 1 : 0);
    if (const auto number = numberOf(value); number && (*number >= 0 || field == CheckField::Score || field == CheckField::Distance))
        offer(field, *number);
}

/// A list by position, or one number under a key that ends in its position.
void CheckFactReader::takePositions(CheckField field, std::string_view key, const PackedValue& value)
{
    constexpr std::size_t longestDraft = 64;
    const bool isShare = field == CheckField::RatePositions;
    const auto add = [&](std::size_t position, const PackedValue& element) {
        const auto number = numberOf(element);
        if (number && *number >= 0 && (!isShare || *number <= 1) && position < longestDraft)
            m_facts.positions.push_back({m_spans, std::uint16_t(position), isShare, *number});
    };
    if (value.tag == ValueTag::Array) {
        std::size_t position = 0;
        forEachElement(value, m_dictionary->strings, [&](const PackedValue& element) { add(position++, element); });
        return;
    }
    const std::size_t digits = key.find_last_not_of("0123456789") + 1;
    std::size_t position = 0;
    if (std::from_chars(key.data() + digits, key.data() + key.size(), position).ec == std::errc())
        add(position, value);
}

void CheckFactReader::attribute(StringId key, const PackedValue& value)
{
    const CheckField field = fieldOf(key);
    if (field == CheckField::AcceptedPositions || field == CheckField::RatePositions)
        takePositions(field, m_dictionary->text(key), value);
    else
        takeValue(field, value);
}

/// Vector databases write an event a result.
void CheckFactReader::event(const PackedEvent& event)
{
    if (!event.name.text.starts_with("db.query.result"))
        return;
    PackedCursor cursor(event.attributes);
    forEachAttribute(cursor, m_dictionary->strings, [&](StringId key, const PackedValue& value) {
        takeValue(fieldOf(key), value);
        return true;
    });
}

void CheckFactReader::endSpan()
{
    const auto byField = [](const auto& a, const auto& b) { return a.field < b.field; };
    const auto sameField = [](const auto& a, const auto& b) { return a.field == b.field; };
    std::sort(m_facts.numbers.begin() + std::ptrdiff_t(m_firstNumber), m_facts.numbers.end(), byField);
    const auto words = m_facts.words.begin() + std::ptrdiff_t(m_firstWord);
    std::stable_sort(words, m_facts.words.end(), byField);
    m_facts.words.erase(std::unique(words, m_facts.words.end(), sameField), m_facts.words.end());
    ++m_spans;
}

CheckFacts CheckFactReader::take()
{
    m_facts.texts = std::move(m_texts);
    return std::move(m_facts);
}

} // namespace chokepoint
