// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, mouse and pixels of the waterfall, off screen.
#include "tests/testkit/tracebuilder.h"
#include "tests/views/tracefixture.h"
#include "views/theme/theme.h"
#include "views/waterfall/detailmodel.h"
#include "views/waterfall/spandetailpanel.h"
#include "views/waterfall/waterfallview.h"

#include <QAbstractItemModelTester>
#include <QImage>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

TraceBuilder request()
{
    TraceBuilder builder;
    builder.span("ingress", 0, 100'000'000).service("gateway");
    builder.span("retrieve", 10'000'000, 40'000'000, "ingress");
    builder.span("retrieve shard", 10'000'000, 40'000'000, "retrieve");
    builder.span("generate", 40'000'000, 90'000'000, "ingress");
    builder.span("generate first", 40'000'000, 60'000'000, "generate").error();
    builder.span("generate second", 60'000'000, 90'000'000, "generate");
    return builder;
}

class Fixture {
public:
    explicit Fixture(const TraceBuilder& builder = request())
    {
        scene = sceneOf(builder);
        view.resize(900, 400);
        view.setScene(scene);
        view.show();
        view.setFocus();
    }

    [[nodiscard]] QString current() const
    {
        const auto span = view.currentSpan();
        return span ? QString::fromStdString(std::string(scene->trace->name(*span))) : QString();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&view, key, modifiers); }

    std::shared_ptr<TraceScene> scene;
    WaterfallView view;
};

} // namespace

class TestWaterfallView : public QObject {
    Q_OBJECT

private slots:
    void keys_data();
    void keys();
    void collapseByKeys();
    void levelsByKeys();
    void pathOnlyByKey();
    void zoomKeepsThePixels();
    void zoomOfATraceWithoutLength();
    void focusAndFit();
    void clickSelects();
    void arrowCollapses();
    void dragSelectsARange();
    void dividerKeepsLimits();
    void matchesOpenTheirBranch();
    void hostileNamesAreText();
    void barsShowInBothSchemes_data();
    void barsShowInBothSchemes();
    void detailModel();
    void longValueIsWhole();
};

void TestWaterfallView::keys_data()
{
    QTest::addColumn<QString>("pressed");
    QTest::addColumn<QString>("expected");
    QTest::newRow("down from nowhere: first row") << "D"
                                                  << "ingress";
    QTest::newRow("down twice") << "DD"
                                << "retrieve";
    QTest::newRow("up stops at the first row") << "DDUUU"
                                               << "ingress";
    QTest::newRow("end") << "$"
                         << "generate second";
    QTest::newRow("home") << "$^"
                          << "ingress";
    QTest::newRow("left goes to the parent") << "$<"
                                             << "generate";
    QTest::newRow("right goes to the child") << "DD>"
                                             << "retrieve shard";
    QTest::newRow("next on path") << "NN"
                                  << "retrieve shard";
    QTest::newRow("next on path, three more") << "NNNN"
                                              << "generate second";
    QTest::newRow("previous on path") << "NNNNP"
                                      << "generate first";
    QTest::newRow("next error") << "E"
                                << "generate first";
    QTest::newRow("next sibling") << "DD."
                                  << "generate";
    QTest::newRow("previous sibling") << "DD.,"
                                      << "retrieve";
    QTest::newRow("most self time on screen") << "L"
                                              << "retrieve shard";
}

void TestWaterfallView::keys()
{
    QFETCH(QString, pressed);
    QFETCH(QString, expected);
    static const QHash<QChar, Qt::Key> keyOf{{'D', Qt::Key_Down}, {'U', Qt::Key_Up}, {'$', Qt::Key_End}, {'^', Qt::Key_Home},
        {'<', Qt::Key_Left}, {'>', Qt::Key_Right}, {'N', Qt::Key_N}, {'P', Qt::Key_P}, {'E', Qt::Key_E}, {'L', Qt::Key_L},
        {'.', Qt::Key_Period}, {',', Qt::Key_Comma}};
    Fixture fixture;
    for (const QChar key : pressed)
        fixture.press(keyOf.value(key));
    QCOMPARE(fixture.current(), expected);
}

void TestWaterfallView::collapseByKeys()
{
    Fixture fixture;
    fixture.press(Qt::Key_Down);
    fixture.press(Qt::Key_Left);
    QCOMPARE(fixture.view.rows().size(), std::size_t(1));
    fixture.press(Qt::Key_Right);
    QCOMPARE(fixture.view.rows().size(), std::size_t(6));
    fixture.press(Qt::Key_End);
    fixture.view.setCollapsed(spanNamed(fixture.scene->trace->columns(), "generate"), true);
    QCOMPARE(fixture.current(), QStringLiteral("generate")); // stands for what it hides
    fixture.press(Qt::Key_E);
    QCOMPARE(fixture.current(), QStringLiteral("generate first")); // opened again
    QCOMPARE(fixture.view.rows().size(), std::size_t(6));
}

void TestWaterfallView::levelsByKeys()
{
    Fixture fixture;
    fixture.press(Qt::Key_BracketLeft);
    QCOMPARE(fixture.view.rows().size(), std::size_t(3));
    fixture.press(Qt::Key_BracketLeft);
    QCOMPARE(fixture.view.rows().size(), std::size_t(1));
    fixture.press(Qt::Key_BracketRight);
    fixture.press(Qt::Key_BracketRight);
    QCOMPARE(fixture.view.rows().size(), std::size_t(6));
}

void TestWaterfallView::pathOnlyByKey()
{
    Fixture fixture;
    QSignalSpy changed(&fixture.view, &WaterfallView::pathOnlyChanged);
    const QImage before = fixture.view.grab().toImage();
    fixture.press(Qt::Key_K);
    QVERIFY(fixture.view.isPathOnly());
    QVERIFY(fixture.view.grab().toImage() != before);
    fixture.press(Qt::Key_K);
    QVERIFY(fixture.view.grab().toImage() == before);
    QCOMPARE(changed.count(), 2);
}

void TestWaterfallView::zoomKeepsThePixels()
{
    Fixture fixture;
    const QImage before = fixture.view.grab().toImage();
    for (const int steps : {1, 7, 20}) {
        for (int i = 0; i < steps; ++i)
            fixture.press(Qt::Key_W);
        QVERIFY(fixture.view.grab().toImage() != before);
        for (int i = 0; i < steps; ++i)
            fixture.press(Qt::Key_S);
        QVERIFY(fixture.view.grab().toImage() == before);
    }
}

void TestWaterfallView::zoomOfATraceWithoutLength()
{
    Fixture fixture(TraceBuilder().span("instant", 1000, 1000).span("also instant", 1000, 1000, "instant"));
    for (const Qt::Key key : {Qt::Key_W, Qt::Key_W, Qt::Key_D, Qt::Key_A, Qt::Key_Down, Qt::Key_F, Qt::Key_S, Qt::Key_S, Qt::Key_S}) {
        fixture.press(key);
        QVERIFY(fixture.view.timeView().length() > Duration{0});
        QVERIFY(!fixture.view.grab().isNull());
    }
}

void TestWaterfallView::focusAndFit()
{
    Fixture fixture;
    fixture.press(Qt::Key_E);
    fixture.press(Qt::Key_F);
    QCOMPARE(toNs(fixture.view.timeView().begin), std::int64_t(39'000'000)); // a twentieth of air
    QCOMPARE(toNs(fixture.view.timeView().end), std::int64_t(61'000'000));
    fixture.press(Qt::Key_F, Qt::ShiftModifier);
    QVERIFY(fixture.view.timeView() == fixture.view.bounds());
}

void TestWaterfallView::clickSelects()
{
    Fixture fixture;
    QSignalSpy changed(&fixture.view, &WaterfallView::currentSpanChanged);
    const int rowHeight = fixture.view.verticalScrollBar()->singleStep();
    const int ruler = fixture.view.fontMetrics().height() + 10;
    QTest::mouseClick(fixture.view.viewport(), Qt::LeftButton, {}, {fixture.view.treeWidth() - 60, ruler + rowHeight * 3 + rowHeight / 2});
    QCOMPARE(fixture.current(), QStringLiteral("generate"));
    QTest::mouseClick(fixture.view.viewport(), Qt::LeftButton, {}, {fixture.view.treeWidth() + 200, ruler + rowHeight + rowHeight / 2});
    QCOMPARE(fixture.current(), QStringLiteral("retrieve"));
    QCOMPARE(changed.count(), 2);
}

void TestWaterfallView::arrowCollapses()
{
    Fixture fixture;
    const int rowHeight = fixture.view.verticalScrollBar()->singleStep();
    const int ruler = fixture.view.fontMetrics().height() + 10;
    QTest::mouseClick(
        fixture.view.viewport(), Qt::LeftButton, {}, {treeIndent(1, fixture.view.treeWidth()) + 8, ruler + rowHeight + rowHeight / 2});
    QCOMPARE(fixture.view.rows().size(), std::size_t(5));
}

void TestWaterfallView::dragSelectsARange()
{
    Fixture fixture;
    const int left = fixture.view.treeWidth();
    const int width = fixture.view.viewport()->width() - left;
    QWidget* port = fixture.view.viewport();
    QTest::mousePress(port, Qt::LeftButton, {}, {left + width / 4, 100});
    QTest::mouseMove(port, {left + width / 2, 100});
    QTest::mouseRelease(port, Qt::LeftButton, {}, {left + width / 2, 100});
    QVERIFY(fixture.view.selectedRange().has_value());
    const Duration quarter{25'000'000};
    QVERIFY(std::abs(toNs(fixture.view.selectedRange()->length() - quarter)) < 500'000);
    fixture.press(Qt::Key_F);
    QVERIFY(std::abs(toNs(fixture.view.timeView().length() - quarter)) < 500'000);
    fixture.press(Qt::Key_Escape);
    QVERIFY(!fixture.view.selectedRange().has_value());
}

void TestWaterfallView::dividerKeepsLimits()
{
    Fixture fixture;
    fixture.view.setTreeWidth(5);
    QVERIFY(fixture.view.treeWidth() >= 100);
    fixture.view.setTreeWidth(5000);
    QVERIFY(fixture.view.treeWidth() < fixture.view.viewport()->width());
}

void TestWaterfallView::matchesOpenTheirBranch()
{
    Fixture fixture;
    fixture.view.collapseFrom(0);
    const std::uint32_t shard = spanNamed(fixture.scene->trace->columns(), "retrieve shard");
    fixture.view.setMatches(std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{shard}));
    fixture.view.stepToMatch(Step::Next);
    QCOMPARE(fixture.current(), QStringLiteral("retrieve shard"));
    QVERIFY(fixture.view.rows().rowOf(shard).has_value());
}

void TestWaterfallView::hostileNamesAreText()
{
    const auto scene = sceneOf(TraceBuilder().span("x", 0, 10).named("<b>bold</b>\n<img src=x>").service("<i>svc</i>"));
    SpanDetailPanel panel;
    panel.setSpan(scene, 0U);
    const auto* name = panel.findChild<QLabel*>(QStringLiteral("spanName"));
    QVERIFY(name != nullptr);
    QCOMPARE(name->textFormat(), Qt::PlainText);
    QCOMPARE(name->text(), QStringLiteral("<b>bold</b> <img src=x>"));
    QCOMPARE(panel.findChild<QLabel*>(QStringLiteral("spanService"))->textFormat(), Qt::PlainText);
}

void TestWaterfallView::barsShowInBothSchemes_data()
{
    QTest::addColumn<int>("scheme");
    QTest::newRow("light") << int(Scheme::Light);
    QTest::newRow("dark") << int(Scheme::Dark);
}

void TestWaterfallView::barsShowInBothSchemes()
{
    QFETCH(int, scheme);
    Fixture fixture;
    fixture.view.setPalette(widgetPalette(Scheme(scheme)));
    const QImage image = fixture.view.grab().toImage();
    const ChartPalette colors{Scheme(scheme)};
    const auto pixels = [&image](const QColor& wanted) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == wanted ? 1 : 0;
        }
        return count;
    };
    QVERIFY(pixels(colors.stage("retrieve").fill) > 500);
    QVERIFY(pixels(colors.stage("generate").fill) > 500);
    QVERIFY(pixels(colors.error()) > 100); // outline and glyph
    QVERIFY(pixels(colors.path()) > 300); // the line below the bars
}

void TestWaterfallView::detailModel()
{
    DetailModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows(attributeRows({{"text", {std::string("a")}}, {"number", {std::int64_t(3)}}, {"none", {}}}));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(1, DetailModel::Value).data().toString(), QStringLiteral("3"));
    QCOMPARE(model.index(1, DetailModel::Type).data().toString(), QStringLiteral("int"));
    QCOMPARE(model.index(2, DetailModel::Type).data().toString(), QStringLiteral("empty"));

    SpanPayload payload;
    payload.events.push_back({timestampFromNs(1'500'000), "exception", {{"exception.type", {std::string("Timeout")}}}, 2});
    payload.events.push_back({unknownTime, "no time", {}, 0});
    model.setRows(eventRows(payload, timestampFromNs(0)));
    QCOMPARE(model.index(0, DetailModel::Key).data().toString(), QStringLiteral("+1.50 ms"));
    QCOMPARE(model.index(0, DetailModel::Value).data().toString(), QStringLiteral("exception"));
    QCOMPARE(model.rowCount(model.index(0, 0)), 2); // the attribute, and how many were dropped
    QCOMPARE(model.index(1, DetailModel::Key).data().toString(), QStringLiteral("time unknown"));
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
}

void TestWaterfallView::longValueIsWhole()
{
    DetailModel model;
    const std::string prompt(1 << 20, 'p');
    model.setRows(attributeRows({{"gen_ai.prompt", {prompt}}}));
    const QModelIndex value = model.index(0, DetailModel::Value);
    QVERIFY(value.data().toString().size() < 300);
    QVERIFY(value.data().toString().contains(QStringLiteral("MiB")));
    QCOMPARE(value.data(DetailModel::fullTextRole).toString().size(), qsizetype(1 << 20));
}

QTEST_MAIN(TestWaterfallView)
#include "tst_waterfallview.moc"
