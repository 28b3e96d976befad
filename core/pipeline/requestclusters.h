// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which requests belong together: of one session, user, replica or minute.
#pragma once

#include "core/pipeline/dataset.h"

#include <string>
#include <vector>

namespace chokepoint {

/// Names by trace index for ComparisonSide::clusters; "" where the trace does not tell. \a cluster: "session" or "user" (under the keys of
/// all common conventions, of any span), "replica" (instance, pod or host of the root span), "minute" (in which it began), or the key of an
/// attribute. Fails with InvalidArgument when no complete trace tells it.
[[nodiscard]] Result<std::vector<std::string>> requestClusters(const Dataset& dataset, const std::string& cluster, const JobControl& job);

/// One sentence for each way in which requests visibly belong together on either side although intervals take each by itself (by session or
/// user, replica and minute, with at least 20 clusters); empty when none does.
[[nodiscard]] std::vector<std::string> clusterHints(const Dataset& before, const Dataset& after);

} // namespace chokepoint
