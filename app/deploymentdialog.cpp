// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two combo boxes.
#include "app/deploymentdialog.h"

#include "views/format/text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>

namespace chokepoint {

DeploymentDialog::DeploymentDialog(const QString& workspace, const std::vector<Deployment>& deployments, QWidget* parent)
    : QDialog(parent), m_before(new QComboBox), m_after(new QComboBox)
{
    setObjectName(QStringLiteral("deploymentDialog"));
    setWindowTitle(tr("Choose two deployments"));
    for (QComboBox* box : {m_before, m_after})
        for (const Deployment& deployment : deployments)
            box->addItem(tr("%1 (%2 traces)").arg(toText(deployment.label), countText(deployment.traces)));
    m_after->setCurrentIndex(1);
    auto* text = new QLabel(tr("%1 holds %2 deployments.").arg(workspace, countText(deployments.size())));
    text->setTextFormat(Qt::PlainText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QFormLayout(this);
    layout->addRow(text);
    layout->addRow(tr("&Before"), m_before);
    layout->addRow(tr("&After"), m_after);
    layout->addRow(buttons);
}

std::size_t DeploymentDialog::before() const
{
    return std::size_t(m_before->currentIndex());
}
std::size_t DeploymentDialog::after() const
{
    return std::size_t(m_after->currentIndex());
}

} // namespace chokepoint
