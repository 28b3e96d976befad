// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The filter expression of the trace list and of `chokepoint traces --filter`.
//
//   duration > 3s and stage.retrieve > 40% and not (errors = 0 or root ~ "health")
//
// Fields: duration, stage.NAME (times: ns us ms s m h; stage.NAME also as a share: 40%), spans, errors, root, service, trace_id,
// complete. Numbers compare with = != < <= > >=, texts with = != and ~ (contains, any case); `complete` stands alone. A word or
// quoted text without a field looks in root name, service and trace id. Clauses side by side mean `and`; `and` binds before `or`.
#pragma once

#include "core/analysis/population.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

class TraceFilter {
public:
    /// An empty text lets every trace pass. Fails with InvalidQuery; place.byte is the offset of the fault in \a text.
    [[nodiscard]] static Result<TraceFilter> parse(std::string_view text);

    [[nodiscard]] bool isEmpty() const { return m_program.empty(); }
    /// Indices of the traces that pass, ascending. Traces whose end-to-end time is unknown fail every comparison with it.
    [[nodiscard]] std::vector<std::uint32_t> apply(const TraceColumns& columns, const Population& population) const;
    /// The parts joined by `and` at the top level, each a filter of its own, with its text: to tell which removed what.
    [[nodiscard]] std::vector<std::string> clauses() const { return m_clauses; }

    enum class Field : std::uint8_t { E2e, StageTime, StageShare, Spans, Errors, Root, Service, TraceIdText, Complete, AnyText };
    enum class Compare : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains };
    enum class Operation : std::uint8_t { Test, And, Or, Not };

    /// One step in postfix order.
    struct Step {
        Operation operation = Operation::Test;
        Field field = Field::AnyText;
        Compare compare = Compare::Contains;
        std::string text; // stage name, or the text to compare with (folded for ~)
        std::int64_t number = 0; // ns, or a count
        double share = 0;
    };

private:
    std::vector<Step> m_program;
    std::vector<std::string> m_clauses;
};

} // namespace chokepoint
