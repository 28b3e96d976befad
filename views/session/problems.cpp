// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of files come from the import, problems of trees from the loaded columns.
#include "views/session/problems.h"

#include "views/format/text.h"

#include <algorithm>

namespace chokepoint {

namespace {

// Characters; names of spans stand in the texts, and may be of any length.
constexpr qsizetype mostShown = 600;
constexpr qsizetype mostInToolTip = 4000;

QString shortened(const QString& text, qsizetype most)
{
    return text.size() <= most ? text : text.left(most - 1) + QChar(0x2026);
}

void append(std::vector<Problem>& problems, Side side, const QString& place, const Diagnostics& diagnostics)
{
    for (const DiagnosticEntry& entry : diagnostics.entries())
        problems.push_back({side, place, QString::fromLatin1(diagnosticName(entry.code)), entry.count, toText(entry.first)});
}

void appendError(std::vector<Problem>& problems, Side side, const QString& place, const Error& error)
{
    problems.push_back({side, place, QString::fromLatin1(errorCodeName(error.code)), 1, toText(error.message())});
}

} // namespace

std::vector<Problem> collectProblems(const Session& session, const ViewState& state)
{
    std::vector<Problem> problems;
    for (const Side side : {Side::Before, Side::After}) {
        const SideStatus& status = session.status(side);
        for (const ImportOutcome& outcome : status.outcomes) {
            const QString path = toText(outcome.report.path);
            if (outcome.error)
                appendError(problems, side, path, *outcome.error);
            Diagnostics all = outcome.report.diagnostics;
            all.merge(outcome.written.diagnostics);
            append(problems, side, path, all);
        }
        if (status.outcomes.empty()) {
            for (const StoredInput& input : status.inputs)
                append(problems, side, toText(input.path), input.diagnostics);
            if (status.error)
                appendError(problems, side, status.paths.size() == 1 ? status.paths.front() : status.label, *status.error);
        }
        if (const ViewState::DatasetPtr& dataset = state.dataset(side))
            append(problems, side, ProblemsModel::tr("span trees"), dataset->faults());
    }
    return problems;
}

std::vector<Problem> collectDoubts(const ViewState& state)
{
    std::vector<Problem> doubts;
    for (const Side side : {Side::Before, Side::After})
        if (const ViewState::DatasetPtr& dataset = state.dataset(side))
            append(doubts, side, ProblemsModel::tr("analysis"), dataset->allDoubts());
    return doubts;
}

void ProblemsModel::setProblems(std::vector<Problem> problems)
{
    beginResetModel();
    m_problems = std::move(problems);
    endResetModel();
}

std::uint64_t ProblemsModel::total() const
{
    std::uint64_t sum = 0;
    for (const Problem& problem : m_problems)
        sum += problem.count;
    return sum;
}

QString ProblemsModel::toTsv() const
{
    QString tsv = QStringLiteral("side\tcode\tcount\twhere\tfirst\n");
    for (const Problem& problem : m_problems)
        tsv += QStringList{problem.side == Side::Before ? QStringLiteral("before") : QStringLiteral("after"), problem.code,
                   QString::number(problem.count), tsvText(problem.place), tsvText(problem.first)}
                   .join(QLatin1Char('\t'))
            + QLatin1Char('\n');
    return tsv;
}

int ProblemsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_problems.size());
}
int ProblemsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Problem& problem = m_problems[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole)
        return index.column() == CountColumn ? int(Qt::AlignRight | Qt::AlignVCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == FirstColumn)
        return plainToolTip(shortened(problem.first, mostInToolTip));
    if (role == Qt::ToolTipRole && index.column() == PlaceColumn)
        return plainToolTip(problem.place);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case SideColumn: return problem.side == Side::Before ? tr("Before") : tr("After");
    case CodeColumn: return problem.code;
    case CountColumn: return countText(problem.count) + gapAfterNumber;
    case PlaceColumn: return problem.place.mid(problem.place.lastIndexOf(QLatin1Char('/')) + 1);
    case FirstColumn: return shortened(problem.first, mostShown);
    default: return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return int((section == CountColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case SideColumn: return tr("Side");
    case CodeColumn: return tr("Problem");
    case CountColumn: return tr("Count") + gapAfterNumber;
    case PlaceColumn: return tr("Where");
    case FirstColumn: return tr("First occurrence");
    default: return {};
    }
}

} // namespace chokepoint
