import JobFixtures
@testable import JobManifest
import Testing

@Suite struct ErrorPlaceTests {
    @Test(
        "an error is one line, with what is known of its place",
        arguments: [
            (nil, nil, "", "a.json: wrong"), (1, 2, "", "a.json:1:2: wrong"),
            (1, 2, "b[0]", "a.json:1:2: b[0]: wrong"), (nil, nil, "b", "a.json: b: wrong"),
        ] as [(Int?, Int?, String, String)]
    )
    func description(line: Int?, column: Int?, path: String, text: String) {
        let error = ManifestError(file: "a.json", line: line, column: column, path: path, message: "wrong")
        #expect(error.description == text)
        #expect(ManifestErrors(errors: [error, error]).description == text + "\n" + text)
    }

    @Test("lines and columns count characters, not bytes")
    func places() throws {
        let errors = try ManifestFolder().errors(
            "\u{FEFF}{\"ä\": 1, \"x\": 2,\r\n\t\"😀\": 3,\n\n  \"sources\": [{\"urls\": []}], \"name\": 5}"
        )
        #expect(errors.map { $0.prefix { $0 != " " } } == ["1:2:", "1:10:", "2:2:", "4:38:"])
    }

    @Test("errors come in the order of the text, however they were found")
    func order() throws {
        let errors = try ManifestFolder().errors(
            #"{"outputs": [{"format": 1}], "limits": {"memory": 0}, "retry": 5, "sources": [7], "name": 1, "name": 2}"#
        )
        let paths = errors.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(
            paths == [
                "outputs[0].format:", "limits.memory:", "retry:", "sources[0]:", "name:", "name:",
            ]
        )
    }

    @Test("a duplicate key tells the place of the first one")
    func duplicates() throws {
        let errors = try ManifestFolder().errors(
            "{\"sources\": [{\"urls\": []}],\n \"retry\": {\"attempts\": 1,\n  \"attempts\": 2}}"
        )
        #expect(
            errors == [
                "3:3: retry.attempts: duplicate key, also in line 2, column 12: remove one of them"
            ]
        )
    }

    @Test("what was found first at one place comes first")
    func samePlace() {
        let reading = ManifestReading(rowIn: "/")
        for (message, offset) in [("a", 5), ("b", 5), ("c", 1), ("d", 5)] {
            reading.report(message, at: offset, path: .top)
        }
        #expect(reading.errors.map(\.message) == ["c", "a", "b", "d"])
    }

    @Test(
        "the destination is a folder or a bucket",
        arguments: [
            ("", "is empty: name a folder"), ("s3://bucket", nil), ("S3://bucket/prefix/", nil),
            ("s3:///key", "the bucket is missing"), ("s3://bu cket/x", "the bucket has characters"),
            ("s3:/bucket", "write s3://bucket"), ("./s3:/bucket", nil), ("../x", nil),
        ] as [(String, String?)]
    )
    func destination(text: String, words: String?) throws {
        let errors = try ManifestFolder().errors(#"{"sources": [{"urls": []}], "destination": "\#(text)"}"#)
        #expect(errors.count == (words == nil ? 0 : 1), "\(errors)")
        #expect(errors.allSatisfy { $0.contains(": destination: ") && $0.contains(words ?? "") })
    }

    @Test(
        "the state is a file here",
        arguments: [
            ("", "should name a file"), ("a/", "should name a file"),
            ("s3://a/b", "should be a file of this machine"),
            ("${GONE}", "GONE is not set"), ("../x", nil),
        ] as [(String, String?)]
    )
    func state(text: String, words: String?) throws {
        let errors = try ManifestFolder().errors(#"{"sources": [{"urls": []}], "state": "\#(text)"}"#)
        #expect(errors.count == (words == nil ? 0 : 1), "\(errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("1:38: state: ") && $0.contains(words ?? "") })
    }

    @Test(
        "an error of the system names its remedy",
        arguments: [(2, "there is no such file"), (13, "permission denied"), (5, "reading failed: ")]
            as [(Int32, String)]
    )
    func system(code: Int32, words: String) {
        let error = SourceError.system(code, file: "a.csv", doing: "reading")
        #expect(error.message.hasPrefix(words) && error.description == "a.csv: " + error.message)
        #expect(SourceError("a.csv", line: 7, "x").description == "a.csv:7: x")
    }
}
