// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Widget palettes for both schemes, in step with the chart colours.
#include "views/theme/theme.h"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>

#include <array>

namespace chokepoint {

namespace {

struct RoleColour {
    QPalette::ColorRole role;
    QRgb light;
    QRgb dark;
};

constexpr std::array roles{
    RoleColour{QPalette::Window, 0xfff1f3f4, 0xff24282b},
    RoleColour{QPalette::WindowText, 0xff1d2125, 0xffe8eaec},
    RoleColour{QPalette::Base, 0xfffcfcfc, 0xff1b1e20},
    RoleColour{QPalette::AlternateBase, 0xfff5f6f7, 0xff212528},
    RoleColour{QPalette::Text, 0xff1d2125, 0xffe8eaec},
    RoleColour{QPalette::Button, 0xffe9ecee, 0xff31363a},
    RoleColour{QPalette::ButtonText, 0xff1d2125, 0xffe8eaec},
    RoleColour{QPalette::BrightText, 0xffffffff, 0xffffffff},
    RoleColour{QPalette::ToolTipBase, 0xff1d2125, 0xffe8eaec},
    RoleColour{QPalette::ToolTipText, 0xfffcfcfc, 0xff1b1e20},
    RoleColour{QPalette::PlaceholderText, 0xff6a7278, 0xff9aa2a9},
    RoleColour{QPalette::Link, 0xff0063b1, 0xff4fa8f0},
    RoleColour{QPalette::LinkVisited, 0xff5b3fa0, 0xffb49df0},
    RoleColour{QPalette::Highlight, 0xff0063b1, 0xff2d6ea8},
    RoleColour{QPalette::HighlightedText, 0xffffffff, 0xffffffff},
    RoleColour{QPalette::Light, 0xffffffff, 0xff3d4347},
    RoleColour{QPalette::Midlight, 0xfff5f6f7, 0xff363b40},
    RoleColour{QPalette::Mid, 0xffc3c9ce, 0xff4a5157},
    RoleColour{QPalette::Dark, 0xff9aa2a9, 0xff15181a},
    RoleColour{QPalette::Shadow, 0xff70787f, 0xff0b0d0e},
};

constexpr std::array disabledRoles{QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText};

} // namespace

const char* themeName(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Light: return "light";
    case ThemeChoice::Dark: return "dark";
    case ThemeChoice::System: break;
    }
    return "system";
}

std::optional<ThemeChoice> themeFromName(std::string_view name)
{
    for (const ThemeChoice choice : {ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark})
        if (name == themeName(choice))
            return choice;
    return std::nullopt;
}

QPalette widgetPalette(Scheme scheme)
{
    QPalette palette;
    for (const RoleColour& entry : roles)
        palette.setColor(entry.role, QColor::fromRgb(scheme == Scheme::Light ? entry.light : entry.dark));
    for (const QPalette::ColorRole role : disabledRoles)
        palette.setColor(QPalette::Disabled, role, QColor::fromRgb(scheme == Scheme::Light ? 0xff8d959b : 0xff767e85));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, palette.color(QPalette::Mid));
    return palette;
}

void applyTheme(QApplication& application, ThemeChoice choice)
{
    if (choice == ThemeChoice::System) {
        application.setPalette(QPalette());
        return;
    }
    if (application.style()->name() != QLatin1String("fusion"))
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setPalette(widgetPalette(choice == ThemeChoice::Light ? Scheme::Light : Scheme::Dark));
}

QFont tabularFont(const QFont& base)
{
    // Qt below 6.7 cannot switch font features on; the default figures of most interface fonts are tabular already.
    QFont font(base);
    font.setKerning(false);
    return font;
}

} // namespace chokepoint
