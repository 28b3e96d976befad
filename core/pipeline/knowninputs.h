// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a workspace has seen: told by their content, whatever they are called now.
#pragma once

#include "core/import/filepart.h"
#include "core/store/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// What is to be done with a file.
struct ReadingPlan {
    FilePart part; // of the file; all of it for a new one
    std::int64_t continues = 0; // StoredInput::id of what the file was when it was shorter
    std::optional<StoredInput> same; // the file is that one: nothing is to be read
};

class KnownInputs {
public:
    /// Those of \a store under \a label. A temporary store knows none, and nothing is hashed for it.
    [[nodiscard]] static Result<KnownInputs> of(const Store& store, const std::string& label);

    /// \a head is the end of a record that began in the segment before, \a tail that of the file's own last one in the next. A
    /// file that cannot be read is new: reading it says why.
    [[nodiscard]] ReadingPlan planFor(const std::string& path, const std::string& head, const std::string& tail) const;

private:
    std::vector<StoredInput> m_inputs;
    bool m_keeps = false;
};

} // namespace chokepoint
