// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <fmt/format.h>

namespace chokepoint {

std::string Error::message() const
{
    std::string text = place.file;
    if (place.line)
        text += fmt::format("{}line {}", text.empty() ? "" : ", ", *place.line);
    if (place.byte)
        text += fmt::format("{}byte {}", text.empty() ? "" : ", ", *place.byte);
    return text.empty() ? detail : text + ": " + detail;
}

const char* errorCodeName(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Cancelled: return "CANCELLED";
    case ErrorCode::CannotOpen: return "CANNOT_OPEN";
    case ErrorCode::CannotRead: return "CANNOT_READ";
    case ErrorCode::CannotWrite: return "CANNOT_WRITE";
    case ErrorCode::EmptyInput: return "EMPTY_FILE";
    case ErrorCode::UnrecognizedFormat: return "UNRECOGNIZED_FORMAT";
    case ErrorCode::UnsupportedFormat: return "UNSUPPORTED_FORMAT";
    case ErrorCode::Malformed: return "MALFORMED";
    case ErrorCode::LimitExceeded: return "LIMIT_EXCEEDED";
    case ErrorCode::NotAWorkspace: return "NOT_A_WORKSPACE";
    case ErrorCode::WorkspaceTooNew: return "WORKSPACE_TOO_NEW";
    case ErrorCode::WorkspaceDamaged: return "WORKSPACE_DAMAGED";
    case ErrorCode::WorkspaceBusy: return "WORKSPACE_BUSY";
    case ErrorCode::InvalidRules: return "INVALID_RULES";
    case ErrorCode::InvalidQuery: return "INVALID_QUERY";
    case ErrorCode::InvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::NotFound: return "NOT_FOUND";
    case ErrorCode::Internal: return "INTERNAL";
    }
    return "INTERNAL";
}

} // namespace chokepoint
