// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/knowninputs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

/// Adds the file's bytes up to \a size to \a hash; false when there are fewer.
bool hashUpTo(std::ifstream& file, std::uint64_t size, ContentHash& hash)
{
    std::vector<char> block(std::size_t(1) << 20);
    while (hash.size() < size) {
        file.read(block.data(), std::streamsize(std::min<std::uint64_t>(block.size(), size - hash.size())));
        if (file.gcount() == 0)
            return false;
        hash.add({block.data(), std::size_t(file.gcount())});
    }
    return true;
}

/// Whether the first import read the file to its end, and \a tail adds nothing.
bool isComplete(const StoredInput& input, const std::string& tail)
{
    return tail.empty() || !input.resume || input.resume->byte >= input.bytes;
}

} // namespace

Result<KnownInputs> KnownInputs::of(const Store& store, const std::string& label)
{
    KnownInputs known;
    known.m_keeps = !store.path().empty();
    if (!known.m_keeps)
        return known;
    const auto deployments = store.deployments();
    if (!deployments)
        return fail(deployments.error());
    const auto own = std::find_if(deployments->begin(), deployments->end(), [&](const Deployment& d) { return d.label == label; });
    if (own == deployments->end())
        return known;
    auto inputs = store.inputs();
    if (!inputs)
        return fail(inputs.error());
    for (StoredInput& input : *inputs)
        if (input.deployment == own->id && input.contentHash != 0)
            known.m_inputs.push_back(std::move(input));
    std::stable_sort(
        known.m_inputs.begin(), known.m_inputs.end(), [](const StoredInput& a, const StoredInput& b) { return a.bytes < b.bytes; });
    return known;
}

ReadingPlan KnownInputs::planFor(const std::string& path, const std::string& head, const std::string& tail) const
{
    ReadingPlan plan;
    std::error_code error;
    const std::uint64_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    std::ifstream file;
    ContentHash hash;
    // Shorter ones first: each byte is hashed once. The longest that fits wins.
    for (const StoredInput& input : m_inputs) {
        const bool mayBe = input.bytes == size || (input.path == path && input.bytes < size);
        if (!mayBe || size == 0)
            continue;
        if (!file.is_open())
            file.open(path, std::ios::binary);
        if (!hashUpTo(file, input.bytes, hash))
            break;
        if (hash.value() != input.contentHash)
            continue;
        plan.same.reset();
        plan.continues = 0;
        plan.part = {};
        if (input.bytes == size && isComplete(input, tail)) {
            plan.same = input;
        } else if (input.resume && input.resume->byte.value_or(0) != 0) {
            plan.continues = input.id;
            plan.part.from = {input.resume->line.value_or(1), *input.resume->byte};
        }
    }
    if (plan.continues == 0 && !head.empty())
        plan.part.from = {2, head.size()};
    plan.part.tail = tail;
    plan.part.keepsHash = m_keeps;
    if (m_keeps && plan.part.from.byte != 0) {
        std::ifstream again(path, std::ios::binary);
        hashUpTo(again, plan.part.from.byte, plan.part.before);
    }
    return plan;
}

} // namespace chokepoint
