import Files
import Foundation
import JobFixtures
import JobManifest
import JobStorage
import Testing

@testable import Datasets

@Suite struct DatasetIndexTests {
    private static let original = Digest.sha256.hex(of: "original")

    private func job(index: String) throws -> RunningJob {
        try RunningJob(
            #"""
            {"sources": [{"urls": ["https://a.example/1.jpg"]}],
             "outputs": [{"name": "small", "format": "jpeg"}], "dataset": {"index": "\#(index)"}}
            """#
        )
    }

    private func record(_ job: RunningJob) async throws {
        let items = try await job.claim(hosts: ["a.example", "b.example", "c.example"])
        let outputs = [
            [output("small", path: "1.jpg"), output("web", .skipped, reason: "exists")],
            [output("small", .skipped, reason: "exists")], [output("small", path: "3.jpg")],
        ]
        for (item, outputs) in zip(items, outputs) {
            let isSkipped = outputs.allSatisfy { $0.state == .skipped }
            let result = ItemResult(
                isSkipped ? .skipped(reason: "exists") : .done,
                originalSHA256: Self.original,
                outputs: outputs
            )
            try await job.store.record(result, of: item)
        }
    }

    private func lines(_ index: DatasetIndex) throws -> [String] {
        try String(contentsOfFile: index.path, encoding: .utf8).components(separatedBy: "\n").filter {
            !$0.isEmpty
        }
    }

    @Test("a line for each finished output, in the manifest's order")
    func lines() async throws {
        let job = try job(index: "rows/index.jsonl")
        try await record(job)
        let index = try #require(DatasetIndex(job.manifest, job.reader, state: job.store.path))
        #expect(index.path == job.manifest.destination.description + "/rows/index.jsonl")
        #expect(try await !index.isThere)
        #expect(try await index.write { false })
        #expect(try await index.isThere)
        let lines = try lines(index)
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""path":"1.jpg""#) == true, "\(lines)")
        #expect(lines.first?.contains(#""id":"id-1""#) == true, "\(lines)")
        #expect(lines.first?.contains(#""offset":null"#) == true, "\(lines)")
        #expect(lines.last?.contains(#""path":"3.jpg""#) == true, "\(lines)")
        let folder = try Folder(path: job.manifest.destination.description + "/rows")
        #expect(try folder.names().sorted() == ["index.jsonl"])
    }

    @Test("a table has the same rows below their names")
    func table() async throws {
        let job = try job(index: "index.csv")
        try await record(job)
        let index = try #require(DatasetIndex(job.manifest, job.reader, state: job.store.path))
        #expect(try await index.write { false })
        let hash = String(repeating: "a1", count: 32)
        let text = try String(contentsOfFile: index.path, encoding: .utf8)
        let expected = [
            "item,url,path,width,height,bytes,hash,id,name,offset,original",
            "1,https://a.example/1.jpg,1.jpg,3,2,4,\(hash),id-1,small,,\(Self.original)",
            "3,https://c.example/3.jpg,3.jpg,3,2,4,\(hash),id-3,small,,\(Self.original)",
        ]
        #expect(text == expected.map { $0 + "\r\n" }.joined())
    }

    @Test("one that is stopped leaves the earlier one as it was")
    func stop() async throws {
        let job = try job(index: "index.jsonl")
        try await record(job)
        let index = try #require(DatasetIndex(job.manifest, job.reader, state: job.store.path))
        #expect(try await !index.write { true })
        #expect(try await !index.isThere)
        #expect(try await index.write { false })
        let before = try lines(index)
        #expect(try await !index.write { true })
        #expect(try lines(index) == before)
        #expect(try Folder(path: job.manifest.destination.description).names().sorted() == ["index.jsonl"])
    }

    @Test("a manifest that asks for none has none")
    func none() throws {
        let job = try RunningJob()
        #expect(DatasetIndex(job.manifest, job.reader, state: job.store.path) == nil)
    }
}
