import Foundation
import JobFixtures
import JobManifest
import JobStorage
import TestSupport
import Testing

@testable import JobPlanning

/// The lines of a fleet's partitions.
@Suite struct PartitionLineTests {
    private static let texts = [
        "", "a b", "ü", "e\u{301}", "\u{E9}", "\"\\\t\n\u{1}\u{7F}", "\u{1F600}", "\u{2028}", "x\u{0}y",
    ]

    private static func text(using random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in texts.randomElement(using: &random) ?? "" }
            .joined()
    }

    @Test("what is written is read again, byte for byte")
    func roundTrip() throws {
        let seed = SeededGenerator.seed(of: "partition lines")
        var random = SeededGenerator(seed: seed)
        let manifest = try ManifestFolder().read(#"{"sources": [{"urls": []}, {"urls": []}]}"#)
        for ordinal in 1...500 {
            func some<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
            let values = (0..<4).map { _ in Self.text(using: &random) }
            let item = PlannedItem(
                index: ordinal,
                url: "https://a.example/\(values[0])",
                target: "https://a.example/\(values[0])",
                id: some(values[1]),
                headers: some(["X-\(ordinal)": values[2]]) ?? [:],
                priority: ItemPriority.allCases.randomElement(using: &random) ?? .normal,
                variables: some([values[1]: values[3], "b": ""]) ?? [:],
                typedColumns: some(["n": "1.50", "none": "null"]) ?? [:],
                source: Int.random(in: 0...1, using: &random),
                problem: some(ItemProblem(code: .badURL, message: values[2])),
                validator: some(values[3]),
                base: nil,
                position: .file("list:1")
            )
            let blocked = BlockedOutput(
                ordinal: ordinal,
                output: values[0],
                path: values[1],
                owner: 0,
                isSkipped: true
            )
            let line = PartitionLine(item, blocked: some([blocked]) ?? [])
            let text = line.text
            #expect(!text.utf8.contains(UInt8(ascii: "\n")), "seed \(seed)")
            let read = try PartitionLine(parsing: Data(text.utf8), name: "partition", number: ordinal)
            #expect(read == line && read.text.utf8.elementsEqual(text.utf8), "seed \(seed): \(text)")
            let again = read.item(of: manifest, name: "partition", number: 7)
            #expect(again.index == ordinal && again.url.utf8.elementsEqual(item.url.utf8))
            #expect(again.headers == item.headers && again.typedColumns == item.typedColumns)
            let texts = item.typedColumns.isEmpty ? [:] : ["n": "1.50"]
            #expect(again.variables == item.variables.merging(texts) { $1 })
            #expect(again.problem == item.problem && again.location == "partition:7")
        }
    }

    @Test("the key begins with that of the state")
    func key() {
        let item = NewItem(ordinal: 1, url: "https://a.example/1", id: "x", host: "a.example") {
            $0.headersJSON = #"{"A":"b"}"#
        }
        let key = PartitionLine.key(url: item.url, headersJSON: item.headersJSON, id: item.id)
        #expect(key.count == 32 && UInt64(key.prefix(16), radix: 16) == UInt64(bitPattern: item.key))
    }

    @Test(
        "another line is refused with its place",
        arguments: [
            "", "{", "[]", #"{"ordinal":1}"#,
            #"{"key":"k","ordinal":"1","priority":"normal","source":0,"url":"u"}"#,
            #"{"key":"k","ordinal":1,"priority":"urgent","source":0,"url":"u"}"#,
        ]
    )
    func refusals(text: String) {
        #expect {
            try PartitionLine(parsing: Data(text.utf8), name: "partitions/000003.jsonl.gz", number: 9)
        } throws: { "\($0)".contains("partitions/000003.jsonl.gz:9") }
    }
}
