// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which two deployments of a workspace to compare.
#pragma once

#include "core/store/store.h"

#include <QDialog>

#include <vector>

class QComboBox;

namespace chokepoint {

class DeploymentDialog : public QDialog {
    Q_OBJECT
public:
    /// \a deployments holds at least two.
    DeploymentDialog(const QString& workspace, const std::vector<Deployment>& deployments, QWidget* parent = nullptr);
    /// Indices into the deployments.
    [[nodiscard]] std::size_t before() const;
    [[nodiscard]] std::size_t after() const;

private:
    QComboBox* m_before;
    QComboBox* m_after;
};

} // namespace chokepoint
