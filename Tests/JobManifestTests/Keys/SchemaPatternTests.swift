import Foundation
import Imaging
@testable import JobManifest
import Testing

/// The patterns of the schema accept the texts that the reader accepts.
@Suite struct SchemaPatternTests {
    /// The first pattern in a schema.
    private func pattern(_ schema: CanonicalJSON) -> String? {
        switch schema {
        case .object(let members):
            if case .string(let pattern)? = members["pattern"] { return pattern }
            return members.values.lazy.compactMap(pattern).first
        case .array(let schemas): return schemas.lazy.compactMap(pattern).first
        default: return nil
        }
    }

    private func check<Value>(_ kind: KeyKind<Value>, right: [String], wrong: [String]) throws {
        let expression = try #require(pattern(kind.schema))
        for (texts, isRight) in [(right, true), (wrong, false)] {
            for text in texts {
                let isRead = kind.value(of: .string(text)) != nil
                #expect(isRead == isRight, "the reader: \(text)")
                let fits = text.range(of: expression, options: .regularExpression) != nil
                #expect(fits == isRight, "the schema: \(text)")
            }
        }
    }

    @Test("durations")
    func durations() throws {
        try check(
            .duration,
            right: ["1ms", "1s", "01m", "10h", "36500d"],
            wrong: ["0s", "00ms", "1", "s", "1w", "1S", "1.5s", "-1s", "+1s", " 1s", "1s ", ""]
        )
        try check(
            .durations,
            right: ["0s..0s", "1ms..1s", "1s..2d", "001s..1m"],
            wrong: ["1s", "1s..", "..1s", "1s...2s", "1s..2", "1 s..2s", "1s-2s", ""]
        )
    }

    @Test("rates")
    func rates() throws {
        try check(
            .rate,
            right: ["1/s", "80/m", "010/h", "1000000/s"],
            wrong: ["0/s", "80", "/s", "80/d", "1.5/s", "-1/s", "80 /s", "80/S", ""]
        )
    }

    @Test("sizes and pixel counts")
    func quantities() throws {
        try check(
            .size,
            right: ["1", "007", "1KB", "2MB", "3GB", "4TB", "5KiB", "6MiB", "7GiB", "8TiB"],
            wrong: ["0", "0KB", "KB", "1kb", "1K", "1B", "1.5KB", "-1", "1 KB", ""]
        )
        try check(.pixels, right: ["1", "50MP"], wrong: ["0MP", "MP", "1mp", "1KB", "1.5MP", ""])
    }

    @Test("colours")
    func colours() throws {
        let right = ["#abc", "#ABCDEF", "#000000FF", "#ffffffff", "#012345fF"]
        let wrong = ["", "#", "abc", "#ab", "#abcd", "#abcde", "#abcdefg", "#abcdef123", "#ggg", "#abc "]
        try check(.color, right: right + ["#12345600", "#123456FE"], wrong: wrong)
        try check(.opaqueColor, right: right, wrong: wrong + ["#12345600", "#123456FE", "#123456F0"])
    }

    @Test("every reference of the schema leads to a definition, and every definition is used")
    func references() throws {
        let schema = try JSONDecoder().decode(CanonicalJSON.self, from: Data(ManifestSchema.text.utf8))
        guard case .object(let members) = schema, case .object(let definitions)? = members["$defs"] else {
            Issue.record("no definitions")
            return
        }
        func references(_ json: CanonicalJSON) -> [String] {
            switch json {
            case .array(let elements): return elements.flatMap(references)
            case .object(let members):
                let own: [String] = if case .string(let text)? = members["$ref"] { [text] } else { [] }
                return own + members.values.flatMap(references)
            default: return []
            }
        }
        #expect(Set(references(schema)) == Set(definitions.keys.map { "#/$defs/\($0)" }))
        #expect(definitions.count == ManifestSection.all.count)
    }

    @Test("names of header fields and path variables are judged alike")
    func names() throws {
        for (name, isHeader, isVariable) in [
            ("a", true, true), ("A-1_~", true, true), ("a b", false, true), ("é", false, true),
            ("a:b", false, false), ("{a", false, false), ("a/b", false, false), ("", false, false),
            ("host", true, false), ("x|y", true, true),
        ] {
            let json = CanonicalJSON.object([name: "x"])
            #expect((KeyKind.headers.value(of: json) != nil) == isHeader, "\(name)")
            #expect((KeyKind.variables.value(of: json) != nil) == isVariable, "\(name)")
            guard case .object(let header) = JSONSchema.headers,
                case .object(let variable) = JSONSchema.variables,
                let headerName = header["propertyNames"].flatMap(pattern),
                let variableName = variable["propertyNames"].flatMap(pattern)
            else {
                Issue.record("no patterns")
                return
            }
            #expect((name.range(of: headerName, options: .regularExpression) != nil) == isHeader, "\(name)")
            let fits = name.range(of: variableName, options: .regularExpression) != nil
            #expect((fits && !OutputPath.builtInNames.contains(name)) == isVariable, "\(name)")
        }
    }
}
