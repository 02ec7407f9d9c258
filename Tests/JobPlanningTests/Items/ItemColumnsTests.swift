import JobFixtures
import JobManifest
import JobStorage
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct ItemColumnsTests {
    @Test(
        "an object of the state is read and written as it is",
        arguments: [
            #"{"a":"b"}"#, #"{"a":"\"\\"}"#, #"{"n":1.50}"#, #"{"b":true,"n":null,"t":"true"}"#,
            #"{"big":123456789012345678901234567890,"e":1E+400,"z":-0}"#,
            #"{"list":[1.0,"é",{"z":1,"a":[]}],"text":"[1]"}"#,
        ]
    )
    func roundTrip(json: String) {
        let columns = ItemColumns(json: json)
        #expect(columns.json == json)
        #expect(ItemColumns(json: columns.json) == columns)
    }

    @Test("without columns there is no object", arguments: [nil, "{}", "[]", "{"])
    func none(json: String?) {
        #expect(ItemColumns(json: json) == ItemColumns([]) && ItemColumns(json: json).json == nil)
    }

    @Test("texts and values have the text of a path, nulls none; whole numbers of Parquet have no point")
    func variables() throws {
        let columns = ItemColumns(
            json: #"{"b":true,"d":5.0,"f":0.5,"list":["a"],"n":7,"none":null,"t":"5.0"}"#
        )
        #expect(columns.texts == ["t": "5.0"] && columns.typed["none"] == "null")
        let folder = try ManifestFolder()
        let manifest =
            #"{"sources": [{"list": "a.jsonl", "columns": {"url": "u"}}, {"list": "a.parquet"}]}"#
        let path = try folder.folder.write(manifest, to: "job.json")
        let sources = try Manifest.read(path: path, environment: [:], checksSources: false).sources
        var expected = ["b": "true", "d": "5.0", "f": "0.5", "list": #"["a"]"#, "n": "7", "t": "5.0"]
        #expect(columns.variables(of: sources[0]) == expected)
        expected["d"] = "5"
        #expect(columns.variables(of: sources[1]) == expected)
        #expect(columns.text(of: "d") == "5.0" && columns.text(of: "none") == nil)
        #expect(columns.text(of: "t") == "5.0" && columns.text(of: "missing") == nil)
    }

    @Test("what a column holds")
    func contents() {
        let columns = ItemColumns(
            json: #"""
                {"array":[1],"big":9223372036854775808,"false":false,"huge":1e400,"int":9007199254740992,\#
                "least":-9223372036854775808,"long":9007199254740993,"null":null,"object":{},"real":1e-4,"text":"1"}
                """#
        )
        let expected: [String: ListColumn.Contents] = [
            "array": .texts, "big": [.integers, .longIntegers, .hugeNumbers], "false": .booleans,
            "huge": [.reals, .hugeNumbers], "int": .integers, "least": [.integers, .longIntegers],
            "long": [.integers, .longIntegers], "null": [], "object": .texts, "real": .reals, "text": .texts,
        ]
        #expect(columns.contents == expected)
    }
}
