import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import Testing

@testable import NukeBatch

@Suite struct DecodeNeedTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}],
         "outputs": [
          {"name": "flat", "format": "jpeg",
           "processors": [{"resize": {"width": 80, "height": 10, "contentMode": "fill"}}]},
          {"name": "tall", "format": "jpeg",
           "processors": [{"resize": {"width": 10, "height": 90, "contentMode": "fill"}}]},
          {"name": "tall-png", "format": "png",
           "processors": [{"resize": {"width": 10, "height": 90, "contentMode": "fill"}}]},
          {"name": "whole", "format": "jpeg"},
          {"name": "smallest",
           "format": {"smallest": {"formats": ["webp", "jpeg", "png"], "quality": {"ssimulacra2": 70}}},
           "processors": [{"resize": {"width": 10, "height": 90, "contentMode": "fill"}}]},
          {"name": "copy", "format": "original"},
          {"name": "large", "format": "png", "when": {"minWidth": 1000}},
          {"name": "outside", "format": "png", "processors": [{"crop": {"rect": [500, 500, 10, 10]}}]}
         ]}
        """#

    private let job: RunningJob
    private let header: ImageHeader

    // Not inlined: Swift 6.3.1 crashes when it optimizes a test with this in it.
    @inline(never) init() throws {
        job = try RunningJob(Self.text)
        header = try ImageHeader.read(pngFile(200, 100))
    }

    private func need(_ names: String..., facts: [Fact] = []) throws -> DecodeNeed? {
        try DecodeNeed(job.manifest.plan(names, facts: facts), header)
    }

    @Test(
        "an original is decoded as small as all of its outputs allow",
        arguments: [(["flat"], 10), (["flat", "tall"], 90), (["tall", "flat"], 90)]
    )
    func covering(names: [String], height: Int) throws {
        let need = try DecodeNeed(job.manifest.plan(names, facts: []), header)
        #expect(need?.covering == PixelSize(width: 80, height: height))
    }

    @Test("one output that needs every pixel needs them for all")
    func whole() throws {
        let found = try #require(try need("flat", "whole", "tall"))
        #expect(found.covering == nil)
        #expect(found.decodeBytes == header.decodeCost(covering: nil, bitDepth: 8))
    }

    @Test("copies and outputs that are skipped need no pixels")
    func copies() throws {
        #expect(try need() == nil)
        #expect(try need("copy") == nil)
        #expect(try need("copy", "large") == nil)
        let found = try #require(try need("copy", "large", "flat"))
        #expect(found.covering == PixelSize(width: 80, height: 10))
        #expect(found.bitDepth == 8)
    }

    @Test("an output that cannot be made of an image of this size needs no pixels")
    func impossible() throws {
        #expect(try need("outside") == nil)
        #expect(try need("outside", "copy") == nil)
        #expect(try need("outside", "flat")?.covering == PixelSize(width: 80, height: 10))
    }

    @Test("facts need pixels only if they are seen in them")
    func facts() throws {
        #expect(try need(facts: [.size, .format, .exif]) == nil)
        #expect(try need(facts: [.size, .dominantColor])?.covering == PixelSize(width: 100, height: 50))
        #expect(try need("tall", facts: [.blurHash])?.covering == PixelSize(width: 100, height: 90))
        let known = FactExtractor([.blurHash], recorded: ItemFacts([.blurHash: .string("known")]))
        #expect(try DecodeNeed(OutputPlan(recipes: [], facts: known), header) == nil)
    }

    @Test(
        "a drawing is as large as a hash needs it, but a long one no longer than 4096 pixels",
        arguments: [
            ((100, 50), (512, 512)), ((80, 10), (512, 512)), ((1000, 2), (4096, 8)), ((1, 9000), (1, 4096)),
        ]
    )
    func hashOfDrawing(size: (Int, Int), covering: (Int, Int)) throws {
        let need = try DecodeNeed(job.manifest.plan([], facts: [.pdq]), drawing(size.0, size.1))
        #expect(need?.covering == PixelSize(width: covering.0, height: covering.1))
    }

    @Test("an output for which a drawing would be too large needs none, and leaves it to the others")
    func tooLargeDrawing() throws {
        let line = try drawing(1000, 1)
        #expect(try DecodeNeed(job.manifest.plan(["tall"], facts: []), line) == nil)
        let both = try DecodeNeed(job.manifest.plan(["tall", "flat"], facts: []), line)
        #expect(both?.covering == PixelSize(width: 80, height: 10))
    }

    private func drawing(_ width: Int, _ height: Int) throws -> ImageHeader {
        try ImageHeader.read(
            Data("<svg xmlns='http://www.w3.org/2000/svg' width='\(width)' height='\(height)'/>".utf8)
        )
    }

    @Test("more than eight bits are decoded only for an output that keeps them")
    func depth() throws {
        #expect(try need("flat", "tall")?.bitDepth == 8)
        #expect(try need("flat", "tall-png")?.bitDepth == 16)
        #expect(try need("flat", "smallest")?.bitDepth == 16)
        #expect(try need(facts: [.dominantColor])?.bitDepth == 8)
    }

    @Test("outputs are worked on one after the other, so the largest counts")
    func bytes() throws {
        let (flat, tall) = (try #require(try need("flat")), try #require(try need("tall")))
        let both = try #require(try need("flat", "tall"))
        #expect(try need("tall", "tall")?.bytes == tall.bytes)
        #expect(try need("flat", "flat")?.bytes == flat.bytes)
        #expect(both.bytes >= both.decodeBytes)
        let size = header.decodedSize(covering: both.covering, bitDepth: 8)
        let costs = try job.manifest.recipes(["flat", "tall"]).map { recipe in
            try recipe.chain.memoryCost(
                of: size,
                originalSize: header.size,
                bitDepth: 8,
                for: recipe.encodings(of: header)
            )
        }
        #expect(costs[0] != costs[1])
        #expect(both.bytes == max(both.decodeBytes, 4 * size.area + max(costs[0], costs[1])))
    }
}
