// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is written aside and takes its name when it is complete.
#pragma once

#include "core/base/result.h"

#include <string>

namespace chokepoint {

/// Empty and hidden beside its target, and gone with this object unless it was renamed. Holds a lock that dies with the
/// process, by which the next one knows what a crash has left behind. Closing the lock drops the locks of SQLite on the same file,
/// as POSIX wants it: connections end before.
class PartFile {
public:
    PartFile() = default;
    /// Removes parts of \a target that no process holds. Fails with CannotWrite.
    [[nodiscard]] static Result<PartFile> create(const std::string& target);
    PartFile(PartFile&& other) noexcept;
    PartFile& operator=(PartFile&& other) noexcept;
    ~PartFile() { discard(); }

    [[nodiscard]] const std::string& path() const { return m_path; }
    /// Gives the file its name, over one that is there, and ends the hold on it. Fails with CannotWrite.
    [[nodiscard]] Result<void> publish();
    void discard();

private:
    void close();

    std::string m_target;
    std::string m_path; // empty when there is none
    int m_lock = -1;
};

} // namespace chokepoint
