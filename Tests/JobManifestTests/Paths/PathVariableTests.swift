@testable import JobManifest
import Testing

@Suite struct PathVariableTests {
    @Test("path variables are texts, and numbers as they are written")
    func variables() throws {
        let reading = try NodeReading(#"{"a": "x", "b": 1.50, "c": true, "d": "${HOME}"}"#)
        #expect(reading.node.variables() == ["a": "x", "b": "1.50", "d": "${HOME}"])
        #expect(reading.errors == ["c: should be a string, not true or false"])
    }

    @Test("no path variable has a name that a path cannot say", arguments: ["", "{", "a}", "a:1", "a/b"])
    func variableNames(name: String) throws {
        let reading = try NodeReading("{\"\(name)\": \"x\"}")
        _ = reading.node.variables()
        #expect(reading.errors.count == 1)
        #expect(reading.errors.first?.contains("is not a name of a path variable") == true)
    }

    @Test(
        "no path variable takes the name of a built-in one",
        arguments: [
            "index", "id", "host", "dir", "stem", "output", "ext", "width", "height", "hash", "shard",
        ]
    )
    func builtIn(name: String) throws {
        let reading = try NodeReading("{\"\(name)\": \"x\", \"\(name)s\": \"x\"}")
        _ = reading.node.variables()
        #expect(reading.errors == ["\(name): {\(name)} is a built-in path variable: choose another name"])
        #expect(OutputPath.builtInNames.contains(name) && OutputPath.reservedNames.count == 11)
    }
}
