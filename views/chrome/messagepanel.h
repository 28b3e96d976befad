// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a page shows instead of figures: nothing loaded, nothing found, or what went wrong and what to do.
#pragma once

#include <QWidget>

class QAbstractButton;
class QHBoxLayout;
class QLabel;

namespace chokepoint {

class MessagePanel : public QWidget {
    Q_OBJECT
public:
    explicit MessagePanel(QWidget* parent = nullptr);
    /// Plain text. \a isError draws the title in the colour of errors with a glyph.
    void setMessage(const QString& title, const QString& text, bool isError = false);
    /// Adds a button below the text; the panel owns it.
    QAbstractButton* addButton(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColours();

    QLabel* m_title;
    QLabel* m_text;
    QHBoxLayout* m_buttons;
    bool m_isError = false;
};

} // namespace chokepoint
