// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Nesting by containment and the pairing of beginnings and ends against twins that look at everything.
#include "core/import/bytespool.h"
#include "core/import/chromenesting.h"
#include "core/import/chromepairs.h"
#include "tests/testkit/randomtrace.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace chokepoint;
using testkit::Random;

namespace {

std::vector<NestKey> randomKeys(Random& random, std::uint32_t count)
{
    std::vector<NestKey> keys;
    const std::int64_t span = random.between(2, 40);
    for (std::uint32_t i = 0; i < count; ++i) {
        NestKey key{random.below(2) + 1, random.between(0, span), 0, i, random.chance(10) ? 0U : 1U};
        key.end = random.chance(10) ? endless : key.start + random.between(0, random.chance(50) ? 3 : span);
        keys.push_back(key);
    }
    return keys;
}

bool precedes(const NestKey& a, const NestKey& b)
{
    return std::tie(a.start, b.end, a.rank, a.slice) < std::tie(b.start, a.end, b.rank, b.slice);
}

/// Ends in which an endless slice lasts as long as the latest open slice that it begins in.
struct Twin {
    explicit Twin(std::vector<NestKey> sorted) : keys(std::move(sorted))
    {
        std::stable_sort(keys.begin(), keys.end(), precedes);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (const auto around = latest(i, [&](const NestKey& key) { return key.end > keys[i].start; });
                keys[i].end == endless && around)
                keys[i].end = keys[*around].end;
    }

    /// The latest key before \a i of the same group that \a accept takes.
    template <typename Accept> [[nodiscard]] std::optional<std::size_t> latest(std::size_t i, Accept&& accept) const
    {
        for (std::size_t k = i; k-- > 0;)
            if (keys[k].group == keys[i].group && accept(keys[k]))
                return k;
        return std::nullopt;
    }

    [[nodiscard]] std::uint32_t parent(std::size_t i) const
    {
        const auto found = latest(i, [&](const NestKey& key) { return key.end > keys[i].start && key.end >= keys[i].end; });
        return found ? keys[*found].slice : noSlice;
    }

    [[nodiscard]] bool overlaps(std::size_t i) const
    {
        const auto open = latest(i, [&](const NestKey& key) { return key.end > keys[i].start; });
        return open && keys[*open].end < keys[i].end;
    }

    /// The slice that holds a point in time; noSlice when none does.
    [[nodiscard]] std::uint32_t holder(std::uint64_t group, std::int64_t time) const
    {
        std::uint32_t found = noSlice;
        for (const NestKey& key : keys)
            if (key.group == group && key.start <= time && time < key.end)
                found = key.slice;
        return found;
    }

    [[nodiscard]] std::uint32_t next(std::uint64_t group, std::int64_t time) const
    {
        for (const NestKey& key : keys)
            if (key.group == group && key.start >= time)
                return key.slice;
        return noSlice;
    }

    std::vector<NestKey> keys;
};

} // namespace

class tst_ChromeNesting : public QObject {
    Q_OBJECT

private slots:
    void parentsEqualTheTwins();
    void marksEqualTheTwins();
    void pairsEqualTheTwins();
    void spool();
};

void tst_ChromeNesting::parentsEqualTheTwins()
{
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        const auto count = std::uint32_t(random.between(0, 24));
        std::vector<NestKey> keys = randomKeys(random, count);
        const Twin twin(keys);
        std::vector<NestMark> marks;
        const Nesting nesting = nestSlices(keys, marks, count);
        std::uint64_t overlaps = 0;
        for (std::size_t i = 0; i < twin.keys.size(); ++i) {
            QVERIFY2(nesting.parents[twin.keys[i].slice] == twin.parent(i), qPrintable(QString("seed %1").arg(seed)));
            overlaps += twin.overlaps(i) ? 1 : 0;
        }
        QVERIFY2(nesting.overlaps == overlaps, qPrintable(QString("seed %1").arg(seed)));
    }
}

void tst_ChromeNesting::marksEqualTheTwins()
{
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        const auto count = std::uint32_t(random.between(0, 16));
        std::vector<NestKey> keys = randomKeys(random, count);
        const Twin twin(keys);
        std::vector<NestMark> marks;
        for (std::uint32_t i = 0; i < 12; ++i)
            marks.push_back({random.below(3) + 1, random.between(-2, 42), i, random.chance(30)});
        const std::vector<NestMark> asked = marks;
        const Nesting nesting = nestSlices(keys, marks, count);
        for (const NestMark& mark : asked) {
            const NestedMark got = nesting.marks[mark.mark];
            const std::uint32_t holder = twin.holder(mark.group, mark.time);
            const std::uint32_t next = twin.next(mark.group, mark.time);
            const QByteArray place = QByteArray("seed ") + QByteArray::number(qulonglong(seed)) + " mark " + QByteArray::number(mark.mark);
            if (mark.bindsNext && next != noSlice)
                QVERIFY2(got.slice == next && got.isInside, place);
            else if (holder != noSlice)
                QVERIFY2(got.slice == holder && got.isInside, place);
            else // a neighbour of the group, if there is any slice
                QVERIFY2((got.slice == noSlice)
                        == std::none_of(keys.begin(), keys.end(), [&](const NestKey& key) { return key.group == mark.group; }),
                    place);
        }
    }
}

/// Names that are all different need no order of pairing: every end belongs to the beginning of its name.
void tst_ChromeNesting::pairsEqualTheTwins()
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        ChromeRecords records;
        const auto count = std::uint32_t(random.between(1, 20));
        std::vector<std::uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0U);
        for (std::uint32_t i = count; i-- > 1;)
            std::swap(order[i], order[random.below(i + 1)]);
        std::vector<Timestamp> ends(count, unknownTime);
        for (const std::uint32_t name : order) {
            ChromeSlice slice;
            slice.group = 1 + name % 2;
            slice.start = timestampFromNs(random.between(0, 10));
            slice.bits = ChromeSlice::Open;
            slice.name = StringId(name + 1);
            if (random.chance(80)) {
                ends[name] = slice.start + Duration{random.between(0, 10)};
                records.ends.push_back({slice.group, ends[name], {}, slice.name, true, std::uint32_t(records.slices.size())});
            }
            records.slices.push_back(slice);
        }
        const bool hasStray = random.chance(50);
        if (hasStray)
            records.ends.push_back({1, timestampFromNs(5), {}, StringId(count + 1), true, count});
        const PairingResult result = pairChromeEvents(records, count + 2);
        QCOMPARE(result.unmatchedEnds, std::uint64_t(hasStray ? 1 : 0));
        for (const ChromeSlice& slice : records.slices)
            QVERIFY2(slice.end == ends[toIndex(slice.name) - 1], qPrintable(QString("seed %1").arg(seed)));
    }
}

void tst_ChromeNesting::spool()
{
    ByteSpool spool(1000); // most of it goes to the file
    std::vector<std::pair<SpoolRange, std::string>> stored;
    Random random(1);
    for (int i = 0; i < 500; ++i) {
        const std::string text(random.below(40), char('a' + i % 26));
        const auto range = spool.append(text);
        QVERIFY(range.has_value());
        stored.emplace_back(*range, text);
    }
    const auto huge = spool.append(std::string(300000, 'z'));
    QVERIFY(huge.has_value());
    QVERIFY(spool.append("last").has_value());
    for (int pass = 0; pass < 2; ++pass) {
        for (const auto& [range, text] : stored)
            QCOMPARE(std::string(spool.read(range).value()), text);
        QCOMPARE(spool.read(*huge).value().size(), std::size_t(300000));
        std::reverse(stored.begin(), stored.end());
    }
    QCOMPARE(std::string(spool.read({huge->at + huge->size, 4}).value()), std::string("last"));
}

QTEST_GUILESS_MAIN(tst_ChromeNesting)
#include "tst_chromenesting.moc"
