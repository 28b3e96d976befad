// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/spancolumns.h"

namespace chokepoint {

const char* spanKindName(SpanKind kind)
{
    constexpr const char* names[] = {"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"};
    return std::size_t(kind) < std::size(names) ? names[std::size_t(kind)] : names[0];
}

const char* spanStatusName(SpanStatus status)
{
    constexpr const char* names[] = {"UNSET", "OK", "ERROR"};
    return std::size_t(status) < std::size(names) ? names[std::size_t(status)] : names[0];
}

void SpanColumns::reserve(std::size_t n)
{
    spanId.reserve(n);
    parentId.reserve(n);
    start.reserve(n);
    end.reserve(n);
    name.reserve(n);
    resource.reserve(n);
    scope.reserve(n);
    flags.reserve(n);
    firstToken.reserve(n);
}

void SpanColumns::clear()
{
    spanId.clear();
    parentId.clear();
    start.clear();
    end.clear();
    name.clear();
    resource.clear();
    scope.clear();
    flags.clear();
    firstToken.clear();
}

void SpanColumns::resize(std::size_t n)
{
    spanId.resize(n);
    parentId.resize(n);
    start.resize(n, unknownTime);
    end.resize(n, unknownTime);
    name.resize(n);
    resource.resize(n);
    scope.resize(n);
    flags.resize(n);
    firstToken.resize(n, unknownTime);
}

void SpanColumns::push_back(const SpanRow& row)
{
    spanId.push_back(row.spanId);
    parentId.push_back(row.parentId);
    start.push_back(row.start);
    end.push_back(row.end);
    name.push_back(row.name);
    resource.push_back(row.resource);
    scope.push_back(row.scope);
    flags.push_back(row.flags);
    firstToken.push_back(row.firstToken);
}

SpanRow SpanColumns::row(std::size_t i) const
{
    return {spanId[i], parentId[i], start[i], end[i], name[i], resource[i], scope[i], flags[i], firstToken[i]};
}

void SpanColumns::setRow(std::size_t i, const SpanRow& row)
{
    spanId[i] = row.spanId;
    parentId[i] = row.parentId;
    start[i] = row.start;
    end[i] = row.end;
    name[i] = row.name;
    resource[i] = row.resource;
    scope[i] = row.scope;
    flags[i] = row.flags;
    firstToken[i] = row.firstToken;
}

} // namespace chokepoint
