// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The dictionary (texts, resources, scopes) in its tables: loading it, and writing what is new.
//
// packed resource := map value of attributes, dropped attributes (varint), schema URL value, entity references value
// packed scope    := name value, version value, map value of attributes, dropped attributes (varint), schema URL value
// with values as in core/model/packed.h.
#pragma once

#include "core/model/dictionary.h"
#include "core/store/block.h"
#include "core/store/sqlite.h"

namespace chokepoint {

/// What blocks may refer to now.
[[nodiscard]] DictionarySizes sizesOf(const Dictionary& dictionary);

/// Adds the entries that the tables have beyond those of \a dictionary. Fails with WorkspaceDamaged.
[[nodiscard]] Result<void> loadDictionary(const sqlite::Connection& connection, Dictionary& dictionary);

/// Writes the entries beyond \a saved and moves \a saved forward. Packing resources may intern texts.
[[nodiscard]] Result<void> saveDictionary(const sqlite::Connection& connection, Dictionary& dictionary, DictionarySizes& saved);

} // namespace chokepoint
