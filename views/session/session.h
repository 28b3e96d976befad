// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Opens, loads and compares: turns what the user asked for into jobs and their results into the ViewState.
#pragma once

#include "views/jobs/jobrunner.h"
#include "views/session/loadside.h"
#include "views/state/viewstate.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include <array>
#include <optional>
#include <vector>

namespace chokepoint {

/// How far one side is. The window shows it as a card.
struct SideStatus {
    enum class Phase : std::uint8_t { Empty, Reading, Ready, Failed };
    Phase phase = Phase::Empty;
    QStringList paths;
    QString label;
    Progress progress; // while reading
    QElapsedTimer clock; // since the step of progress began
    std::vector<ImportOutcome> outcomes;
    std::vector<StoredInput> inputs; // as the workspace recorded them
    std::optional<Error> error;
    bool partOfWorkspace = false; // one deployment of several in a file
};

class Session : public QObject {
    Q_OBJECT
public:
    Session(ViewState& state, JobRunner& jobs, QObject* parent = nullptr);

    [[nodiscard]] const SideStatus& status(Side side) const { return m_sides[std::size_t(side)]; }
    [[nodiscard]] bool isReading() const;
    [[nodiscard]] bool isComparing() const { return m_comparing; }
    /// The profile is on its way.
    [[nodiscard]] bool isProfiling() const { return m_profiling; }
    [[nodiscard]] const Progress& compareProgress() const { return m_compareProgress; }
    [[nodiscard]] const std::optional<Error>& compareError() const { return m_compareError; }
    /// A single side described by itself, while there is no other one; null otherwise.
    [[nodiscard]] const ViewState::ComparisonPtr& profile() const { return m_profile; }

    /// Files, folders or a workspace for one side; replaces what was there.
    void open(Side side, const QStringList& paths);
    void openPair(const QStringList& before, const QStringList& after);
    /// The two deployments that the user picked from the workspace that deploymentsFound named.
    void openDeployments(const Deployment& before, const Deployment& after);
    /// Stops reading; the side becomes empty.
    void cancel(Side side);
    void close(Side side);
    void swapSides();
    /// Of a pair or of a single side.
    void cancelCompare();
    /// Compares again, after cancelCompare() or an error.
    void compareAgain();

    /// Saving needs what is loaded to be in one workspace, or in files that can be read again.
    [[nodiscard]] bool canSaveWorkspace() const;
    void saveWorkspace(const QString& path);
    /// The comparison as the command line prints it: JSON for *.json, text otherwise. There must be one.
    void exportComparison(const QString& path);

signals:
    void sideChanged(chokepoint::Side side);
    void comparingChanged();
    /// The profile came, went, or is on its way.
    void profileChanged();
    /// A workspace has more than two deployments; openDeployments() answers.
    void deploymentsFound(const QString& path, const std::vector<chokepoint::Deployment>& deployments);
    /// Both sides are loaded and compared.
    void compared();
    /// A workspace or an export was written.
    void saved(const QString& path);
    void saveFailed(const QString& message);

private:
    SideStatus& at(Side side) { return m_sides[std::size_t(side)]; }
    void settle(Side side, OpenedInputs opened);
    void settleDeployments(Side side, OpenedInputs opened);
    void failSide(Side side, Error error);
    void analyse();
    void compareSides();
    void profileSide(Side side);
    void tellSaved(const QString& path, const Result<void>& result);
    void showProgress(const QString& slot, const Progress& progress);

    ViewState& m_state;
    JobRunner& m_jobs;
    std::array<SideStatus, 2> m_sides;
    std::shared_ptr<const Store> m_pendingStore; // of the workspace that deploymentsFound named
    std::vector<StoredInput> m_pendingInputs;
    QString m_pendingPath;
    ViewState::ComparisonPtr m_profile;
    std::optional<Error> m_compareError;
    Progress m_compareProgress;
    bool m_comparing = false;
    bool m_profiling = false;
};

} // namespace chokepoint
