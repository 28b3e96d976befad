// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes to the text that JSON readers want: UTF-8 without a byte-order mark, and without the wrapping of container logs.
#pragma once

#include "core/import/bytelayer.h"
#include "core/import/bytesource.h"

#include <string>
#include <string_view>

namespace chokepoint {

/// The text of \a bytes, which must outlive it: a byte-order mark is dropped, UTF-16 becomes UTF-8, and lines that Docker
/// (json-file) or a Kubernetes runtime (CRI) wrapped are unwrapped and joined. Fails as \a bytes do.
[[nodiscard]] PullBytes textInput(ByteSource& bytes);

/// Whether textInput() hands \a bytes on as they are, before anything is read: their places are those of the file.
[[nodiscard]] bool isPlainText(ByteSource& bytes);

/// The same for the first bytes of a file, for detection.
[[nodiscard]] std::string textOfHead(std::string_view head);

} // namespace chokepoint
