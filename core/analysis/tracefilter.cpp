// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/tracefilter.h"

#include "core/analysis/tracefilterparser.h"
#include "core/base/utf8.h"

namespace chokepoint {

namespace {

using Compare = TraceFilter::Compare;
using Field = TraceFilter::Field;
using Operation = TraceFilter::Operation;

template <typename Value> bool holds(Compare compare, const Value& value, const Value& limit)
{
    switch (compare) {
    case Compare::Equal: return value == limit;
    case Compare::NotEqual: return value != limit;
    case Compare::Less: return value < limit;
    case Compare::LessEqual: return value <= limit;
    case Compare::Greater: return value > limit;
    case Compare::GreaterEqual: return value >= limit;
    case Compare::Contains: return false;
    }
    return false;
}

bool textHolds(Compare compare, std::string_view text, const std::string& wanted)
{
    if (compare == Compare::Contains)
        return foldedCase(text).find(wanted) != std::string::npos;
    return holds<std::string_view>(compare, text, wanted);
}

/// A filter with its stage names resolved for one population.
class Evaluation {
public:
    Evaluation(const std::vector<TraceFilter::Step>& program, const TraceColumns& columns, const Population& population)
        : m_program(program), m_columns(columns), m_population(population)
    {
        for (const TraceFilter::Step& step : program)
            m_stages.push_back(step.field == Field::StageTime || step.field == Field::StageShare ? population.table->find(step.text)
                                                                                                 : StageTable::noStage);
    }

    [[nodiscard]] bool passes(std::size_t trace)
    {
        m_values.clear();
        for (std::size_t k = 0; k < m_program.size(); ++k) {
            if (m_program[k].operation == Operation::Test) {
                m_values.push_back(test(k, trace));
            } else if (m_program[k].operation == Operation::Not) {
                m_values.back() = !m_values.back();
            } else {
                const bool right = m_values.back();
                m_values.pop_back();
                m_values.back() = m_program[k].operation == Operation::And ? m_values.back() && right : m_values.back() || right;
            }
        }
        return m_values.empty() || m_values.back();
    }

private:
    [[nodiscard]] bool test(std::size_t k, std::size_t trace) const
    {
        const TraceFilter::Step& step = m_program[k];
        const TraceFigures& figures = m_population.traces[trace];
        switch (step.field) {
        case Field::E2e: return isKnown(figures.e2e) && holds(step.compare, toNs(figures.e2e), step.number);
        case Field::StageTime: return isKnown(figures.e2e) && holds(step.compare, toNs(stageTime(k, trace)), step.number);
        case Field::StageShare:
            return isKnown(figures.e2e) && figures.e2e > Duration{0}
            && holds(step.compare, double(toNs(stageTime(k, trace))) / double(toNs(figures.e2e)), step.share);
        case Field::Spans:
            return holds(step.compare, std::int64_t(m_columns.firstSpan[trace + 1] - m_columns.firstSpan[trace]), step.number);
        case Field::Errors: return holds(step.compare, std::int64_t(figures.errors), step.number);
        case Field::Root: return textHolds(step.compare, rootName(trace), step.text);
        case Field::Service: return textHolds(step.compare, rootService(trace), step.text);
        case Field::TraceIdText: return textHolds(step.compare, m_columns.traceIdName(trace), step.text);
        case Field::Complete: return figures.complete;
        case Field::AnyText:
            return textHolds(Compare::Contains, rootName(trace), step.text) || textHolds(Compare::Contains, rootService(trace), step.text)
                || textHolds(Compare::Contains, m_columns.traceIdName(trace), step.text);
        }
        return false;
    }

    [[nodiscard]] Duration stageTime(std::size_t k, std::size_t trace) const
    {
        return m_stages[k] == StageTable::noStage ? Duration{0} : m_population.onPathOf(trace, m_stages[k]);
    }

    [[nodiscard]] std::string_view rootName(std::size_t trace) const
    {
        const std::int32_t root = m_population.traces[trace].root;
        return root < 0 ? std::string_view{}
                        : m_columns.dictionary->text(m_columns.spans.name[m_columns.firstSpan[trace] + std::size_t(root)]);
    }

    [[nodiscard]] std::string_view rootService(std::size_t trace) const
    {
        const std::int32_t root = m_population.traces[trace].root;
        if (root < 0)
            return {};
        return m_columns.dictionary->text(
            m_columns.dictionary->service(m_columns.spans.resource[m_columns.firstSpan[trace] + std::size_t(root)]));
    }

    const std::vector<TraceFilter::Step>& m_program;
    const TraceColumns& m_columns;
    const Population& m_population;
    std::vector<StageId> m_stages;
    std::vector<bool> m_values;
};

} // namespace

Result<TraceFilter> TraceFilter::parse(std::string_view text)
{
    Result<ParsedFilter> parsed = parseFilter(text);
    if (!parsed)
        return fail(std::move(parsed).error());
    TraceFilter filter;
    filter.m_program = std::move(parsed->program);
    filter.m_clauses = std::move(parsed->clauses);
    return filter;
}

std::vector<std::uint32_t> TraceFilter::apply(const TraceColumns& columns, const Population& population) const
{
    Evaluation evaluation(m_program, columns, population);
    std::vector<std::uint32_t> passing;
    for (std::uint32_t trace = 0; trace < columns.traceCount(); ++trace)
        if (evaluation.passes(trace))
            passing.push_back(trace);
    return passing;
}

} // namespace chokepoint
