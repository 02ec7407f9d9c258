import Files
import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import Testing

@testable import NukeBatch

/// The gain map of an original in each output, and what the item's facts say of it.
@Suite(.timeLimit(.minutes(5))) struct GainMapFateTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}],
         "outputs": [
          {"name": "kept", "format": "jpeg", "hdr": "keep", "processors": [{"resize": {"width": 40}}]},
          {"name": "plain", "format": "jpeg", "processors": [{"resize": {"width": 40}}]},
          {"name": "png", "format": "png", "hdr": "keep"},
          {"name": "copy", "format": "original"},
          {"name": "same", "hdr": "keep", "format": "same"},
          {"name": "skipped", "format": "jpeg", "hdr": "keep", "when": {"minWidth": 1000}}
         ]}
        """#

    private let job: RunningJob
    private let journal: InFlightJournal

    init() throws {
        job = try RunningJob(Self.text)
        journal = try InFlightJournal(MemoryFile(size: InFlightJournal.oneSlotSize))
    }

    private func jpeg(_ width: Int, _ height: Int) throws -> Data {
        let pixels = Data((0..<width * height).flatMap { [UInt8($0 % 251), 90, 90, 255] })
        return try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .jpeg())
    }

    /// A JPEG of 80×60 pixels with a map of 20×15 behind it, which its directory names.
    private func file(gain: String = "3") throws -> Data {
        func segment(_ properties: String) -> Data {
            let packet = """
                http://ns.adobe.com/xap/1.0/\0<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
                xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \
                xmlns:c="http://ns.google.com/photos/1.0/container/" \
                xmlns:i="http://ns.google.com/photos/1.0/container/item/">\(properties)</rdf:RDF>
                """
            let count = 2 + packet.utf8.count
            return Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)]) + Data(packet.utf8)
        }
        let description = """
            <rdf:Description hdrgm:Version="1.0" hdrgm:GainMapMax="\(gain)" hdrgm:HDRCapacityMax="3"/>
            """
        let (map, base) = (try jpeg(20, 15), try jpeg(80, 60))
        let whole = map.prefix(2) + segment(description) + map.dropFirst(2)
        let directory = #"<c:Item i:Semantic="GainMap" i:Length="\#(whole.count)"/>"#
        return base.prefix(2) + segment(directory) + base.dropFirst(2) + whole
    }

    private func maps(_ rendering: Rendering) throws -> [String: Bool] {
        var maps: [String: Bool] = [:]
        for output in rendering.outputs {
            guard case .encoded(let encoded) = output.result else { continue }
            maps[output.recipe.output.name] = try ImageHeader.read(encoded.data).gainMap != nil
        }
        return maps
    }

    @Test("a map is kept where the output says so and its format has any, and the facts tell all")
    func fates() async throws {
        let plan = try job.manifest.plan(["kept", "plain", "png", "copy", "same", "skipped"])
        let rendering = try await renderer(journal).render(plan, from: original(try file()), of: 7)
        let expected = ["kept": true, "plain": false, "png": false, "copy": true, "same": true]
        #expect(try maps(rendering) == expected)
        let fact = try #require(rendering.facts?[.gainMap])
        #expect(
            fact.text == """
                {"dropped":{"plain":"hdr","png":"format"},"form":"adobe","height":15,\
                "kept":["copy","kept","same"],"width":20}
                """
        )
        guard case .encoded(let kept) = rendering.outputs[0].result else { throw CancellationError() }
        #expect(try ImageHeader.read(kept.data).gainMap?.size == PixelSize(width: 10, height: 8))
    }

    @Test(
        "an AVIF has the map, or the facts say that libavif is too old",
        .enabled(if: ImageEncoder.formats.contains(.avif))
    )
    func inAVIF() async throws {
        let job = try RunningJob(Self.text.replacing("\"png\", \"hdr\"", with: "\"avif\", \"hdr\""))
        let plan = try job.manifest.plan(["png", "plain"])
        let rendering = try await renderer(journal).render(plan, from: original(try file()), of: 7)
        let isKept = EncodingFormat.avif().keepsGainMaps
        #expect(try maps(rendering) == ["png": isKept, "plain": false])
        let fact = try #require(rendering.facts?[.gainMap]).text
        let kept = #"{"dropped":{"plain":"hdr"},"form":"adobe","height":15,"kept":["png"],"width":20}"#
        let dropped =
            #"{"dropped":{"plain":"hdr","png":"library"},"form":"adobe","height":15,"kept":[],"width":20}"#
        #expect(fact == (isKept ? kept : dropped))
    }

    @Test("a damaged map is dropped, and the output is made")
    func damaged() async throws {
        let plan = try job.manifest.plan(["kept"])
        let rendering = try await renderer(journal).render(plan, from: original(try file(gain: "x")), of: 7)
        #expect(try maps(rendering) == ["kept": false])
        #expect(rendering.facts?[.gainMap]?.text.contains(#""dropped":{"kept":"damaged"}"#) == true)
        let plain = try await renderer(journal).render(plan, from: original(try jpeg(80, 60)), of: 7)
        #expect(plain.facts == nil)
    }

    @Test("a copy alone needs no pixels, and has the fact too")
    func copies() async throws {
        let plan = try job.manifest.plan(["copy"])
        let rendering = try await renderer(journal).render(plan, from: original(try file()), of: 7)
        #expect(rendering.facts?[.gainMap]?.text.contains(#""kept":["copy"]"#) == true)
    }

    @Test("what earlier runs found of other outputs stays")
    func known() async throws {
        let first = try await renderer(journal).render(
            try job.manifest.plan(["kept", "plain"]),
            from: original(try file()),
            of: 7
        )
        let plan = OutputPlan(
            recipes: try job.manifest.recipes(["png"]),
            facts: FactExtractor([], recorded: first.facts)
        )
        let second = try await renderer(journal).render(plan, from: original(try file()), of: 7)
        let text = try #require(second.facts?[.gainMap]?.text)
        #expect(text.contains(#""dropped":{"plain":"hdr","png":"format"}"#))
        #expect(text.contains(#""kept":["kept"]"#))
    }

    @Test("an output that is skipped now has no map any more, and lacks none")
    func skipped() async throws {
        let recorded = ItemFacts(
            json:
                #"{"gainMap":{"dropped":{},"form":"adobe","height":15,"kept":["plain","skipped"],"width":20}}"#
        )
        let plan = OutputPlan(
            recipes: try job.manifest.recipes(["skipped"]),
            facts: FactExtractor([], recorded: recorded)
        )
        let rendering = try await renderer(journal).render(plan, from: original(try file()), of: 7)
        #expect(rendering.facts?[.gainMap]?.text.contains(#""kept":["plain"]"#) == true)
    }

    @Test("the memory for a map counts where it is kept")
    func memory() throws {
        let header = try ImageHeader.read(try file())
        let kept = try #require(try DecodeNeed(job.manifest.plan(["kept"]), header))
        let plain = try #require(try DecodeNeed(job.manifest.plan(["plain"]), header))
        #expect(kept.bytes > plain.bytes && kept.decodeBytes == plain.decodeBytes)
    }
}
