import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct FactExtractorTests {
    private func png(_ width: Int, _ height: Int) throws -> Original {
        let pixels = Data((0..<width * height).flatMap { _ in [200, 20, 30, 255] as [UInt8] })
        return original(
            try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .png())
        )
    }

    @Test("finds what is asked for, and nothing else")
    func find() throws {
        let original = try png(3, 2)
        let header = try ImageHeader.read(original.data)
        let extractor = FactExtractor([.size, .format, .orientation, .exif], recorded: nil)
        let facts = try #require(try extractor.find(in: original, header))
        #expect(
            facts.json == #"{"exif":null,"format":"png","orientation":1,"size":{"height":2,"width":3}}"#
        )
        #expect(try FactExtractor([], recorded: nil).find(in: original, header) == nil)
    }

    @Test("facts that are seen in pixels need a decode, unless they are known")
    func pixels() throws {
        let original = try png(8, 8)
        let header = try ImageHeader.read(original.data)
        #expect(FactExtractor([.size, .exif], recorded: nil).chains(of: header).isEmpty)
        let extractor = FactExtractor([.size, .dominantColor], recorded: nil)
        #expect(extractor.chains(of: header).count == 1)
        let image = try ImageDecoder.decode(original.data)
        let facts = try #require(try extractor.find(in: original, header, image))
        guard case .string(let color) = facts[.dominantColor] else {
            Issue.record("there is no color")
            return
        }
        #expect(!color.isEmpty)
        let known = FactExtractor(
            [.size, .dominantColor],
            recorded: ItemFacts([.dominantColor: .string("c")])
        )
        #expect(known.chains(of: header).isEmpty)
        #expect(try known.find(in: original, header)?[.dominantColor]?.text == #""c""#)
    }

    @Test("what earlier runs found is not looked for again")
    func recorded() throws {
        let recorded = ItemFacts([.size: .string("known"), .format: .string("unwanted")])
        let all = FactExtractor([.size], recorded: recorded)
        #expect(all.isDone)
        #expect(all.knownJSON == #"{"size":"known"}"#)
        #expect(all.recorded?.json == #"{"size":"known"}"#)
        let some = FactExtractor([.size, .orientation], recorded: recorded)
        #expect(!some.isDone)
        let original = try png(3, 2)
        let facts = try some.find(in: original, ImageHeader.read(original.data))
        #expect(facts?.json == #"{"orientation":1,"size":"known"}"#)
        let none = FactExtractor([], recorded: recorded)
        #expect(none.isDone)
        #expect(none.knownJSON == nil)
        #expect(none.recorded == nil)
    }

    @Test("a warning of a later stage joins what earlier runs found, whether or not it was asked for")
    func laterWarning() throws {
        let recorded = try #require(
            ItemFacts(json: #"{"animation":{"frames":2},"warnings":["trailing_data"]}"#)
        )
        let extractor = FactExtractor([], recorded: recorded)
        #expect(extractor.recorded == nil)
        let facts = extractor.adding([.animationEnd], to: extractor.recorded)
        #expect(
            facts?.json == #"{"animation":{"frames":2},"warnings":["trailing_data","animation_end"]}"#
        )
        #expect(extractor.adding([], to: nil) == nil)
    }

    @Test("facts of other bytes are none")
    func otherBytes() async throws {
        let job = try RunningJob()
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let original = try png(3, 2)
        let facts = ItemFacts([.size: .string("known")])
        let result = ItemResult(
            .done,
            cacheKey: "key",
            originalSHA256: original.sha256,
            facts: facts.json
        )
        try await job.store.record(result, of: item)
        _ = try job.store.requeueFinished()
        let again = try #require(try await job.store.claim(limit: 1).first)
        #expect(FactExtractor([.size], of: again, original).isDone)
        #expect(!FactExtractor([.size], of: again, try png(2, 3)).isDone)
    }
}
