// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// User rule files: what they can do, and what a mistake in one is answered with.
#include "core/analysis/rulebook.h"
#include "tests/core/analysis/tst_stages_text.h"

#include <QTest>

using namespace chokepoint;

class TestRules : public QObject {
    Q_OBJECT

private slots:
    void mistakes_data();
    void mistakes();
    void userRules_data();
    void userRules();
    void newStages();
    void confidence();
    void builtInIsComplete();
    void splitsOpenFromSettled();
};

void TestRules::mistakes_data()
{
    QTest::addColumn<QString>("rules");
    QTest::addColumn<int>("line"); // 0: none
    QTest::addColumn<QString>("detail"); // part of it
    const auto row = [](const char* name, const char* rules, int line, const char* detail) {
        QTest::newRow(name) << rules << line << detail;
    };
    row("no JSON", "{\"version\": 1,\n \"rules\": [}", 2, "not valid JSON");
    row("empty object", "{}", 0, "\"version\" must be 1");
    row("later version", "{\"version\": 2}", 1, "needs a later Chokepoint");
    row("no object", "[]", 0, "one JSON object");
    row("unknown key", "{\"version\": 1, \"rulez\": []}", 1, "\"rulez\" is not a known key");
    row("rules no array", "{\"version\": 1, \"rules\": {}}", 1, "\"rules\" must be an array");
    row("rule without id", "{\"version\": 1, \"rules\": [{\"when\": {\"name\": \"x\"}, \"then\": \"tool\"}]}", 0, "rule 1");
    row("rule with unknown key", "{\"version\": 1, \"rules\": [\n{\"id\": \"a\", \"wenn\": {}, \"then\": \"tool\"}]}", 2,
        "rule \"a\": \"wenn\" is not");
    row("no condition", "{\"version\": 1, \"rules\": [\n{\"id\": \"a\", \"then\": \"tool\"}]}", 2, "\"when\" is missing");
    row("empty condition", "{\"version\": 1, \"rules\": [\n{\"id\": \"a\", \"when\": {}, \"then\": \"tool\"}]}", 2, "at least one matcher");
    row("no stage", "{\"version\": 1, \"rules\": [\n{\"id\": \"a\", \"when\": {\"name\": \"x\"}}]}", 2, "\"then\" is missing");
    row("unknown stage", "{\"version\": 1, \"rules\": [\n\n{\"id\": \"a\", \"when\": {\"name\": \"x\"}, \"then\": \"retreive\"}]}", 3,
        "\"retreive\" is no stage; correct the name, or define it");
    row("bad pattern", "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"name\": \"(x\"}, \"then\": \"tool\"}]}", 1,
        "missing ): (x");
    row("pattern with look-ahead", "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"name\": \"(?=x)\"}, \"then\": \"tool\"}]}", 1,
        "RE2 syntax");
    row("unknown matcher", "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"nme\": \"x\"}, \"then\": \"tool\"}]}", 1,
        "\"nme\" is not a known key");
    row("unknown kind", "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"kind\": \"SERVANT\"}, \"then\": \"tool\"}]}", 1,
        "\"SERVANT\" is no span kind");
    row("two operators",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"attr\": {\"key\": \"k\", \"equals\": 1, \"exists\": true}}, \"then\": "
        "\"tool\"}]}",
        1, "exactly one of");
    row("unknown alias",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"attr\": {\"key\": \"$modl\", \"exists\": true}}, \"then\": \"tool\"}]}",
        1, "\"$modl\" is no alias");
    row("unknown role",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"name\": \"x\"}, \"then\": {\"stage\": \"tool\", \"role\": \"leave\"}}]}",
        1, "\"role\" must be");
    row("priority", "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"priority\": -1, \"when\": {\"name\": \"x\"}, \"then\": \"tool\"}]}", 1,
        "from 0 to 1000");
    row("confidence of a rule",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"confidence\": 2, \"when\": {\"name\": \"x\"}, \"then\": \"tool\"}]}", 1,
        "\"confidence\" must be a number from 0 to 1");
    row("same id twice",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"name\": \"x\"}, \"then\": \"tool\"}, {\"id\": \"a\", \"when\": "
        "{\"name\": \"y\"}, \"then\": \"tool\"}]}",
        1, "occurs twice");
    row("duration text",
        "{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {\"duration\": {\"min_ms\": \"5\"}}, \"then\": \"tool\"}]}", 1,
        "number of milliseconds");
    row("disable nothing", "{\"version\": 1, \"disable\": [\"T66-*\"]}", 1, "names no rule");
    row("bad unit", "{\"version\": 1, \"units\": {\"acme.queue\": \"min\"}}", 1, "\"acme.queue\" must be");
    row("stage name", "{\"version\": 1, \"stages\": [{\"id\": \"My Stage\"}]}", 1, "lower-case");
    row("stage after nothing", "{\"version\": 1, \"stages\": [{\"id\": \"mine\", \"after\": \"yours\"}]}", 1,
        "\"yours\", which is no stage");
    row("sub-stage of nothing", "{\"version\": 1, \"stages\": [{\"id\": \"mine.part\"}]}", 1, "\"mine\" is no stage");
    row("unit on its line", "{\"version\": 1, \"units\": {\n\"acme.queue\": \"ms\",\n\"acme.wait\": \"min\"}}", 3, "\"acme.wait\" must be");
    row("alias of numbers", "{\"version\": 1, \"aliases\": {\n\"in_tok\": [1]}}", 2, "\"aliases\": ");
    row("correctness without metric", "{\"version\": 1, \n\"correctness\": [{}]}", 2, "with a \"metric\"");
    row("correctness with a bad pattern", "{\"version\": 1, \"correctness\": [{\"metric\": \"*\"}]}", 1, "RE2 syntax");
    row("correctness with a text threshold", "{\"version\": 1, \"correctness\": [{\"metric\": \"x\", \"threshold\": \"1\"}]}", 1,
        "must be a number");
    row("built-in only", "{\"version\": 1, \"owners\": [\"tool\"]}", 1, "\"owners\" is not a known key");
}

void TestRules::mistakes()
{
    QFETCH(QString, rules);
    QFETCH(int, line);
    QFETCH(QString, detail);
    const auto parsed = parseStageRules(builtInStageRules(), rules.toStdString(), "mine.json");
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::InvalidRules);
    QCOMPARE(parsed.error().place.file, std::string("mine.json"));
    QCOMPARE(int(parsed.error().place.line.value_or(0)), line);
    QVERIFY2(parsed.error().detail.find(detail.toStdString()) != std::string::npos, parsed.error().detail.c_str());
}

void TestRules::userRules_data()
{
    QTest::addColumn<QString>("rules"); // the inside of "rules", or of the file where it begins with a quote
    QTest::addColumn<QString>("trace");
    const auto row = [](const char* name, const char* rules, const char* trace) { QTest::newRow(name) << rules << trace; };
    row("before the built-in rules",
        R"({"id": "mine", "when": {"attr": {"key": "gen_ai.operation.name", "equals": "chat"}}, "then": "evaluate"})", R"(
chat | gen_ai.operation.name=chat -> evaluate mine)");
    row("behind a built-in group", R"({"id": "mine", "priority": 250, "when": {"name": "."}, "then": "tool"})", R"(
chat | gen_ai.operation.name=chat -> generate T2-10
build_prompt -> tool mine)");
    row("by priority",
        R"({"id": "late", "priority": 20, "when": {"name": "x"}, "then": "tool"}, {"id": "early", "priority": 10, "when": {"name": "x"}, "then": "embed"})",
        R"(
x -> embed early)");
    row("all, any, not",
        R"({"id": "mine", "when": {"all": [{"any": [{"name": "^a$"}, {"name": "^b$"}]}, {"not": {"kind": "CLIENT"}}]}, "then": "tool"})",
        R"(
a -> tool mine
b | CLIENT -> other T9
c -> other T9)");
    row("cases share a condition",
        R"({"id": "mine", "when": {"service": "^ranker$"}, "cases": [{"when": {"kind": ["SERVER"]}, "then": "rerank"}, {"then": "tool"}]})",
        R"(
x | SERVER | %ranker -> rerank mine
x | %ranker -> tool mine
x | SERVER | %other -> ingress T8-30)");
    row("attribute operators", R"({"id": "in", "when": {"attr": {"key": "k", "in": ["A", 7]}}, "then": "tool"},
        {"id": "prefix", "when": {"attr": {"key": "k", "prefix": "pre"}}, "then": "embed"},
        {"id": "absent", "when": {"attr": [{"key": "k", "exists": false}, {"key": "l.*", "exists": true}]}, "then": "rerank"})",
        R"(
x | k=a -> tool in
x | k:=7 -> tool in
x | k=PREFIX -> embed prefix
x | k=b | l.m=1 -> other T9
x | l.m=1 -> rerank absent)");
    row("duration", R"({"id": "mine", "when": {"duration": {"min_ms": 10, "max_ms": 20}}, "then": "tool"})", R"(
x | 9ms -> other T9
x | 10ms -> tool mine
x | 20ms -> tool mine
x | 21ms -> other T9)");
    row("root", R"({"id": "mine", "when": {"is_root": true}, "then": {"stage": "ingress", "role": "container"}})", R"(
x -> ingress mine
  x -> other T9)");
    row("parents and children", R"({"id": "under", "when": {"parent_stage": "retrieve"}, "then": "storage"},
        {"id": "over", "when": {"has_child_stage": "tool", "name": "over"}, "then": {"stage": "validate", "role": "container"}})",
        R"(
root
  find | db.system=qdrant -> retrieve.vector T4-10
    anything -> storage under
over -> validate over
  my_tool -> tool T5-85
over -> other T9)");
    row("disabled rules", R"("disable": ["T5-8*", "T2-10"])", R"(
my_tool -> other T9
chat | gen_ai.operation.name=chat -> generate T5-75)");
    row("aliases join", R"("aliases": {"in_tok": ["acme.tokens"]})", R"(
x | acme.tokens:=5 -> generate T4-90)");
    row("inside an owner", R"({"id": "mine", "when": {"name": "^check$"}, "then": "guardrail"})", R"(
check -> guardrail mine
  check2 | db.system=qdrant -> guardrail T4-10 (inside guardrail))");
}

void TestRules::userRules()
{
    QFETCH(QString, rules);
    QFETCH(QString, trace);
    const QString file = rules.startsWith('"') ? "{\"version\": 1, " + rules + "}" : "{\"version\": 1, \"rules\": [" + rules + "]}";
    const StageCase given = stageCase({trace.toStdString()});
    QCOMPARE(QString::fromStdString(mismatches(given, classified(given, file.toStdString()))), QString());
}

void TestRules::newStages()
{
    const std::string file =
        R"({"version": 1, "stages": [{"id": "redact", "after": "guardrail", "label": "PII redaction"}, {"id": "redact.names"},
        {"id": "tool", "label": "Call a tool"}], "rules": [{"id": "r", "when": {"name": "scrub"}, "then": "redact.names"}]})";
    const auto rules = parseStageRules(builtInStageRules(), file).value();
    const StageTable& table = rules->table;
    QCOMPARE(table.label(table.find("redact")), std::string("PII redaction"));
    QCOMPARE(table.label(table.find("redact.names")), std::string("Names"));
    QCOMPARE(table.label(table.find("tool")), std::string("Call a tool"));
    QVERIFY(table.find("redact") > table.find("guardrail.output"));
    QVERIFY(table.find("redact") < table.find("cache"));

    const StageCase given = stageCase({"scrub -> redact.names r"});
    const StageMap map = classified(given, file);
    QCOMPARE(mismatches(given, map), std::string());
    QCOMPARE(map.table->label(map.table->topLevel(map.stage[0])), std::string("PII redaction"));
}

void TestRules::builtInIsComplete()
{
    const auto rules = parseStageRules(builtInStageRules()).value();
    for (std::size_t p = 1; p < rules->rules.size(); ++p)
        QVERIFY(rules->rules[p - 1].priority <= rules->rules[p].priority);
    for (const char* stage :
        {"ingress", "queue", "preprocess", "route", "guardrail", "cache", "embed", "retrieve", "rerank", "assemble", "generate", "tool",
            "validate", "evaluate", "backoff", "network", "orchestrate", "storage", "ingest", "other", "uninstrumented"})
        QVERIFY2(rules->table.find(stage) != StageTable::noStage, stage);
    QVERIFY(parseStageRules("{\"version\": 1}").error().detail.find("orchestrate") != std::string::npos);
}

void TestRules::splitsOpenFromSettled()
{
    const auto rules = parseStageRules(R"({"version": 1, "stages": [{"id": "orchestrate"}, {"id": "other"}, {"id": "a"}],
        "rules": [{"id": "r", "when": {"name": "x", "parent_stage": "a"}, "then": "a"}]})")
                           .value();
    const Condition& condition = rules->rules.front().when;
    Surroundings under;
    QCOMPARE(evaluate(condition, {0}, nullptr, *rules), Truth::False); // the name alone settles it
    QCOMPARE(evaluate(condition, {1}, nullptr, *rules), Truth::Open);
    QCOMPARE(evaluate(condition, {1}, &under, *rules), Truth::False);
    under.ancestor = rules->table.find("a");
    QCOMPARE(evaluate(condition, {1}, &under, *rules), Truth::True);
}

void TestRules::confidence()
{
    const StageCase given =
        stageCase({"root\n  chat m | gen_ai.operation.name=chat\n  answer | x=y\n  mine | x=y\n  mine | x=z\n  frobnicate"});
    const StageMap map = classified(given, R"({"version": 1, "rules": [{"id": "a", "confidence": 0.5, "when": {"name": "^mine$"},
        "cases": [{"when": {"attr": {"key": "x", "equals": "y"}}, "then": "tool"}, {"then": {"stage": "tool", "confidence": 0.9}}]}]})");
    const auto percent = [&](std::string_view name, int skip = 0) {
        for (std::size_t i = 0; i < map.rule.size(); ++i)
            if (given.columns.dictionary->text(given.columns.spans.name[i]) == name && skip-- == 0)
                return int(map.ruleConfidence[map.rule[i]]);
        return -1;
    };
    QCOMPARE(percent("chat m"), 98);
    QCOMPARE(percent("answer"), 60);
    QCOMPARE(percent("mine"), 50); // the rule's
    QCOMPARE(percent("mine", 1), 90); // the case's own
    QCOMPARE(percent("root"), 80);
    QCOMPARE(percent("frobnicate"), 0);
}

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
