// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Waterfall page over an imported file: loading, steps between traces, search, stages, messages.
#include "core/pipeline/dataset.h"
#include "views/theme/theme.h"
#include "views/waterfall/spandetailpanel.h"
#include "views/waterfall/traceheader.h"
#include "views/waterfall/waterfallpage.h"
#include "views/waterfall/waterfallview.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace chokepoint;

namespace {

QByteArray spanJson(int trace, int span, int parent, const char* name, qint64 start, qint64 end)
{
    const QString json = QStringLiteral(R"({"traceId":"%1","spanId":"%2","parentSpanId":"%3","name":"%4","kind":1,)"
                                        R"("startTimeUnixNano":"%5","endTimeUnixNano":"%6",)"
                                        R"("attributes":[{"key":"note","value":{"stringValue":"call %2 of <b>%4</b>"}}]})");
    const auto id = [](int value, int digits) {
        return value == 0 ? QString() : QStringLiteral("%1").arg(value, digits, 16, QLatin1Char('0'));
    };
    constexpr qint64 epoch = 1'700'000'000'000'000'000;
    return json.arg(id(trace, 32), id(span, 16), id(parent, 16), QString::fromLatin1(name)).arg(epoch + start).arg(epoch + end).toUtf8();
}

/// Two traces: a request with a search and a chat, and a shorter one.
QByteArray twoTraces()
{
    const QByteArrayList spans{spanJson(1, 1, 0, "POST /ask", 0, 100'000'000), spanJson(1, 2, 1, "vector_search", 10'000'000, 40'000'000),
        spanJson(1, 3, 1, "chat model", 40'000'000, 90'000'000), spanJson(2, 4, 0, "POST /ask", 200'000'000, 250'000'000)};
    return R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]},"scopeSpans":[{"spans":[)"
        + spans.join(',') + "]}]}]}";
}

std::shared_ptr<const Dataset> imported(const QByteArray& json)
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("traces.json")));
    if (!file.open(QIODevice::WriteOnly) || file.write(json) != json.size())
        return nullptr;
    file.close();
    Result<Store> store = Store::temporary();
    if (!store)
        return nullptr;
    const auto shared = std::make_shared<Store>(std::move(*store));
    if (!importInputs(*shared, {file.fileName().toStdString()}, "before", {}))
        return nullptr;
    Result<std::shared_ptr<const Dataset>> dataset = loadDataset(shared, std::nullopt, "before", {}, {});
    return dataset ? *dataset : nullptr;
}

/// The page on its way to the first trace of \a dataset.
struct OpenedPage {
    explicit OpenedPage(std::shared_ptr<const Dataset> dataset, std::optional<std::size_t> span = std::nullopt)
    {
        state.setDataset(Side::Before, std::move(dataset));
        state.openTrace({Side::Before, 0}, span);
    }

    ViewState state;
    JobRunner jobs;
    WaterfallPage page{state, jobs};
};

} // namespace

class TestWaterfallPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void messages();
    void opensTheSelectedTrace();
    void stepsThroughTheList();
    void selectionIsShared();
    void searchFindsAndSteps();
    void stagesAreShared();
    void theSideHasItsColourInEveryTheme();

private:
    std::shared_ptr<const Dataset> m_dataset;
};

void TestWaterfallPage::initTestCase()
{
    m_dataset = imported(twoTraces());
    QVERIFY(m_dataset);
    QCOMPARE(m_dataset->columns.traceCount(), std::size_t(2));
}

void TestWaterfallPage::messages()
{
    ViewState state;
    JobRunner jobs;
    WaterfallPage page(state, jobs);
    const auto* message = page.findChild<QLabel*>(QStringLiteral("waterfallMessage"));
    QVERIFY(message->text().contains(QStringLiteral("Nothing is loaded")));
    state.setDataset(Side::Before, m_dataset);
    QVERIFY(message->text().contains(QStringLiteral("No trace is open")));
    state.openTrace({Side::Before, 0});
    QTRY_VERIFY(page.waterfall()->scene());
    state.setDataset(Side::Before, nullptr);
    QVERIFY(!page.waterfall()->scene());
    QVERIFY(message->text().contains(QStringLiteral("Nothing is loaded")));
}

void TestWaterfallPage::opensTheSelectedTrace()
{
    OpenedPage opened(m_dataset, 1);
    WaterfallPage& page = opened.page;
    QTRY_VERIFY(page.waterfall()->scene());
    QCOMPARE(page.waterfall()->scene()->size(), std::size_t(3));
    QCOMPARE(*page.waterfall()->currentSpan(), 1U);
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("traceId"))->text(), QStringLiteral("00000000000000000000000000000001"));
    const QString figures = page.findChild<QLabel*>(QStringLiteral("traceFigures"))->text();
    QVERIFY(figures.contains(QStringLiteral("100 ms end to end")));
    QVERIFY(figures.contains(QStringLiteral("3 spans")));
    QVERIFY(figures.contains(QStringLiteral("longer than 1 of 2 complete traces")));
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("spanName"))->text(), QStringLiteral("vector_search"));
}

void TestWaterfallPage::stepsThroughTheList()
{
    ViewState state;
    JobRunner jobs;
    WaterfallPage page(state, jobs);
    state.setDataset(Side::Before, m_dataset);
    state.setTraceOrder(std::make_shared<const std::vector<TraceRef>>(std::vector<TraceRef>{{Side::Before, 1}, {Side::Before, 0}}));
    state.openTrace({Side::Before, 1});
    QTRY_VERIFY(page.waterfall()->scene());
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("tracePosition"))->text(), QStringLiteral("1 of 2 listed"));
    QVERIFY(!page.findChild<QToolButton*>(QStringLiteral("previousTrace"))->isEnabled());
    page.findChild<QToolButton*>(QStringLiteral("nextTrace"))->click();
    QVERIFY((state.trace() == TraceRef{Side::Before, 0}));
    QTRY_COMPARE(page.waterfall()->scene()->size(), std::size_t(3));
    QVERIFY(!page.findChild<QToolButton*>(QStringLiteral("nextTrace"))->isEnabled());
}

void TestWaterfallPage::selectionIsShared()
{
    OpenedPage opened(m_dataset);
    ViewState& state = opened.state;
    WaterfallPage& page = opened.page;
    QTRY_VERIFY(page.waterfall()->scene());
    QTest::keyClick(page.waterfall(), Qt::Key_End);
    QCOMPARE(*state.span(), std::size_t(2));
    state.selectSpan(1);
    QCOMPARE(*page.waterfall()->currentSpan(), 1U);
    state.selectSpan(std::nullopt);
    QVERIFY(!page.waterfall()->currentSpan());
}

void TestWaterfallPage::searchFindsAndSteps()
{
    OpenedPage opened(m_dataset);
    WaterfallPage& page = opened.page;
    QTRY_VERIFY(page.waterfall()->scene());
    page.waterfall()->collapseFrom(0);
    auto* search = page.findChild<QLineEdit*>(QStringLiteral("spanSearch"));
    const auto* count = page.findChild<QLabel*>(QStringLiteral("matchCount"));
    search->setText(QStringLiteral("of <B>chat"));
    QTRY_COMPARE(count->text(), QStringLiteral("1 match"));
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(*page.waterfall()->currentSpan(), 2U);
    search->setText(QStringLiteral("%"));
    QTRY_COMPARE(count->text(), QStringLiteral("no match"));
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(count->text().isEmpty());
}

void TestWaterfallPage::stagesAreShared()
{
    OpenedPage opened(m_dataset, 1);
    ViewState& state = opened.state;
    WaterfallPage& page = opened.page;
    QTRY_VERIFY(page.waterfall()->scene());
    const QString stage = QString::fromUtf8(page.waterfall()->scene()->stageName(1).data());
    auto* chip = page.findChild<QToolButton*>(QStringLiteral("stageChip_") + stage);
    QVERIFY(chip != nullptr);
    chip->click();
    QCOMPARE(state.stage(), stage);
    QVERIFY(chip->isChecked());
    chip->click();
    QVERIFY(state.stage().isEmpty());
    QVERIFY(!chip->isChecked());
    page.findChild<QToolButton*>(QStringLiteral("spanStage"))->click();
    QCOMPARE(state.stage(), stage);
    QTest::keyClick(page.waterfall(), Qt::Key_Escape);
    QVERIFY(state.stage().isEmpty());
}

void TestWaterfallPage::theSideHasItsColourInEveryTheme()
{
    OpenedPage opened(m_dataset);
    WaterfallPage& page = opened.page;
    QTRY_VERIFY(page.waterfall()->scene());
    page.show();
    const auto* side = page.findChild<QLabel*>(QStringLiteral("traceSide"));
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        applyTheme(*qApp, theme);
        QTRY_COMPARE(schemeOf(side->palette()), theme == ThemeChoice::Dark ? Scheme::Dark : Scheme::Light);
        QCOMPARE(side->palette().color(QPalette::WindowText), chartPalette(page.palette()).side(Side::Before));
    }
}

QTEST_MAIN(TestWaterfallPage)
#include "tst_waterfallpage.moc"
