// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The colours that carry meaning (stages, deployments, direction, errors), for a light and a dark background.
#pragma once

#include <QColor>
#include <QPalette>

#include <cstdint>
#include <string_view>

class QPainter;
class QRectF;

namespace chokepoint {

enum class Scheme : std::uint8_t { Light, Dark };

/// A is before, B is after.
enum class Side : std::uint8_t { Before, After };

enum class Direction : std::uint8_t { Better, Worse, Neutral };

/// How a stage is drawn. Eight stages have a hue of their own; the rest are tints of grey told apart by texture.
struct StageStyle {
    QColor fill; // at least 3:1 against the background
    QColor text; // at least 4.5:1 against fill
    QColor ink; // of the texture
    Qt::BrushStyle texture = Qt::SolidPattern; // SolidPattern: none

    friend bool operator==(const StageStyle&, const StageStyle&) = default;
};

/// Colours for one scheme. Widgets take it from their own QPalette (see chartPalette), so a change of theme needs no wiring.
class ChartPalette {
public:
    explicit ChartPalette(Scheme scheme);

    [[nodiscard]] Scheme scheme() const { return m_scheme; }
    /// Style of a stage id such as "generate" or "generate.decode". Stages unknown here get a grey style that depends on
    /// the name alone, so that it is the same on every screen and in every run.
    [[nodiscard]] StageStyle stage(std::string_view id) const;
    [[nodiscard]] QColor side(Side side) const;
    [[nodiscard]] QColor direction(Direction direction) const;
    [[nodiscard]] QColor error() const;
    /// The line that marks the critical path, and the halo of opposite lightness around it.
    [[nodiscard]] QColor path() const;
    [[nodiscard]] QColor pathHalo() const;
    [[nodiscard]] QColor background() const;
    [[nodiscard]] QColor text() const;
    [[nodiscard]] QColor mutedText() const; // at least 4.5:1 against background
    [[nodiscard]] QColor grid() const; // hairlines
    [[nodiscard]] QColor focus() const; // keyboard focus ring, at least 3:1
    [[nodiscard]] QColor warning() const;

private:
    Scheme m_scheme;
};

/// Dark when the window background of \a palette is darker than its text.
[[nodiscard]] Scheme schemeOf(const QPalette& palette);
[[nodiscard]] const ChartPalette& chartPalette(const QPalette& palette);

/// WCAG 2 contrast ratio of two opaque colours, 1 to 21.
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);
/// Black or white, whichever reads better on \a fill; always at least 4.5:1.
[[nodiscard]] QColor textOn(const QColor& fill);

/// The style of a stage in the shadow of another: its fill fades into \a background, its text still reads at 4.5:1 on that fill.
[[nodiscard]] StageStyle shadowed(const StageStyle& style, const QColor& background);

/// Fills \a rect as the style says. Textures are left out below 3 px, where they would only be noise.
void fillStage(QPainter& painter, const QRectF& rect, const StageStyle& style);

/// Glyph of a direction, for places where colour alone must not speak: "▼" better (less time), "▲" worse, "~".
[[nodiscard]] const char* directionGlyph(Direction direction);

} // namespace chokepoint
