import Foundation
import Imaging
import TestSupport
import Testing

@testable import NukeBatch

@Suite struct RenderRequestTests {
    private func request(isFromNetwork: Bool = true, isLengthProven: Bool = false) -> RenderRequest {
        RenderRequest(
            manifest: "/jobs/job.json",
            manifestText: Data("{}".utf8),
            manifestFiles: ["/jobs/job.json": Data("{}".utf8)],
            manifestSHA256: "5f",
            memory: 1 << 40,
            item: .max,
            source: 3,
            outputs: ["small", "größer"],
            digests: ["1", "2"],
            facts: ["size"],
            knownFacts: nil,
            original: Data([0, 255, 128]),
            originalSHA256: "ab",
            isFromNetwork: isFromNetwork,
            isLengthProven: isLengthProven,
            watermarks: ["https://a.example/mark.png": Data([7])]
        )
    }

    private func decode(_ data: Data) throws -> RenderReply {
        try PropertyListDecoder().decode(RenderReply.self, from: data)
    }

    private func made(_ results: [RenderedOutput.Result], facts: String? = nil) throws -> Data {
        try RenderReply.made(results, facts: facts).propertyList()
    }

    @Test("a request arrives as it was sent")
    func whole() throws {
        let sent = request()
        let got = try PropertyListDecoder().decode(RenderRequest.self, from: try sent.propertyList())
        #expect(got.manifestText == sent.manifestText && got.manifestFiles == sent.manifestFiles)
        #expect(got.manifest == sent.manifest && got.manifestSHA256 == sent.manifestSHA256)
        #expect(got.memory == 1 << 40 && got.item == .max && got.source == 3)
        #expect(got.outputs == sent.outputs && got.digests == sent.digests)
        #expect(got.facts == ["size"] && got.knownFacts == nil)
        #expect(got.original == sent.original && got.originalSHA256 == "ab")
        #expect(got.isFromNetwork && !got.isLengthProven)
        #expect(got.watermarks == sent.watermarks)
    }

    @Test("a child judges an original by where it came from", arguments: [false, true], [false, true])
    func loaded(isFromNetwork: Bool, isLengthProven: Bool) {
        let loaded = request(isFromNetwork: isFromNetwork, isLengthProven: isLengthProven).loaded
        #expect(loaded.data == Data([0, 255, 128]) && loaded.sha256 == "ab")
        #expect(loaded.cacheKey == nil && loaded.reservation == nil)
        let error = loaded.explain(ImagingError(.truncated, "cut"))
        let isRetried = isFromNetwork && !isLengthProven
        #expect(error.code == (isRetried ? .truncated : .corrupt))
        #expect(error.handling == (isRetried ? .retry(atMost: 2) : .permanent))
    }

    @Test("results arrive as they were sent, in their order")
    func results() throws {
        let output = RenderedOutput.Encoded(
            data: Data([1, 2, 3]),
            sha256: "cd",
            size: PixelSize(width: 30, height: 20),
            format: .jpeg,
            encoder: nil
        )
        let sent: [RenderedOutput.Result] = [
            .skipped("exists"), .encoded(output), .failed(itemError("limits", "too large")),
        ]
        guard case .made(let results, let facts) = try decode(try made(sent, facts: "{}")) else {
            Issue.record("it is another reply")
            return
        }
        #expect(facts == "{}")
        try #require(results.count == 3)
        guard case .skipped("exists") = results[0], case .encoded(let got) = results[1],
            case .failed(let error) = results[2]
        else {
            Issue.record("\(results)")
            return
        }
        #expect(got.data == output.data && got.sha256 == "cd" && got.encoder == nil)
        #expect(got.size == output.size && got.format == .jpeg)
        #expect(error.code == .limits && error.message == "too large")
    }

    @Test(
        "errors arrive with their consequence",
        arguments: [
            .permanent, .retry(atMost: nil), .retry(atMost: 2), .nextRun, .hostHeld(milliseconds: 1500),
            .interrupted, .suspect, .quarantine, .local,
        ] as [ItemError.Handling]
    )
    func errors(handling: ItemError.Handling) throws {
        let sent = itemError("http_503", "later", handling: handling, status: 503)
        guard case .failed(let error) = try decode(try RenderReply.failed(sent).propertyList()) else {
            Issue.record("it is another reply")
            return
        }
        #expect(error.handling == handling)
        #expect(error.code == .http(503) && error.message == "later" && error.status == 503)
    }

    @Test("a reply that was cut off is no reply")
    func cut() throws {
        let reply = try made([.skipped("exists"), .failed(itemError("limits"))], facts: "{}")
        for count in 0..<reply.count {
            #expect(throws: (any Error).self, "cut to \(count)") { try decode(reply.prefix(count)) }
        }
        let unknown = try PropertyListEncoder().encode(["another": ["_0": "reply"]])
        #expect(throws: DecodingError.self) { try decode(unknown) }
    }

    @Test("a damaged reply is an error or another reply, and no crash")
    func damaged() throws {
        let reply = try made([.skipped("exists"), .failed(itemError("limits", "too large"))], facts: "{}")
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var errors = 0
        for _ in 0..<2000 {
            var bytes = reply
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            if (try? decode(bytes)) == nil { errors += 1 }
        }
        #expect(errors > 0, "the seed is \(seed)")
    }
}
