// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over files without libFuzzer, so that targets and finds are part of every test run.
// usage: replay_TARGET FILE-OR-DIRECTORY...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv)
{
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            files.emplace_back(argv[i]);
            continue;
        }
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[i]))
            if (entry.is_regular_file())
                files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::size_t runs = 0;
    for (const fs::path& path : files) {
        std::ifstream stream(path, std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(stream), {});
        const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
        // The file, its cuts, and the file with one byte changed: a small neighbourhood of every find.
        const std::size_t step = std::max<std::size_t>(1, bytes.size() / 32);
        for (std::size_t at = 0; at <= bytes.size(); at += step, ++runs)
            LLVMFuzzerTestOneInput(data, at);
        for (std::size_t at = 0; at < bytes.size(); at += step, ++runs) {
            std::string changed = bytes;
            changed[at] = char(changed[at] ^ 0x55);
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size());
        }
        LLVMFuzzerTestOneInput(data, bytes.size());
        ++runs;
    }
    std::printf("%zu files, %zu inputs\n", files.size(), runs);
    return files.empty() ? 1 : 0;
}
