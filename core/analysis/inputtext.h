// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tells whether two calls were given the same: hashes of inputs, of message lists and of the words of a query.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Hash of what \a text says. JSON is compared by its keys and plain values in their order, without white space and without members
/// whose names are those of ids, times and model settings; other text as it is, without white space at its ends. 0 when it says nothing.
[[nodiscard]] std::uint64_t inputHash(std::string_view text);

/// Calls \a visit for the raw text of each message of a list: a JSON array, or an object with the array as "messages" or "input", an
/// array that holds the array (LangChain) included. Not called for other texts.
void forEachMessage(std::string_view text, const std::function<void(std::string_view)>& visit);

/// What the last message of a list asks for.
struct MessageEnd {
    bool correction = false; // a report of what was wrong with the answer before it
    bool toolResult = false;
};
[[nodiscard]] MessageEnd messageEnd(std::string_view message);

/// Hashes of the distinct words of \a query, sorted, the 16 smallest of them; none when it is longer than 2,048 bytes.
[[nodiscard]] std::vector<std::uint32_t> wordHashes(std::string_view query);
/// Share of common words in all words of two such lists: the Jaccard index, exact up to 16 words.
[[nodiscard]] double wordSimilarity(const std::uint32_t* a, std::size_t aCount, const std::uint32_t* b, std::size_t bCount);

/// Lower case, with "#" for ids: hex numbers and UUIDs of 8 digits and more, decimal numbers of 4 and more.
[[nodiscard]] std::string withoutIds(std::string_view name);

/// What a URL's path and query ask for. Values that look like ids or times are left out of the query, except those of paging parameters.
[[nodiscard]] std::uint64_t targetHash(std::string_view pathAndQuery);

} // namespace chokepoint
