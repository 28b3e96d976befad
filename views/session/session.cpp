// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Session: one slot a side for reading, one for comparing, one for saving.
#include "views/session/session.h"

#include "views/format/text.h"
#include "views/session/profile.h"

#include <algorithm>

namespace chokepoint {

namespace {

const QString compareSlot = QStringLiteral("compare");
const QString saveSlot = QStringLiteral("save");
const QString pairSlot = QStringLiteral("pair");

QString readSlot(Side side)
{
    return side == Side::Before ? QStringLiteral("read-before") : QStringLiteral("read-after");
}
Side otherSide(Side side)
{
    return side == Side::Before ? Side::After : Side::Before;
}

std::vector<std::string> toPaths(const QStringList& paths)
{
    std::vector<std::string> result;
    result.reserve(std::size_t(paths.size()));
    for (const QString& path : paths)
        result.push_back(path.toStdString());
    return result;
}

} // namespace

Session::Session(ViewState& state, JobRunner& jobs, QObject* parent) : QObject(parent), m_state(state), m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::progressed, this, &Session::showProgress);
}

bool Session::isReading() const
{
    return std::ranges::any_of(m_sides, [](const SideStatus& side) { return side.phase == SideStatus::Phase::Reading; });
}

void Session::open(Side side, const QStringList& paths)
{
    if (paths.isEmpty())
        return;
    const std::vector<std::string> files = toPaths(paths);
    std::string label = labelForPaths(files);
    if (const SideStatus& other = status(otherSide(side)); other.phase != SideStatus::Phase::Empty && other.label == toText(label))
        label = longLabelForPaths(files);

    SideStatus& status = at(side);
    status = SideStatus{};
    status.phase = SideStatus::Phase::Reading;
    status.paths = paths;
    status.label = toText(label);
    status.clock.start();
    m_state.setDataset(side, nullptr);
    emit sideChanged(side);
    analyse();
    m_jobs.run(
        readSlot(side), this, [files, label](const JobControl& job) { return openInputs(files, label, job); },
        [this, side](OpenedInputs opened) { settle(side, std::move(opened)); });
}

void Session::openPair(const QStringList& before, const QStringList& after)
{
    open(Side::Before, before);
    open(Side::After, after);
}

void Session::settle(Side side, OpenedInputs opened)
{
    SideStatus& status = at(side);
    status.outcomes = std::move(opened.outcomes);
    status.inputs = std::move(opened.inputs);
    if (opened.error) {
        failSide(side, std::move(*opened.error));
        return;
    }
    if (!opened.dataset) {
        opened.inputs = std::move(status.inputs);
        settleDeployments(side, std::move(opened));
        return;
    }
    status.phase = SideStatus::Phase::Ready;
    m_state.setDataset(side, std::move(opened.dataset));
    emit sideChanged(side);
    analyse();
}

void Session::settleDeployments(Side side, OpenedInputs opened)
{
    m_pendingStore = std::move(opened.store);
    m_pendingInputs = std::move(opened.inputs);
    m_pendingPath = status(side).paths.front();
    at(side) = SideStatus{};
    emit sideChanged(side);
    if (opened.deployments.size() == 2)
        openDeployments(opened.deployments[0], opened.deployments[1]);
    else
        emit deploymentsFound(m_pendingPath, opened.deployments);
}

void Session::openDeployments(const Deployment& before, const Deployment& after)
{
    if (!m_pendingStore)
        return;
    for (const auto& [side, deployment] : {std::pair{Side::Before, &before}, std::pair{Side::After, &after}}) {
        m_jobs.cancel(readSlot(side));
        SideStatus& status = at(side);
        status = SideStatus{};
        status.phase = SideStatus::Phase::Reading;
        status.partOfWorkspace = true;
        status.paths = {m_pendingPath};
        status.label = toText(deployment->label);
        std::ranges::copy_if(m_pendingInputs, std::back_inserter(status.inputs),
            [id = deployment->id](const StoredInput& input) { return input.deployment == id; });
        status.clock.start();
        m_state.setDataset(side, nullptr);
        emit sideChanged(side);
    }
    m_jobs.run(
        pairSlot, this,
        [store = std::exchange(m_pendingStore, nullptr), before, after](
            const JobControl& job) { return loadPair(store, before, after, job); },
        [this](LoadedPair pair) {
            if (pair.error) {
                failSide(Side::Before, *pair.error);
                failSide(Side::After, *pair.error);
                return;
            }
            for (const auto& [side, dataset] : {std::pair{Side::Before, &pair.before}, std::pair{Side::After, &pair.after}}) {
                at(side).phase = SideStatus::Phase::Ready;
                m_state.setDataset(side, *dataset);
                emit sideChanged(side);
            }
            analyse();
        });
}

void Session::failSide(Side side, Error error)
{
    SideStatus& status = at(side);
    status.phase = SideStatus::Phase::Failed;
    status.error = std::move(error);
    emit sideChanged(side);
    analyse();
}

void Session::cancel(Side side)
{
    if (status(side).phase != SideStatus::Phase::Reading)
        return;
    m_jobs.cancel(readSlot(side));
    if (m_jobs.isRunning(pairSlot)) {
        m_jobs.cancel(pairSlot);
        close(otherSide(side));
    }
    close(side);
}

void Session::close(Side side)
{
    m_jobs.cancel(readSlot(side));
    at(side) = SideStatus{};
    m_state.setDataset(side, nullptr);
    emit sideChanged(side);
    analyse();
}

void Session::swapSides()
{
    if (isReading())
        return;
    std::swap(m_sides[0], m_sides[1]);
    m_state.swapSides();
    emit sideChanged(Side::Before);
    emit sideChanged(Side::After);
    analyse();
}

void Session::analyse()
{
    m_jobs.cancel(compareSlot);
    m_compareError.reset();
    if (std::exchange(m_comparing, false))
        emit comparingChanged();
    const bool wasProfiling = std::exchange(m_profiling, false);
    if (std::exchange(m_profile, nullptr) || wasProfiling)
        emit profileChanged();
    if (m_state.hasPair())
        compareSides();
    else if (const Side side = m_state.dataset(Side::Before) ? Side::Before : Side::After; m_state.dataset(side) && !isReading())
        profileSide(side); // while the other side is being read, a comparison is on its way
}

void Session::compareSides()
{
    m_comparing = true;
    m_compareProgress = Progress{};
    emit comparingChanged();
    m_jobs.run(
        compareSlot, this,
        [before = m_state.dataset(Side::Before), after = m_state.dataset(Side::After)](
            const JobControl& job) { return compareDatasets(*before, *after, CompareOptions{}, job); },
        [this](Result<Comparison> result) {
            m_comparing = false;
            if (result)
                m_state.setComparison(std::make_shared<const Comparison>(std::move(*result)));
            else
                m_compareError = std::move(result).error();
            emit comparingChanged();
            if (m_state.comparison())
                emit compared();
        });
}

void Session::profileSide(Side side)
{
    m_profiling = true;
    emit profileChanged();
    m_jobs.run(
        compareSlot, this, [dataset = m_state.dataset(side)](const JobControl&) { return profileOf(*dataset); },
        [this](Comparison profile) {
            m_profiling = false;
            m_profile = std::make_shared<const Comparison>(std::move(profile));
            emit profileChanged();
        });
}

void Session::cancelCompare()
{
    if (!m_comparing && !m_profiling)
        return;
    m_jobs.cancel(compareSlot);
    m_comparing = false;
    m_profiling = false;
    m_compareError = Error{ErrorCode::Cancelled, m_state.hasPair() ? "the comparison was cancelled" : "the analysis was cancelled", {}};
    emit comparingChanged();
}

void Session::compareAgain()
{
    analyse();
}

bool Session::canSaveWorkspace() const
{
    const ViewState::DatasetPtr& before = m_state.dataset(Side::Before);
    const ViewState::DatasetPtr& after = m_state.dataset(Side::After);
    if (!before && !after)
        return false;
    if (!before || !after || before->store == after->store)
        return true;
    return !status(Side::Before).partOfWorkspace && !status(Side::After).partOfWorkspace;
}

void Session::saveWorkspace(const QString& path)
{
    const ViewState::DatasetPtr& before = m_state.dataset(Side::Before);
    const ViewState::DatasetPtr& after = m_state.dataset(Side::After);
    const auto done = [this, path](const Result<void>& result) { tellSaved(path, result); };
    if (before && after && before->store != after->store) {
        std::vector<WorkspaceSide> sides;
        for (const Side side : {Side::Before, Side::After})
            sides.push_back({status(side).label.toStdString(), toPaths(status(side).paths)});
        const std::string verdict = m_state.comparison() ? m_state.comparison()->sentence : std::string{};
        m_jobs.run(
            saveSlot, this,
            [target = path.toStdString(), sides, verdict](const JobControl& job) { return writeWorkspace(target, sides, verdict, job); },
            done);
        return;
    }
    m_jobs.run(
        saveSlot, this,
        [target = path.toStdString(), store = (before ? before : after)->store](const JobControl&) { return store->copyTo(target); }, done);
}

void Session::exportComparison(const QString& path)
{
    m_jobs.run(
        saveSlot, this,
        [path, comparison = m_state.comparison(), before = m_state.dataset(Side::Before), after = m_state.dataset(Side::After)](
            const JobControl&) { return writeComparison(path.toStdString(), *comparison, *before, *after); },
        [this, path](const Result<void>& result) { tellSaved(path, result); });
}

void Session::tellSaved(const QString& path, const Result<void>& result)
{
    if (result)
        emit saved(path);
    else
        emit saveFailed(toText(result.error().message()));
}

void Session::showProgress(const QString& slot, const Progress& progress)
{
    if (slot == compareSlot) {
        m_compareProgress = progress;
        emit comparingChanged();
        return;
    }
    for (const Side side : {Side::Before, Side::After})
        if ((slot == readSlot(side) || slot == pairSlot) && status(side).phase == SideStatus::Phase::Reading) {
            if (progress.step != status(side).progress.step)
                at(side).clock.start(); // each step counts its spans from zero
            at(side).progress = progress;
            emit sideChanged(side);
        }
}

} // namespace chokepoint
