// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptcause.h"

#include <re2/re2.h>

#include <array>
#include <charconv>

namespace chokepoint {

namespace {

struct GrpcCode {
    std::int64_t code;
    std::string_view name;
    RetryCause cause;
};

constexpr std::array grpcCodes = {
    GrpcCode{1, "CANCELLED", RetryCause::Cancelled},
    GrpcCode{2, "UNKNOWN", RetryCause::Error},
    GrpcCode{3, "INVALID_ARGUMENT", RetryCause::Client},
    GrpcCode{4, "DEADLINE_EXCEEDED", RetryCause::Timeout},
    GrpcCode{5, "NOT_FOUND", RetryCause::Client},
    GrpcCode{6, "ALREADY_EXISTS", RetryCause::Client},
    GrpcCode{7, "PERMISSION_DENIED", RetryCause::Client},
    GrpcCode{8, "RESOURCE_EXHAUSTED", RetryCause::RateLimit},
    GrpcCode{9, "FAILED_PRECONDITION", RetryCause::Client},
    GrpcCode{10, "ABORTED", RetryCause::Conflict},
    GrpcCode{11, "OUT_OF_RANGE", RetryCause::Client},
    GrpcCode{12, "UNIMPLEMENTED", RetryCause::Client},
    GrpcCode{13, "INTERNAL", RetryCause::ServerError},
    GrpcCode{14, "UNAVAILABLE", RetryCause::Connection},
    GrpcCode{15, "DATA_LOSS", RetryCause::ServerError},
    GrpcCode{16, "UNAUTHENTICATED", RetryCause::Auth},
};

struct CausePattern {
    RetryCause cause;
    const char* pattern;
};

/// In this order: what repeating cannot cure first, then the more special ones.
constexpr std::array typePatterns = {
    CausePattern{RetryCause::Client,
        "content.?(policy|filter)|context.?length|quota|billing|notfound|badrequest|permission|forbidden|unprocessable|invalid.?request|"
        "enoent|eexist|eacces|eperm|alreadyexists|"
        "nosuchkey"},
    CausePattern{RetryCause::Auth, "unauthori[sz]ed|unauthenticated|authentication"},
    CausePattern{RetryCause::Validation,
        "validation|outputparser|jsondecode|schema|malformed|incompleteoutput|unexpectedmodelbehavior|modelretry|guardrail|assertion|"
        "toolretry|instructorretry"},
    CausePattern{RetryCause::RateLimit, "rate.?limit|throttl|too.?many.?requests|resource.?exhausted"},
    CausePattern{RetryCause::Timeout, "time.?out|timed.?out|deadline"},
    CausePattern{RetryCause::Cancelled, "cancel|abort"},
    CausePattern{RetryCause::ServerError, "overloaded|internal.?server|bad.?gateway|service.?unavailable"},
    CausePattern{RetryCause::Connection, "connect|unavailable|remoteprotocol|econnreset|econnrefused|epipe|socket|network|dns"},
};
constexpr std::array messagePatterns = {
    CausePattern{
        RetryCause::Client, "insufficient.?quota|context.?length|content.?policy|billing|no such file|already exists|permission denied"},
    CausePattern{RetryCause::Validation,
        "validation (error|failed)|failed validation|could not parse|invalid json|not grounded|schema (validation|mismatch)"},
    CausePattern{RetryCause::RateLimit, "rate.?limit|too many requests|throttl"},
    CausePattern{RetryCause::Timeout, "time.?out|timed.?out|deadline exceeded"},
    CausePattern{RetryCause::ServerError, "overloaded|internal server error|the server had an error|bad gateway|service unavailable"},
    CausePattern{RetryCause::Connection, "connection (reset|refused|error|closed)|econnreset|econnrefused|socket hang up"},
};

/// "429", "429 Rate limit reached": the number that the text begins with.
std::int64_t leadingNumber(std::string_view text)
{
    std::int64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc() && (end == last || *end == ' ' || *end == ':') ? number : 0;
}

} // namespace

RetryCause causeOfHttpStatus(std::int64_t status)
{
    switch (status) {
    case 401: return RetryCause::Auth;
    case 408: return RetryCause::Timeout;
    case 409:
    case 425: return RetryCause::Conflict;
    case 429: return RetryCause::RateLimit;
    case 499: return RetryCause::Cancelled;
    default: break;
    }
    if (status == 304 || status < 300 || status > 599)
        return RetryCause::None;
    return status < 400 ? RetryCause::Redirect : status < 500 ? RetryCause::Client : RetryCause::ServerError;
}

RetryCause causeOfGrpcStatus(std::int64_t code)
{
    for (const GrpcCode& entry : grpcCodes)
        if (entry.code == code)
            return entry.cause;
    return RetryCause::None;
}

RetryCause causeOfGrpcStatus(std::string_view name)
{
    for (const GrpcCode& entry : grpcCodes)
        if (entry.name == name)
            return entry.cause;
    return RetryCause::None;
}

struct CauseTexts::Patterns {
    struct Entry {
        RetryCause cause;
        std::unique_ptr<re2::RE2> pattern;
    };
    std::vector<Entry> types;
    std::vector<Entry> messages;

    template <typename Table> static std::vector<Entry> compiled(const Table& table)
    {
        re2::RE2::Options options;
        options.set_case_sensitive(false);
        std::vector<Entry> entries;
        for (const CausePattern& row : table)
            entries.push_back({row.cause, std::make_unique<re2::RE2>(row.pattern, options)});
        return entries;
    }

    static RetryCause first(const std::vector<Entry>& entries, std::string_view text)
    {
        const re2::StringPiece piece(text.data(), text.size());
        for (const Entry& entry : entries)
            if (re2::RE2::PartialMatch(piece, *entry.pattern))
                return entry.cause;
        return RetryCause::None;
    }
};

CauseTexts::CauseTexts() : m_patterns(std::make_unique<Patterns>())
{
    m_patterns->types = Patterns::compiled(typePatterns);
    m_patterns->messages = Patterns::compiled(messagePatterns);
}

CauseTexts::~CauseTexts() = default;

RetryCause CauseTexts::ofType(std::string_view type) const
{
    if (const RetryCause cause = causeOfHttpStatus(leadingNumber(type)); cause != RetryCause::None)
        return cause;
    if (const RetryCause cause = causeOfGrpcStatus(type); cause != RetryCause::None)
        return cause;
    return type.empty() ? RetryCause::None : Patterns::first(m_patterns->types, type);
}

RetryCause CauseTexts::ofMessage(std::string_view message) const
{
    constexpr std::size_t longest = 512; // stack traces follow
    message = message.substr(0, longest);
    if (const RetryCause cause = causeOfHttpStatus(leadingNumber(message)); cause != RetryCause::None)
        return cause;
    return message.empty() ? RetryCause::None : Patterns::first(m_patterns->messages, message);
}

} // namespace chokepoint
