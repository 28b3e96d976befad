// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Contrast of every colour that carries meaning, computed for both schemes.
#include "views/theme/palette.h"
#include "views/theme/theme.h"

#include <QtTest>

#include <array>

using namespace chokepoint;

namespace {

constexpr std::array stages{"ingress", "queue", "preprocess", "route", "guardrail", "cache", "embed", "retrieve", "rerank", "assemble",
    "generate", "tool", "validate", "evaluate", "backoff", "network", "orchestrate", "storage", "ingest", "other", "uninstrumented",
    "my.own", "generate.queue", "generate.prefill", "generate.decode"};

} // namespace

class TestPalette : public QObject {
    Q_OBJECT
private slots:
    void contrastRatioIsThatOfWcag()
    {
        QCOMPARE(contrastRatio(Qt::white, Qt::black), 21.0);
        QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
        QVERIFY(std::abs(contrastRatio(QColor("#777777"), Qt::white) - 4.478) < 0.001);
    }

    void stagesReadOnTheirBackground_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::newRow("light") << int(Scheme::Light);
        QTest::newRow("dark") << int(Scheme::Dark);
    }
    void stagesReadOnTheirBackground()
    {
        QFETCH(int, scheme);
        const ChartPalette palette{Scheme(scheme)};
        for (const char* stage : stages) {
            const StageStyle style = palette.stage(stage);
            QVERIFY2(contrastRatio(style.fill, palette.background()) >= 3.0, stage);
            QVERIFY2(contrastRatio(style.fill, style.text) >= 4.5, stage);
            const StageStyle shadow = shadowed(style, palette.background());
            QVERIFY2(contrastRatio(shadow.fill, shadow.text) >= 4.5, stage);
            QVERIFY2(contrastRatio(shadow.fill, palette.background()) < contrastRatio(style.fill, palette.background()), stage);
        }
    }

    void textAndMarksRead_data() { stagesReadOnTheirBackground_data(); }
    void textAndMarksRead()
    {
        QFETCH(int, scheme);
        const ChartPalette palette{Scheme(scheme)};
        const QColor background = palette.background();
        QVERIFY(contrastRatio(palette.text(), background) >= 7);
        QVERIFY(contrastRatio(palette.mutedText(), background) >= 4.5);
        QVERIFY(contrastRatio(palette.error(), background) >= 4.5);
        QVERIFY(contrastRatio(palette.warning(), background) >= 4.5);
        QVERIFY(contrastRatio(palette.focus(), background) >= 3);
        QVERIFY(contrastRatio(palette.path(), palette.pathHalo()) >= 7);
        for (const Direction direction : {Direction::Better, Direction::Worse, Direction::Neutral})
            QVERIFY(contrastRatio(palette.direction(direction), background) >= 4.5);
        for (const Side side : {Side::Before, Side::After})
            QVERIFY(contrastRatio(palette.side(side), background) >= 3);
        const QPalette widgets = widgetPalette(Scheme(scheme));
        QVERIFY(contrastRatio(widgets.color(QPalette::WindowText), widgets.color(QPalette::Window)) >= 7);
        QVERIFY(contrastRatio(widgets.color(QPalette::HighlightedText), widgets.color(QPalette::Highlight)) >= 4.5);
        QVERIFY(contrastRatio(palette.mutedText(), widgets.color(QPalette::Window)) >= 4.5);
        QCOMPARE(schemeOf(widgets), Scheme(scheme));
        QCOMPARE(chartPalette(widgets).scheme(), Scheme(scheme));
    }

    void everyStageOfTheTaxonomyLooksDifferent_data() { stagesReadOnTheirBackground_data(); }
    void everyStageOfTheTaxonomyLooksDifferent()
    {
        QFETCH(int, scheme);
        const ChartPalette palette{Scheme(scheme)};
        for (std::size_t i = 0; i < 21; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const StageStyle a = palette.stage(stages[i]);
                const StageStyle b = palette.stage(stages[j]);
                QVERIFY2(a.fill != b.fill || a.texture != b.texture, stages[i]);
            }
    }

    void subStagesWearTheirParentsColour()
    {
        const ChartPalette palette(Scheme::Light);
        QCOMPARE(palette.stage("retrieve.vector"), palette.stage("retrieve"));
        QVERIFY(palette.stage("generate.prefill").fill != palette.stage("generate").fill);
    }

    void aStrangersLookDependsOnItsNameAlone()
    {
        const ChartPalette palette(Scheme::Dark);
        QCOMPARE(palette.stage("my-stage"), palette.stage("my-stage"));
        QVERIFY(palette.stage("my-stage").texture != Qt::SolidPattern);
    }

    void themeNamesComeBack()
    {
        for (const ThemeChoice choice : {ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark})
            QCOMPARE(themeFromName(themeName(choice)), choice);
        QVERIFY(!themeFromName("mauve"));
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
