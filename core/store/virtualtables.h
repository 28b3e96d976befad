// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that people query: span, attribute, event, link, resource, as virtual tables over the blocks of a workspace.
//
// All of them are there under their names as soon as they are registered; nothing has to be created. Times are Unix ns (of the
// trace's own zero for formats with a relative clock), ids lower-case hex text or the source's own text; unknown is NULL.
//   span(span_key, trace_key, trace_id, span_id, parent_span_id, name, service, kind, status, status_message, start_ns, end_ns,
//        duration_ns, first_token_ns, deployment, resource_id, scope_name, scope_version, trace_state)
//   attribute(span_key, trace_key, trace_id, span_id, key, type, value, position)
//   event(span_key, trace_key, trace_id, span_id, position, time_ns, name, attributes, dropped_attributes)
//   link(span_key, trace_key, trace_id, span_id, position, linked_trace_id, linked_span_id, trace_state, attributes, dropped_attributes)
//   resource(resource_id, service, key, type, value, position)
// type is one of empty, bool, int, double, string, bytes, array, map, number (an integer beyond 64 bits, as text); arrays and
// maps are JSON text. span_key and trace_key join the tables quickly; so do trace_id and, for attribute, key = '...'.
#pragma once

#include "core/base/result.h"

struct sqlite3;

namespace chokepoint {

/// Makes the tables known to \a db; the registration lives as long as the connection.
[[nodiscard]] Result<void> registerVirtualTables(sqlite3* db);

} // namespace chokepoint
