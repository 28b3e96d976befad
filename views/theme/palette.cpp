// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The colour tables. The eight hues were searched for the largest worst-case CIEDE2000 distance over normal, protan, deutan
// and tritan vision (worst pair 15.7 light, 16.1 dark) with at least 3:1 against the background.
#include "views/theme/palette.h"

#include "core/base/ids.h"

#include <QPainter>
#include <QRectF>

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace {

struct TwoColours {
    QRgb light;
    QRgb dark;
};

struct Look {
    std::string_view stage;
    TwoColours fill;
    Qt::BrushStyle texture;
};

constexpr TwoColours paleGrey{0xff878f96, 0xff7a828a};
constexpr TwoColours midGrey{0xff5c646b, 0xffa9b1b8};
constexpr TwoColours deepGrey{0xff3c4349, 0xffd3d9de};

constexpr std::array looks{
    // Hues, for the stages that most often hold the path.
    Look{"queue", {0xffc67f2c, 0xfff1d189}, Qt::SolidPattern},
    Look{"retrieve", {0xff189dc2, 0xffa6edff}, Qt::SolidPattern},
    Look{"rerank", {0xff0c331e, 0xff0f7c62}, Qt::SolidPattern},
    Look{"tool", {0xff6f4c02, 0xff797416}, Qt::SolidPattern},
    Look{"generate", {0xff03179b, 0xff80a2ff}, Qt::SolidPattern},
    Look{"validate", {0xff8501f2, 0xffaa3bbe}, Qt::SolidPattern},
    Look{"backoff", {0xffc0175d, 0xfff82c7c}, Qt::SolidPattern},
    Look{"other", {0xff707880, 0xff949ca4}, Qt::SolidPattern},
    // Parts of a model call, as engines report them; hatched, because attributes said so and no span did.
    Look{"generate.queue", {0xffc67f2c, 0xfff1d189}, Qt::BDiagPattern},
    Look{"generate.prefill", {0xff6f4c02, 0xff797416}, Qt::BDiagPattern},
    Look{"generate.decode", {0xff03179b, 0xff80a2ff}, Qt::BDiagPattern},
    // Greys.
    Look{"ingress", deepGrey, Qt::SolidPattern},
    Look{"preprocess", midGrey, Qt::VerPattern},
    Look{"route", midGrey, Qt::HorPattern},
    Look{"guardrail", deepGrey, Qt::CrossPattern},
    Look{"cache", paleGrey, Qt::HorPattern},
    Look{"embed", paleGrey, Qt::FDiagPattern},
    Look{"assemble", midGrey, Qt::BDiagPattern},
    Look{"evaluate", paleGrey, Qt::VerPattern},
    Look{"network", deepGrey, Qt::HorPattern},
    Look{"orchestrate", paleGrey, Qt::SolidPattern},
    Look{"storage", deepGrey, Qt::FDiagPattern},
    Look{"ingest", deepGrey, Qt::VerPattern},
    Look{"uninstrumented", paleGrey, Qt::DiagCrossPattern},
};

constexpr std::array unknownTextures{Qt::Dense5Pattern, Qt::DiagCrossPattern, Qt::CrossPattern, Qt::Dense6Pattern};
constexpr std::array unknownTints{paleGrey, midGrey, deepGrey};

const Look* find(std::string_view stage)
{
    const auto* const it = std::ranges::find(looks, stage, &Look::stage);
    return it == looks.end() ? nullptr : it;
}

Look lookOf(std::string_view stage)
{
    if (const Look* exact = find(stage))
        return *exact;
    // A sub-stage without a look of its own wears its parent's.
    if (const Look* parent = find(stage.substr(0, stage.find('.'))))
        return *parent;
    const std::uint64_t hash = hash64(stage);
    return {stage, unknownTints[hash % unknownTints.size()], unknownTextures[hash / unknownTints.size() % unknownTextures.size()]};
}

QColor pick(Scheme scheme, TwoColours colours)
{
    return QColor::fromRgb(scheme == Scheme::Light ? colours.light : colours.dark);
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour)
{
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

/// \a share of the way from one colour to the other.
QColor mixed(const QColor& from, const QColor& to, double share)
{
    const auto mix = [share](float a, float b) { return float(a + (b - a) * share); };
    return QColor::fromRgbF(mix(from.redF(), to.redF()), mix(from.greenF(), to.greenF()), mix(from.blueF(), to.blueF()));
}

/// The texture's colour: visibly off the fill, towards the text's opposite so that text on top stays readable.
QColor inkOn(const QColor& fill, const QColor& text)
{
    const bool whiteText = text.lightness() > 127;
    return whiteText ? mixed(fill, Qt::white, 0.30) : mixed(fill, Qt::black, 0.28);
}

} // namespace

ChartPalette::ChartPalette(Scheme scheme) : m_scheme(scheme) { }

StageStyle ChartPalette::stage(std::string_view id) const
{
    const Look look = lookOf(id);
    StageStyle style;
    style.fill = pick(m_scheme, look.fill);
    style.text = textOn(style.fill);
    style.ink = inkOn(style.fill, style.text);
    style.texture = look.texture;
    return style;
}

QColor ChartPalette::side(Side side) const
{
    return side == Side::Before ? pick(m_scheme, {0xff5b6470, 0xffa9b2bc}) : pick(m_scheme, {0xff0063b1, 0xff4fa8f0});
}

QColor ChartPalette::direction(Direction direction) const
{
    switch (direction) {
    case Direction::Better: return pick(m_scheme, {0xff00795a, 0xff3cc79a});
    case Direction::Worse: return pick(m_scheme, {0xffb8400a, 0xfff28b50});
    case Direction::Neutral: break;
    }
    return mutedText();
}

QColor ChartPalette::error() const
{
    return pick(m_scheme, {0xffb3151f, 0xffff6b6b});
}
QColor ChartPalette::path() const
{
    return pick(m_scheme, {0xff111417, 0xfffafbfc});
}
QColor ChartPalette::pathHalo() const
{
    return pick(m_scheme, {0xffffffff, 0xff000000});
}
QColor ChartPalette::background() const
{
    return pick(m_scheme, {0xfffcfcfc, 0xff1b1e20});
}
QColor ChartPalette::text() const
{
    return pick(m_scheme, {0xff1d2125, 0xffe8eaec});
}
QColor ChartPalette::mutedText() const
{
    return pick(m_scheme, {0xff5f676e, 0xffa3abb2});
}
QColor ChartPalette::grid() const
{
    return pick(m_scheme, {0xffe0e3e6, 0xff363b40});
}
QColor ChartPalette::focus() const
{
    return pick(m_scheme, {0xff0063b1, 0xff4fa8f0});
}
QColor ChartPalette::warning() const
{
    return pick(m_scheme, {0xff8a5a00, 0xfff0b84c});
}

Scheme schemeOf(const QPalette& palette)
{
    return luminance(palette.color(QPalette::Window)) < luminance(palette.color(QPalette::WindowText)) ? Scheme::Dark : Scheme::Light;
}

const ChartPalette& chartPalette(const QPalette& palette)
{
    static const ChartPalette light(Scheme::Light);
    static const ChartPalette dark(Scheme::Dark);
    return schemeOf(palette) == Scheme::Light ? light : dark;
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor textOn(const QColor& fill)
{
    return contrastRatio(fill, Qt::white) >= contrastRatio(fill, Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
}

StageStyle shadowed(const StageStyle& style, const QColor& background)
{
    constexpr double faded = 0.58;
    StageStyle shadow = style;
    shadow.fill = mixed(style.fill, background, faded);
    shadow.ink = mixed(style.ink, background, faded);
    shadow.text = textOn(shadow.fill);
    return shadow;
}

void fillStage(QPainter& painter, const QRectF& rect, const StageStyle& style)
{
    painter.fillRect(rect, style.fill);
    if (style.texture != Qt::SolidPattern && rect.width() >= 3)
        painter.fillRect(rect, QBrush(style.ink, style.texture));
}

const char* directionGlyph(Direction direction)
{
    switch (direction) {
    case Direction::Better: return "\xe2\x96\xbc";
    case Direction::Worse: return "\xe2\x96\xb2";
    case Direction::Neutral: break;
    }
    return "~";
}

} // namespace chokepoint
