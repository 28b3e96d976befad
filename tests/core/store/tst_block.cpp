// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The packed blocks: what is encoded comes back, extremes included; damage behind a right checksum is refused, never obeyed.
#include "core/model/packed.h"
#include "core/store/block.h"
#include "tests/testkit/randomtrace.h"

#include <QtTest>

#include <cstring>
#include <limits>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr DictionarySizes largeDictionary{1U << 20, 1000, 1000};
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() + 1;

SpanRow randomRow(Random& random)
{
    // Few ids, so that parents are found, not found and repeated.
    const auto anyTime = [&] {
        switch (random.below(6)) {
        case 0: return unknownTime;
        case 1: return timestampFromNs(random.chance(50) ? most : least);
        case 2: return timestampFromNs(0);
        default: return timestampFromNs(random.between(1'000'000, 2'000'000));
        }
    };
    SpanRow row;
    row.spanId = {random.chance(90) ? random.below(50) + 1 : std::uint64_t(0) - random.below(3)};
    row.parentId = {random.chance(80) ? random.below(60) : std::uint64_t(0) - random.below(3)};
    row.start = anyTime();
    row.end = anyTime();
    row.firstToken = random.chance(70) ? unknownTime : anyTime();
    row.name = StringId(random.below(random.chance(50) ? 10 : 1U << 20));
    row.resource = ResourceId(random.below(1000));
    row.scope = ScopeId(random.below(3));
    row.flags.setKind(SpanKind(random.below(6)));
    row.flags.setStatus(SpanStatus(random.below(3)));
    row.flags.bits |= std::uint32_t(random.below(1U << 15)) << 5;
    return row;
}

std::vector<SpanRow> randomRows(std::uint64_t seed, std::size_t count)
{
    Random random(seed);
    std::vector<SpanRow> rows;
    for (std::size_t i = 0; i < count; ++i)
        rows.push_back(randomRow(random));
    return rows;
}

bool equal(const SpanRow& a, const SpanRow& b)
{
    return a.spanId == b.spanId && a.parentId == b.parentId && a.start == b.start && a.end == b.end && a.name == b.name
        && a.resource == b.resource && a.scope == b.scope && a.flags == b.flags && a.firstToken == b.firstToken;
}

bool sameRows(const SpanColumns& columns, const std::vector<SpanRow>& rows)
{
    bool same = columns.size() == rows.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i)
        same = equal(columns.row(i), rows[i]);
    return same;
}

/// \a rows in runs of 1, 2, 3, ... spans, with keys that jump up and down.
std::vector<SpanRun> runsOf(const std::vector<SpanRow>& rows)
{
    std::vector<SpanRun> runs;
    std::size_t covered = 0;
    while (covered < rows.size()) {
        const std::size_t count = std::min(runs.size() + 1, rows.size() - covered);
        runs.push_back({runs.size() % 2 == 0 ? std::int64_t(runs.size()) : most - std::int64_t(runs.size()), std::uint32_t(count)});
        covered += count;
    }
    return runs;
}

struct Chunk {
    std::vector<SpanRow> rows;
    std::vector<std::uint32_t> sizes;
    std::string payloads;
};

Chunk randomChunk(std::uint64_t seed, std::size_t count)
{
    Random random(seed);
    Chunk chunk{randomRows(seed, count), {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
        chunk.sizes.push_back(std::uint32_t(random.below(40)));
        chunk.payloads.append(chunk.sizes.back(), char(i));
    }
    return chunk;
}

/// The block with a checksum that fits again, as somebody would write who means harm.
std::string sealed(std::string block)
{
    if (block.size() > 5) {
        const std::uint32_t checksum = blockChecksum(std::string_view(block).substr(5));
        std::memcpy(block.data() + 1, &checksum, 4);
    }
    return block;
}

} // namespace

class TestBlock : public QObject {
    Q_OBJECT

private slots:
    void chunksComeBack();
    void segmentsComeBack();
    void emptyAndSingle();
    void everyWidth();
    void appendsOrLeavesAlone();
    void refusesEveryTruncation();
    void refusesEveryFlippedBit();
    void survivesSealedDamage();
    void refusesIdsOutsideTheDictionary();
    void refusesHugeCounts();
    void tableFindsTheFirst();
    void isCompact();
};

void TestBlock::chunksComeBack()
{
    BlockEncoder encoder;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Chunk chunk = randomChunk(seed, std::size_t(seed * seed % 400));
        const std::string data(encoder.chunk(chunk.rows, chunk.sizes, chunk.payloads));
        SpanColumns rows;
        std::vector<std::string_view> payloads;
        QVERIFY(decodeChunk(data, largeDictionary, rows, &payloads));
        QVERIFY2(sameRows(rows, chunk.rows), std::to_string(seed).c_str());
        std::string joined;
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            QCOMPARE(payloads[i].size(), std::size_t(chunk.sizes[i]));
            joined += payloads[i];
        }
        QVERIFY(joined == chunk.payloads);
        SpanColumns skeleton; // without the payloads
        QVERIFY(decodeChunk(data, largeDictionary, skeleton));
        QVERIFY(sameRows(skeleton, chunk.rows));
    }
}

void TestBlock::segmentsComeBack()
{
    BlockEncoder encoder;
    for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(500), spansPerSegment}) {
        const std::vector<SpanRow> rows = randomRows(count + 1, count);
        const std::vector<SpanRun> runs = runsOf(rows);
        const std::string data(encoder.segment(rows, runs));
        SpanColumns decoded;
        std::vector<SpanRun> decodedRuns;
        QVERIFY(decodeSegment(data, largeDictionary, decoded, decodedRuns));
        QVERIFY(sameRows(decoded, rows));
        QVERIFY(decodedRuns == runs);
        decodedRuns.clear();
        QVERIFY(decodeSegmentRuns(data, decodedRuns));
        QVERIFY(decodedRuns == runs);
    }
}

void TestBlock::emptyAndSingle()
{
    BlockEncoder encoder;
    SpanColumns rows;
    QVERIFY(decodeChunk(std::string(encoder.chunk({}, {}, {})), {}, rows));
    QVERIFY(rows.empty());
    const SpanRow blank; // nothing known at all
    const std::uint32_t size = 0;
    QVERIFY(decodeChunk(std::string(encoder.chunk({&blank, 1}, {&size, 1}, {})), {}, rows));
    QVERIFY(sameRows(rows, {blank}));
}

/// Columns take 0 to 8 bytes a value; each width carries its smallest and largest difference.
void TestBlock::everyWidth()
{
    BlockEncoder encoder;
    for (unsigned bits = 0; bits <= 64; ++bits) {
        const std::uint64_t top = bits == 0 ? 0 : ~std::uint64_t(0) >> (64 - bits);
        for (const std::uint64_t base : {std::uint64_t(0), ~std::uint64_t(0) - top}) {
            std::vector<SpanRow> rows(3);
            rows[0].spanId = {base};
            rows[1].spanId = {base + top};
            rows[2].spanId = {base + top / 2};
            const std::uint32_t sizes[3] = {0, 0, 0};
            SpanColumns decoded;
            QVERIFY(decodeChunk(std::string(encoder.chunk(rows, sizes, {})), {}, decoded));
            QVERIFY2(sameRows(decoded, rows), std::to_string(bits).c_str());
        }
    }
}

void TestBlock::appendsOrLeavesAlone()
{
    BlockEncoder encoder;
    const Chunk chunk = randomChunk(5, 10);
    const std::string data(encoder.chunk(chunk.rows, chunk.sizes, chunk.payloads));
    SpanColumns rows;
    std::vector<std::string_view> payloads;
    QVERIFY(decodeChunk(data, largeDictionary, rows, &payloads));
    QVERIFY(decodeChunk(data, largeDictionary, rows, &payloads));
    QCOMPARE(rows.size(), std::size_t(20));
    QVERIFY(!decodeChunk(sealed(data.substr(0, data.size() - 1)), largeDictionary, rows, &payloads));
    QCOMPARE(rows.size(), std::size_t(20));
    QCOMPARE(payloads.size(), std::size_t(20));
}

void TestBlock::refusesEveryTruncation()
{
    BlockEncoder encoder;
    const Chunk chunk = randomChunk(6, 30);
    const std::string data(encoder.chunk(chunk.rows, chunk.sizes, chunk.payloads));
    const std::string segment(encoder.segment(chunk.rows, runsOf(chunk.rows)));
    SpanColumns rows;
    std::vector<SpanRun> runs;
    std::vector<std::string_view> payloads;
    for (std::size_t size = 0; size < data.size(); ++size)
        QVERIFY(!decodeChunk(sealed(data.substr(0, size)), largeDictionary, rows, &payloads));
    for (std::size_t size = 0; size < segment.size(); ++size)
        QVERIFY(!decodeSegment(sealed(segment.substr(0, size)), largeDictionary, rows, runs));
    QVERIFY(!decodeChunk(segment, largeDictionary, rows, &payloads)); // one kind is not taken for the other
    QVERIFY(!decodeSegment(data, largeDictionary, rows, runs));
}

void TestBlock::refusesEveryFlippedBit()
{
    BlockEncoder encoder;
    const Chunk chunk = randomChunk(7, 20);
    std::string data(encoder.chunk(chunk.rows, chunk.sizes, chunk.payloads));
    SpanColumns rows;
    for (std::size_t at = 0; at < data.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            data[at] = char(data[at] ^ 1 << bit);
            QVERIFY(!decodeChunk(data, largeDictionary, rows));
            data[at] = char(data[at] ^ 1 << bit);
        }
}

/// Random bytes changed, the checksum made right: refused or decoded, but inside the bounds and inside the dictionary.
void TestBlock::survivesSealedDamage()
{
    constexpr DictionarySizes small{40, 20, 3};
    BlockEncoder encoder;
    Random random(8);
    std::size_t refused = 0;
    for (int round = 0; round < 20000; ++round) {
        Chunk chunk = randomChunk(std::uint64_t(round % 50), 25);
        for (SpanRow& row : chunk.rows) {
            row.name = StringId(random.below(40));
            row.resource = ResourceId(random.below(20));
        }
        const bool asSegment = round % 2 == 0;
        std::string data(
            asSegment ? encoder.segment(chunk.rows, runsOf(chunk.rows)) : encoder.chunk(chunk.rows, chunk.sizes, chunk.payloads));
        for (std::uint64_t n = 1 + random.below(4); n > 0; --n)
            data[5 + random.below(data.size() - 5)] = char(random.below(256));
        data = sealed(data);
        SpanColumns rows;
        std::vector<SpanRun> runs;
        std::vector<std::string_view> payloads;
        if (!(asSegment ? decodeSegment(data, small, rows, runs) : decodeChunk(data, small, rows, &payloads))) {
            ++refused;
            continue;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            QVERIFY(toIndex(rows.name[i]) < small.strings && toIndex(rows.resource[i]) < small.resources
                && toIndex(rows.scope[i]) < small.scopes);
    }
    QVERIFY(refused > 1000);
    QVERIFY(refused < 20000);
}

void TestBlock::refusesIdsOutsideTheDictionary()
{
    BlockEncoder encoder;
    SpanRow row;
    const std::uint32_t size = 0;
    SpanColumns rows;
    row.name = StringId(5);
    row.resource = ResourceId(6);
    row.scope = ScopeId(7);
    const std::string data(encoder.chunk({&row, 1}, {&size, 1}, {}));
    QVERIFY(decodeChunk(data, {6, 7, 8}, rows));
    QVERIFY(!decodeChunk(data, {5, 7, 8}, rows));
    QVERIFY(!decodeChunk(data, {6, 6, 8}, rows));
    QVERIFY(!decodeChunk(data, {6, 7, 7}, rows));
}

/// A few bytes must not make us reserve memory for billions of spans.
void TestBlock::refusesHugeCounts()
{
    std::string data(5, '\0');
    data[0] = 1;
    appendVarint(data, std::uint64_t(1) << 40);
    data.append(40, '\0');
    SpanColumns rows;
    QVERIFY(!decodeChunk(sealed(data), largeDictionary, rows));
}

void TestBlock::tableFindsTheFirst()
{
    SpanIndexTable table;
    for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(5000), std::size_t(3)}) {
        table.reset(count);
        for (std::uint32_t i = 0; i < count; ++i)
            QCOMPARE(table.insert(SpanId{i / 2}, i), i / 2 * 2);
        for (std::uint32_t i = 0; i < count; ++i)
            QCOMPARE(table.find(SpanId{i / 2}), i / 2 * 2);
        QCOMPARE(table.find(SpanId{std::uint64_t(count) + 1}), SpanIndexTable::absent);
    }
}

/// Twenty spans of an ordinary trace take at most 30 bytes each, so that a workspace stays a fifth of its JSON.
void TestBlock::isCompact()
{
    Random random(3);
    std::vector<SpanRow> rows(20);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].spanId = {mix64(random.below(1U << 30) + 1)};
        rows[i].parentId = i == 0 ? SpanId{} : rows[random.below(i)].spanId;
        rows[i].start = timestampFromNs(1'730'000'000'000'000'000 + random.between(0, 1'000'000'000));
        rows[i].end = rows[i].start + Duration(random.between(0, 900'000'000));
        rows[i].name = StringId(random.below(200));
    }
    const std::vector<std::uint32_t> sizes(20, 0);
    BlockEncoder encoder;
    const std::size_t bytes = encoder.chunk(rows, sizes, {}).size();
    QVERIFY2(bytes <= 20 * 30, std::to_string(bytes).c_str());
}

QTEST_GUILESS_MAIN(TestBlock)
#include "tst_block.moc"
