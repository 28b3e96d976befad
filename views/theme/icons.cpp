// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The SVG files say "currentColor"; the palette's colour is put in its place before they are drawn.
#include "views/theme/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <array>

// Outside the namespace, as the macro wants it: resources of a static library must be asked for.
static void initIconResources()
{
    Q_INIT_RESOURCE(chokepoint);
}

namespace chokepoint {

namespace {

constexpr std::array sizes{16, 20, 24, 32, 48, 64, 128}; // pixels: 100 % to 400 % of what tool bars use

void addPixmaps(QIcon& icon, const QByteArray& source, const QColor& colour, QIcon::Mode mode)
{
    QByteArray coloured = source;
    coloured.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(coloured);
    for (const int size : sizes) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        icon.addPixmap(pixmap, mode);
    }
}

QByteArray readIcon(const QString& name)
{
    initIconResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QIcon themedIcon(const QString& name, const QPalette& palette)
{
    QIcon icon;
    const QByteArray source = readIcon(name);
    if (source.isEmpty())
        return icon;
    addPixmaps(icon, source, palette.color(QPalette::Active, QPalette::WindowText), QIcon::Normal);
    addPixmaps(icon, source, palette.color(QPalette::Disabled, QPalette::WindowText), QIcon::Disabled);
    return icon;
}

QIcon applicationIcon()
{
    initIconResources();
    return QIcon(QStringLiteral(":/icons/chokepoint.svg"));
}

} // namespace chokepoint
