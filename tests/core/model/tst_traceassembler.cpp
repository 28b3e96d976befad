// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Trees from rows in any order: parents, roots, orphans, cycles, repeated ids, missing times.
#include "core/model/traceassembler.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <array>

using namespace chokepoint;
using testkit::TraceBuilder;

namespace {

/// "name(child(grandchild) child)" for every top-level span, in display order; marks: ? orphan, ! cut or self parent.
std::string treeText(const TraceColumns& columns)
{
    const TraceView trace = columns.trace(0);
    std::string text;
    std::vector<std::size_t> open; // ends of the subtrees under way
    for (std::size_t i = 0; i < trace.size(); ++i) {
        while (!open.empty() && open.back() == i) {
            text += ')';
            open.pop_back();
        }
        if (!text.empty() && text.back() != '(')
            text += ' ';
        text += columns.dictionary->text(trace.name[i]);
        if (trace.flags[i].has(SpanFlags::Orphan))
            text += '?';
        if (trace.flags[i].has(SpanFlags::CycleCut) || trace.flags[i].has(SpanFlags::SelfParent))
            text += '!';
        if (trace.subtreeSize[i] > 1) {
            text += '(';
            open.push_back(i + trace.subtreeSize[i]);
        }
    }
    text.append(open.size(), ')');
    return text;
}

std::string faultText(const TraceColumns& columns)
{
    std::string text;
    for (const DiagnosticEntry& entry : columns.diagnostics.entries())
        text += std::string(text.empty() ? "" : " ") + diagnosticName(entry.code) + ":" + std::to_string(entry.count);
    return text;
}

constexpr std::int64_t now = 1700000000000000000;

} // namespace

Q_DECLARE_METATYPE(testkit::TraceBuilder)

class tst_TraceAssembler : public QObject {
    Q_OBJECT

private slots:
    void trees_data()
    {
        QTest::addColumn<TraceBuilder>("rows");
        QTest::addColumn<QString>("tree");
        QTest::addColumn<QString>("faults");
        const auto row = [](const char* name, const TraceBuilder& rows, const char* tree, const char* faults = "") {
            QTest::newRow(name) << rows << QString(tree) << QString(faults);
        };
        row("children by start, whatever the order of rows",
            TraceBuilder().span("late", 50, 60, "root").span("early", 10, 20, "root").span("root", 0, 100), "root(early late)");
        row("longer first on equal start", TraceBuilder().span("root", 0, 100).span("short", 10, 20, "root").span("long", 10, 90, "root"),
            "root(long short)");
        row("orphans after roots, by start",
            TraceBuilder().span("o2", 5, 6, "gone").span("o1", 1, 9, "gone").span("kid", 2, 3, "o1").span("root", 50, 60),
            "root o1?(kid) o2?", "MISSING_PARENT:2");
        row("two roots", TraceBuilder().span("b", 10, 20).span("a", 0, 5), "a b");
        row("own id as parent", TraceBuilder().span("root", 0, 100).span("self", 10, 20, "self"), "root self!", "SELF_PARENT:1");
        row("a cycle is cut at its earliest span", TraceBuilder().span("root", 0, 100).span("b", 20, 30, "a").span("a", 10, 40, "b"),
            "root a!(b)", "CYCLE:1");
        row("a tail hangs below a cycle", TraceBuilder().span("t", 30, 35, "b").span("b", 20, 50, "a").span("a", 10, 60, "b"), "a!(b(t))",
            "CYCLE:1");
        row("two cycles", TraceBuilder().span("a", 0, 9, "b").span("b", 1, 8, "a").span("c", 2, 7, "d").span("d", 3, 6, "c"), "a!(b) c!(d)",
            "CYCLE:2");
        row("one id on three attempts",
            TraceBuilder()
                .span("op", 0, 100)
                .span("try1", 10, 20, "op")
                .id(77)
                .span("try2", 30, 40, "op")
                .id(77)
                .span("try3", 50, 60, "op")
                .id(77),
            "op(try1 try2 try3)", "SPAN_ID_CONFLICT:2");
        row("client and server halves with one id",
            TraceBuilder()
                .span("main", 0, 100)
                .service("a")
                .span("get", 10, 90, "main")
                .id(9)
                .kind(SpanKind::Client)
                .service("a")
                .span("serve", 20, 80, "main")
                .id(9)
                .kind(SpanKind::Server)
                .service("b")
                .span("query", 30, 70, "get")
                .service("b")
                .span("log", 85, 88, "get")
                .service("a"),
            "main(get(serve(query) log))");
        row("start 0 in our time is missing",
            TraceBuilder().span("root", now, now + 100).span("zero", 0, now + 50, "root").span("ok", now + 1, now + 2, "root"),
            "root(ok zero)", "MISSING_START:1");
        row("start 0 on a relative clock is a start", TraceBuilder().span("root", 0, 100).span("kid", 0, 50, "root"), "root(kid)");
        row("unfinished and reversed", TraceBuilder().span("root", 0, 100).span("open", 10, 0, "root").noEnd().span("back", 30, 20, "root"),
            "root(open back)", "NEGATIVE_DURATION:1 UNFINISHED_SPAN:1");
        row("server on another host far outside its caller",
            TraceBuilder()
                .span("tap", 0, 100)
                .kind(SpanKind::Client)
                .host("phone")
                .span("handle", 5000, 5060, "tap")
                .kind(SpanKind::Server)
                .host("rack"),
            "tap(handle)", "CLOCK_SKEW_SUSPECTED:1");
        row("the same on one host is no skew",
            TraceBuilder()
                .span("tap", 0, 100)
                .kind(SpanKind::Client)
                .host("rack")
                .span("handle", 5000, 5060, "tap")
                .kind(SpanKind::Server)
                .host("rack"),
            "tap(handle)");
    }
    void trees()
    {
        QFETCH(const TraceBuilder, rows);
        const TraceColumns columns = rows.build();
        QTEST(QString::fromStdString(treeText(columns)), "tree");
        QTEST(QString::fromStdString(faultText(columns)), "faults");
    }

    void everySpanOnceAndParentsFirst()
    {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            const TraceColumns columns = testkit::randomTraces(seed, 3, testkit::hostileShape());
            for (std::size_t t = 0; t < columns.traceCount(); ++t) {
                const TraceView trace = columns.trace(t);
                std::vector<std::uint32_t> size(trace.size(), 1);
                for (std::size_t i = trace.size(); i-- > 0;) {
                    QVERIFY2(trace.parent[i] < std::int32_t(i), std::to_string(seed).c_str());
                    if (trace.parent[i] >= 0)
                        size[std::size_t(trace.parent[i])] += size[i];
                }
                for (std::size_t i = 0; i < trace.size(); ++i) {
                    QCOMPARE(trace.subtreeSize[i], size[i]);
                    if (trace.parent[i] >= 0) // pre-order: inside the parent's range
                        QVERIFY(i < std::size_t(trace.parent[i]) + size[std::size_t(trace.parent[i])]);
                }
            }
        }
    }

    void orderOfRowsChangesNothing()
    {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            testkit::Random random(seed);
            const auto dictionary = std::make_shared<Dictionary>();
            const SpanColumns rows = testkit::randomRows(random, testkit::hostileShape(), *dictionary);
            const auto tree = [&](const SpanColumns& input) {
                TraceColumns columns;
                columns.dictionary = dictionary;
                std::vector<std::uint32_t> order;
                assembleTrace(input, order, columns);
                columns.traceId.push_back({});
                return treeText(columns) + faultText(columns);
            };
            QCOMPARE(tree(testkit::shuffled(rows, random)), tree(rows));
        }
    }

    /// What summaries are made of agrees with the tree, row by row.
    void linksAreThoseOfTheTree()
    {
        LinkedTrace linked;
        for (std::uint64_t seed = 1; seed <= 500; ++seed) {
            testkit::Random random(seed);
            Dictionary dictionary;
            const SpanColumns rows = testkit::randomRows(random, testkit::hostileShape(), dictionary);
            TraceColumns columns;
            std::vector<std::uint32_t> order;
            assembleTrace(rows, order, columns);
            columns.traceId.push_back({});
            const TraceView tree = columns.trace(0);
            const TraceView links = linked.link(rows);
            QCOMPARE(links.size(), tree.size());
            for (std::size_t i = 0; i < tree.size(); ++i) {
                const std::uint32_t row = order[i];
                QCOMPARE(links.spanId[row], tree.spanId[i]);
                QCOMPARE(links.start[row], tree.start[i]);
                QCOMPARE(links.end[row], tree.end[i]);
                QCOMPARE(links.flags[row].bits, tree.flags[i].bits);
                QCOMPARE(links.parent[row], tree.parent[i] < 0 ? -1 : std::int32_t(order[std::size_t(tree.parent[i])]));
                QCOMPARE(links.subtreeSize[row], 1U);
            }
            QVERIFY(traceExtent(links) == traceExtent(tree));
            for (const bool orOrphan : {false, true}) {
                const std::int32_t root = primaryRoot(tree, orOrphan);
                QCOMPARE(primaryRoot(links, orOrphan), root < 0 ? -1 : std::int32_t(order[std::size_t(root)]));
            }
        }
    }

    void primaryRootIsTheLongestTrueRoot()
    {
        const TraceColumns columns = TraceBuilder().span("short", 0, 10).span("long", 5, 500).span("orphan", 0, 9999, "gone").build();
        const std::int32_t root = primaryRoot(columns.trace(0));
        QCOMPARE(columns.dictionary->text(columns.trace(0).name[std::size_t(root)]), std::string_view("long"));
        const TraceColumns cycle = TraceBuilder().span("root", 0, 10).span("a", 0, 900, "b").span("b", 1, 800, "a").build();
        QCOMPARE(cycle.dictionary->text(cycle.trace(0).name[std::size_t(primaryRoot(cycle.trace(0)))]), std::string_view("root"));
        const TraceColumns orphans = TraceBuilder().span("a", 0, 10, "gone").span("b", 0, 20, "gone").build();
        QCOMPARE(primaryRoot(orphans.trace(0)), -1);
        QCOMPARE(orphans.dictionary->text(orphans.trace(0).name[std::size_t(primaryRoot(orphans.trace(0), true))]), std::string_view("b"));
    }

    /// Roots that differ in nothing but their names: the first in the tree, whatever the order of the rows.
    void primaryRootOfOneIdTwice()
    {
        Dictionary dictionary;
        const StringId first = dictionary.strings.intern("first");
        const StringId second = dictionary.strings.intern("second");
        for (const auto& names : {std::array{first, second}, std::array{second, first}}) {
            SpanColumns rows;
            for (const StringId name : names) {
                SpanRow row{.spanId = SpanId{5}, .start = timestampFromNs(now), .end = timestampFromNs(now + 10)};
                row.name = name;
                rows.push_back(row);
            }
            LinkedTrace linked;
            const TraceView trace = linked.link(rows);
            QCOMPARE(trace.name[std::size_t(primaryRoot(trace))], first);
        }
    }

    void extentIgnoresWhatIsUnknown()
    {
        const TraceColumns columns =
            TraceBuilder().span("root", now, now + 80).span("zero", 0, now + 50, "root").span("open", now + 70, 0, "root").noEnd().build();
        const TimeRange extent = traceExtent(columns.trace(0));
        QCOMPARE(toNs(extent.begin), now);
        QCOMPARE(extent.length(), Duration{80});
        QVERIFY(isPartial(columns.trace(0)));
    }

    void aMillionDeepAndAMillionWide()
    {
        QCOMPARE(testkit::chainTrace(1000000).trace(0).subtreeSize[0], 1000000U);
        QCOMPARE(testkit::wideTrace(1000000).trace(0).subtreeSize[0], 1000001U);
    }
};

QTEST_GUILESS_MAIN(tst_TraceAssembler)
#include "tst_traceassembler.moc"
