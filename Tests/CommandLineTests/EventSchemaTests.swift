import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The JSON that the program writes matches `Jobs/events.schema.json`, without additional or missing keys.
@Suite(.timeLimit(.minutes(10))) struct EventSchemaTests {
    private let schema: JSONSchema

    init() throws {
        let path = Repository.root.appendingPathComponent("Jobs/events.schema.json")
        schema = try JSONSchema(Data(contentsOf: path))
    }

    private func expect(_ outcome: Program.Outcome, _ definition: String? = nil) throws {
        #expect(!outcome.lines.isEmpty)
        for line in outcome.lines {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(schema.problems(of: value, definition) == [], "\(line)")
        }
    }

    @Test func everyCommandKeepsToIt() async throws {
        let job = try await ToldJob()
        try expect(try await job.nukeBatch(["run", "job.json", "--fresh", "--json"]))
        try expect(try await job.nukeBatch(["items", "job.json", "--json"]), "item")
        try expect(try await job.nukeBatch(["status", "job.json", "--json"]), "status")
        let text = try String(contentsOfFile: job.folder.path("job.json"), encoding: .utf8)
        // Of the last item nothing is left, and another quality makes the rest again.
        try job.folder.write(
            text.replacing(/, {"url": "[^"]*plain.png", "id": ".*"}\]/, with: "]")
                .replacing(#""format": "jpeg", "path": "small"#, with: #""format": "png", "path": "small"#),
            to: "changed.json"
        )
        let diff = try await job.nukeBatch(["diff", "job.json", "changed.json", "--items", "--json"])
        try expect(diff, "diff")
        let kinds = try ToldJob.objects(diff).map { line in
            ["path", "url", "gone"].first { line[$0] is String } ?? "total"
        }
        #expect(Set(kinds) == ["path", "url", "gone", "total"] && kinds.last == "total", "\(diff.output)")
        let plan = try await job.nukeBatch(["plan", "job.json", "--json"])
        try expect(plan, "plan")
        // A changed manifest, and an item that has left it.
        try job.folder.write(
            try String(contentsOfFile: job.folder.path("changed.json"), encoding: .utf8),
            to: "job.json"
        )
        _ = try await job.nukeBatch(["run", "job.json", "--quiet"])
        let status = try await job.nukeBatch(["status", "job.json", "--json"])
        try expect(status, "status")
        let run = try #require((try ToldJob.objects(status)[0]["runs"] as? [[String: Any]])?.first)
        #expect((run["changes"] as? [String: Any])?["count"] as? Int == 2 && run["removed"] as? Int == 1)
        try job.folder.write(#"{"sources": [], "outputs": [{"format": "bmp"}]}"#, to: "wrong.json")
        try expect(
            try await job.nukeBatch(["validate", "job.json", "wrong.json", "nowhere.json", "--json"]),
            "validation"
        )
        try job.folder.write(
            #"{"sources": [{"urls": []}], "cache": {"directory": "cache"}}"#,
            to: "never.json"
        )
        try expect(try await job.nukeBatch(["status", "never.json", "--json"]), "status")
    }

    @Test func duplicatesKeepToIt() async throws {
        let job = try JobFolder()
        for name in ["1.png", "2.png"] { try job.folder.write(try Repository.photo("coffee.png"), to: name) }
        try job.write(
            """
            "sources": [{"files": "*.png"}], "facts": ["pdq"], "dataset": {"deduplicate": "bytes"},
            "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "{index}.{ext}"}]
            """
        )
        let run = try await job.run("--json")
        try expect(run)
        let told = try ToldJob.objects(run).compactMap { ($0["item"] as? [String: Any])?["twin"] }
        #expect(told.count { $0 is [String: Any] } == 1, "\(run.output)")
        try expect(try await job.nukeBatch("items", "job.json", "--json"), "item")
        try expect(try await job.nukeBatch("duplicates", "job.json", "--json"), "duplicates")
    }

    @Test func adoptionKeepsToIt() async throws {
        let site = try FoundSite()
        try site.write()
        try site.remove("2-64.jpg")
        try site.job.folder.write("no image", to: "img/3.webp")
        let adopt = try await site.adopt("--items", "--json")
        #expect(adopt.exit == 1 && adopt.lines.count == 9, "\(adopt.output)")
        try expect(adopt, "adoption")
        let total = try site.job.end(adopt)
        #expect(total["reasons"] as? [String: Int] == ["format": 1], "\(total)")
        #expect(total["finished"] as? Int == 2 && total["adopted"] as? Int == 6, "\(total)")
    }

    /// The events of a run, each of its kinds, with a key that is missing, one that is too much and one of another type.
    @Test func theCheckItselfFindsWhatIsWrong() async throws {
        let job = try await ToldJob()
        let run = try await job.nukeBatch(["run", "job.json", "--fresh", "--json"])
        var kinds: Set<String> = []
        for var event in try ToldJob.objects(run) {
            kinds.insert(event["event"] as? String ?? "")
            #expect(schema.problems(of: event).isEmpty)
            var more = event
            more["extra"] = 1
            #expect(!schema.problems(of: more).isEmpty)
            event["time"] = 7
            #expect(!schema.problems(of: event).isEmpty)
            event["time"] = nil
            #expect(!schema.problems(of: event).isEmpty)
        }
        #expect(kinds == ["run_started", "item_finished", "run_finished"])
    }
}

/// As much of JSON Schema (draft 2020-12) as our schema uses; what it does not know is a problem.
private struct JSONSchema {
    private let root: [String: Any]

    init(_ data: Data) throws {
        root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Returns the errors of a value by the schema, or by one of its definitions.
    func problems(of value: Any, _ definition: String? = nil) -> [String] {
        var schema = root
        if let definition { schema = ["$ref": "#/$defs/\(definition)"] }
        return check(value, schema, "")
    }

    private func check(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        schema.flatMap { keyword, rule in check(value, keyword, rule, schema, path) }
    }

    private func check(
        _ value: Any,
        _ keyword: String,
        _ rule: Any,
        _ schema: [String: Any],
        _ path: String
    ) -> [String] {
        let object = value as? [String: Any]
        switch keyword {
        case "$schema", "$defs", "title", "description": return []
        case "$ref":
            let name = (rule as? String ?? "").replacing("#/$defs/", with: "")
            guard let found = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
                return ["\(path): no definition \(name)"]
            }
            return check(value, found, path)
        case "oneOf", "anyOf":
            let choices = (rule as? [[String: Any]] ?? []).map { check(value, $0, path) }
            let fitting = choices.count { $0.isEmpty }
            return fitting == 1 || (keyword == "anyOf" && fitting > 0) ? [] : ["\(path): \(choices)"]
        case "const", "enum":
            let allowed = keyword == "const" ? [rule] : rule as? [Any] ?? []
            return allowed.contains { ($0 as? NSObject) == (value as? NSObject) } ? [] : ["\(path): \(value)"]
        case "type":
            let types = rule as? [String] ?? [rule as? String ?? ""]
            return types.contains { Self.is(value, $0) } ? [] : ["\(path): \(value) is no \(types)"]
        case "minimum":
            guard let number = value as? NSNumber, let least = rule as? NSNumber else { return [] }
            return number.doubleValue >= least.doubleValue ? [] : ["\(path): \(number) is below \(least)"]
        case "pattern":
            guard let text = value as? String, let pattern = rule as? String else { return [] }
            return text.range(of: pattern, options: .regularExpression) == nil ? ["\(path): \(text)"] : []
        case "format":
            guard let text = value as? String, rule as? String == "date-time" else { return [] }
            let form = #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"#
            return text.range(of: form, options: .regularExpression) == nil
                ? ["\(path): \(text) is no time"] : []
        case "required":
            return (rule as? [String] ?? []).filter { object.map { $0.keys } != nil && object?[$0] == nil }
                .map { "\(path).\($0) is missing" }
        case "properties":
            let rules = rule as? [String: [String: Any]] ?? [:]
            return rules.flatMap { name, rule in
                object?[name].map { check($0, rule, "\(path).\(name)") } ?? []
            }
        case "additionalProperties":
            let known = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
            let others = (object ?? [:]).filter { !known.contains($0.key) }
            if let rule = rule as? [String: Any] {
                return others.flatMap { check($0.value, rule, "\(path).\($0.key)") }
            }
            return others.map { "\(path).\($0.key) is not in the schema" }
        case "items":
            let rule = rule as? [String: Any] ?? [:]
            return (value as? [Any] ?? []).enumerated().flatMap { check($1, rule, "\(path)[\($0)]") }
        default: return ["\(path): the keyword \(keyword) is not known here"]
        }
    }

    private static func `is`(_ value: Any, _ type: String) -> Bool {
        let number = value as? NSNumber
        let isTruth = number.map { isBool($0) } ?? false
        switch type {
        case "null": return value is NSNull
        case "string": return value is String
        case "object": return value is [String: Any]
        case "array": return value is [Any]
        case "boolean": return isTruth
        case "integer": return !isTruth && number.map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
        case "number": return !isTruth && number != nil
        default: return false
        }
    }

    /// JSON's `true` and numbers are both `NSNumber`; only the former is a `Bool` in its Objective-C type.
    private static func isBool(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }
}
