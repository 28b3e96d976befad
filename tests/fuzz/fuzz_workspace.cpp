// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a workspace: opening and reading a damaged file ends with an error or with traces, never with a crash.
#include "core/store/store.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

using namespace chokepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string path =
        (std::filesystem::temp_directory_path() / ("chokepoint-fuzz-" + std::to_string(getpid()) + ".chokepoint")).string();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0)
        std::abort();
    if (const Result<Store> store = Store::open(path, Store::Mode::ReadOnly)) {
        (void)store->deployments();
        (void)store->inputs();
        if (const Result<TraceColumns> columns = store->loadColumns(std::nullopt, {}))
            for (std::size_t t = 0; t < columns->traceCount() && t < 16; ++t)
                if (const Result<std::shared_ptr<const Trace>> trace = store->loadTrace(columns->storeKey[t]))
                    for (std::size_t i = 0; i < (*trace)->size(); ++i)
                        (void)(*trace)->payload(i);
    }
    std::remove(path.c_str());
    return 0;
}
