import Imaging
@testable import JobManifest
import Testing

@Suite struct FieldsTests {
    @Test("fields count unknown keys, and report them and all that are missing")
    func fields() throws {
        let reading = try NodeReading(#"{"z": 1, "X": 2}"#)
        let fields = try #require(reading.node.fields(Gravity.section))
        #expect(fields.count == 2 && fields.nodes.isEmpty)
        #expect(
            reading.errors == [
                #"z: unknown key; did you mean "x"?"#, #"X: unknown key; did you mean "x"?"#,
                #": "x" is missing: add it"#, #": "y" is missing: add it"#,
            ]
        )
    }

    @Test("one of several keys is enough")
    func anyOf() throws {
        for (json, errors) in [
            ("{}", [#": "width" or "height" is missing: add it"#]), (#"{"width": 1}"#, []),
            (#"{"height": 1}"#, []),
        ] {
            let reading = try NodeReading(json)
            _ = reading.node.fields(Resize.section)
            #expect(reading.errors == errors)
        }
    }
}
