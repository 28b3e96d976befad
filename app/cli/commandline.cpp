// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commandline.h"

#include "app/cli/commands.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace chokepoint {

namespace {

struct CommandLine {
    CLI::App app{
        "Chokepoint finds where the bottleneck moved: open trace files from profiling runs and compare two deployments.", "chokepoint"};
    std::vector<cli::Command> commands;

    CommandLine()
    {
        app.set_version_flag("--version", "chokepoint " CHOKEPOINT_VERSION);
        app.require_subcommand(1);
        app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
            return "chokepoint: " + CLI::FailureMessage::simple(failed, error); // as all messages on standard error begin
        });
        app.footer("Examples:\n  chokepoint compare before.jsonl.gz after.jsonl.gz\n  chokepoint summary run.pb --json\n"
                   "Exit status: 0 done, 1 a gate failed, 2 bad usage or unreadable input, 3 inconclusive, 130 interrupted.");
        for (const auto& add : {cli::addCompareCommand, cli::addChecksCommand, cli::addGraphCommand, cli::addReadingCommands,
                 cli::addRetriesCommand, cli::addWhatIfCommand, cli::addWorkspaceCommands})
            for (cli::Command& command : add(app))
                commands.push_back(std::move(command));
    }
};

/// A program started without standard input or output would have its files take their places.
void fillStandardFiles()
{
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            return; // nothing to be done without it
}

int run(int argc, char** argv)
{
    fillStandardFiles();
    CommandLine line;
    try {
        line.app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return line.app.exit(error) == 0 ? cli::Done : cli::Unusable;
    }
    for (const cli::Command& command : line.commands)
        if (command.app->parsed())
            return command.run();
    return cli::Unusable;
}

} // namespace

bool isCommand(const char* argument)
{
    const std::string_view text(argument);
    if (text == "--help" || text == "-h" || text == "--version")
        return true;
    const CommandLine line;
    for (const cli::Command& command : line.commands)
        if (command.app->get_name() == text)
            return true;
    return false;
}

int runCommandLine(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that outgrows its limit is a failed write, reported and cleaned up like a full disk
    // Third-party code may throw (out of memory, say); this is the one place where that becomes a message.
    try {
        const int status = run(argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            cli::printNote("cannot write to standard output");
            return cli::Unusable;
        }
        return status;
    } catch (const std::exception& exception) {
        cli::printNote(std::string("stopped by an unexpected condition: ") + exception.what());
        return cli::Unusable;
    }
}

} // namespace chokepoint
