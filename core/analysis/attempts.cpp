// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// All traces at once: every block of traces fills a portion of its own, joined in their order, so that threads change nothing.
#include "core/analysis/attempts.h"

#include "core/analysis/arena.h"
#include "core/analysis/attemptfigures.h"
#include "core/analysis/walks.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace chokepoint {

namespace {

using attempts::Context;
using attempts::Portion;
using attempts::RequestChain;

constexpr std::size_t tracesPerPortion = 256;

/// What one thread needs.
struct Worker {
    attempts::TraceScan scan;
    attempts::GroupFinder groups;
    attempts::WalkFinder walks;
    attempts::FigureWriter figures;
    std::vector<attempts::Draft> drafts;

    Worker(const Context& context, const Billing& billing) : groups(context), walks(context), figures(context, billing) { }
};

class RetryRun {
public:
    RetryRun(const TraceColumns& columns, const StageMap& stages, const AttemptFacts& facts, const Population& population,
        const Billing& billing, const JobControl& job)
        : m_context(columns, stages, facts), m_job(job), m_chains(attempts::findRequestChains(columns, facts, population)),
          m_settings(columns.traceCount()), m_portions((columns.traceCount() + tracesPerPortion - 1) / tracesPerPortion),
          m_workers([this, &billing] { return Worker(m_context, billing); })
    {
        for (std::size_t t = 0; t < m_settings.size(); ++t)
            m_settings[t].e2e = population.traces[t].e2e;
        for (const RequestChain& chain : m_chains)
            for (std::size_t k = 0; k < chain.attempts.size(); ++k) {
                m_settings[chain.attempts[k].trace].chain = &chain;
                m_settings[chain.attempts[k].trace].position = k;
            }
    }

    void analyse(std::size_t portion)
    {
        Worker& worker = m_workers.local();
        const std::size_t begin = portion * tracesPerPortion;
        const std::size_t end = std::min(begin + tracesPerPortion, m_settings.size());
        for (std::size_t t = begin; t < end && !m_job.stopRequested(); ++t) {
            worker.drafts.clear();
            worker.scan.scan(m_context, t);
            const bool continued = m_settings[t].chain != nullptr && m_settings[t].position > 0;
            worker.groups.find(worker.scan, continued, worker.drafts);
            m_settings[t].walksTruncated = !worker.walks.find(worker.scan, worker.drafts);
            worker.figures.write(worker.scan, worker.drafts, m_settings[t], m_portions[portion]);
        }
    }

    [[nodiscard]] std::size_t portions() const { return m_portions.size(); }

    [[nodiscard]] RetryAnalysis join()
    {
        RetryAnalysis result;
        attempts::CauseTable causes;
        std::vector<attempts::OpaqueCall> opaque;
        for (Portion& portion : m_portions) {
            const auto firstGroup = std::uint32_t(result.groups.size());
            const auto firstAttempt = std::uint32_t(result.attempts.size());
            for (TraceRetries& trace : portion.traces) {
                trace.firstGroup += firstGroup;
                addTrace(trace, result.summary);
                result.traces.push_back(trace);
            }
            for (AttemptGroup& group : portion.groups) {
                group.firstAttempt += firstAttempt;
                result.groups.push_back(group);
            }
            result.attempts.insert(result.attempts.end(), portion.attempts.begin(), portion.attempts.end());
            opaque.insert(opaque.end(), portion.opaqueCalls.begin(), portion.opaqueCalls.end());
            result.summary.unknownTokenAttempts += portion.unknownTokenAttempts;
            result.summary.unknownTimeAttempts += portion.unknownTimeAttempts;
            result.summary.generateSpans += portion.generateSpans;
            addCauses(portion.causes, causes);
        }
        result.summary.opaqueGenerateSpans = opaque.size();
        result.hints = attempts::hiddenRetryHints(opaque);
        listCauses(causes, result.summary.byCause);
        return result;
    }

private:
    static void addTrace(const TraceRetries& trace, RetrySummary& summary)
    {
        summary.requests += trace.repeatsRequest ? 0 : 1;
        summary.retriedRequests += trace.retried() && !trace.repeatsRequest ? 1 : 0;
        summary.extraAttempts += trace.retries;
        summary.wasted += trace.wasted;
        summary.wastedTokens += trace.wastedTokens;
        if (trace.wastedCost)
            summary.wastedCost = summary.wastedCost.value_or(Money()) + *trace.wastedCost;
        summary.cascades += trace.cascade ? 1 : 0;
    }

    static void addCauses(const attempts::CauseTable& part, attempts::CauseTable& sum)
    {
        for (std::size_t c = 0; c < sum.size(); ++c) {
            sum[c].count += part[c].count;
            sum[c].wasted += part[c].wasted;
            sum[c].wastedTokens += part[c].wastedTokens;
            if (part[c].wastedCost)
                sum[c].wastedCost = sum[c].wastedCost.value_or(Money()) + *part[c].wastedCost;
            for (std::size_t e = 0; e < sum[c].byEvidence.size(); ++e)
                sum[c].byEvidence[e] += part[c].byEvidence[e];
        }
    }

    static void listCauses(attempts::CauseTable& causes, std::vector<CauseFigures>& list)
    {
        for (std::size_t c = 0; c < causes.size(); ++c) {
            causes[c].cause = RetryCause(c);
            if (causes[c].count > 0)
                list.push_back(causes[c]);
        }
        std::stable_sort(list.begin(), list.end(), [](const CauseFigures& a, const CauseFigures& b) { return a.count > b.count; });
    }

    Context m_context;
    const JobControl& m_job;
    std::vector<RequestChain> m_chains;
    std::vector<attempts::TraceSetting> m_settings; // by trace
    std::vector<Portion> m_portions;
    tbb::enumerable_thread_specific<Worker> m_workers;
};

} // namespace

const char* attemptKindName(AttemptKind kind)
{
    constexpr std::array<const char*, std::size_t(AttemptKind::Count_)> names{
        "retry", "re-ask", "walk", "client-retry", "fallback", "hedge", "redirect", "auth", "transparent"};
    return names[std::size_t(kind)];
}

const char* retryEvidenceName(RetryEvidence evidence)
{
    constexpr std::array names{"recorded", "inferred", "hidden"};
    return names[std::size_t(evidence)];
}

RetryEvidence CauseFigures::evidence() const
{
    return RetryEvidence(std::max_element(byEvidence.begin(), byEvidence.end()) - byEvidence.begin());
}

Result<RetryAnalysis> analyseRetries(const TraceColumns& columns, const StageMap& stages, const AttemptFacts& facts,
    const Population& population, const Billing& billing, unsigned threads, const JobControl& job)
{
    RetryRun run(columns, stages, facts, population, billing, job);
    arenaFor(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, run.portions(), 1), [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t portion = range.begin(); portion < range.end(); ++portion)
                run.analyse(portion);
        });
    });
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "The analysis was cancelled");
    return run.join();
}

} // namespace chokepoint
