import Files
import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import NukeBatch

/// Outputs of a picture in PQ: each shows it or is refused, as it says itself.
@Suite(.timeLimit(.minutes(10))) struct HDRRenderingTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.png"]}],
         "outputs": [
          {"name": "mapped", "format": "png", "hdr": "tonemap"},
          {"name": "plain", "format": "png"},
          {"name": "kept", "format": "png", "hdr": "keep"},
          {"name": "copy", "format": "original"}
         ]}
        """#

    private let job: RunningJob
    private let journal: InFlightJournal

    init() throws {
        job = try RunningJob(Self.text)
        journal = try InFlightJournal(MemoryFile(size: InFlightJournal.oneSlotSize))
    }

    private func picture() throws -> Original {
        let path = Repository.root.appendingPathComponent("Tests/ReportedImages/png-cicp-pq.png")
        return original(try Data(contentsOf: path))
    }

    private func rendering(_ names: [String], facts: [Fact] = []) async throws -> Rendering {
        try await renderer(journal).render(try job.manifest.plan(names, facts: facts), from: picture(), of: 7)
    }

    /// The words for what became of each output.
    private func outcomes(_ rendering: Rendering) -> [String] {
        rendering.outputs.map { output in
            switch output.result {
            case .encoded: "made"
            case .skipped(let reason): reason
            case .failed(let error): error.code.rawValue
            }
        }
    }

    @Test("siblings without it fail alone; a copy is made")
    func siblings() async throws {
        let rendering = try await rendering(["mapped", "plain", "kept", "copy"], facts: [.dominantColor])
        #expect(outcomes(rendering) == ["made", "wrong_type", "wrong_type", "made"])
        guard case .encoded(let mapped) = rendering.outputs[0].result else { return }
        let expected = try ImageDecoder.decode(try picture().data, hdr: .tonemap)
        #expect(try ImageDecoder.decode(mapped.data).rgba() == expected.rgba())
        guard case .failed(let error) = rendering.outputs[1].result else { return }
        #expect(error.message.contains("\"hdr\": \"tonemap\""))
        #expect(rendering.facts?[.warnings]?.text == #"["tone_mapped"]"#)
        #expect(rendering.facts?[.dominantColor] != nil)
    }

    @Test("the item fails where no output shows it", arguments: [["plain"], ["kept", "plain"]])
    func refuses(names: [String]) async throws {
        let error = await #expect(throws: ItemError.self) {
            _ = try await rendering(names, facts: [.dominantColor])
        }
        #expect(error?.code == .wrongType && error?.message.contains("\"hdr\": \"tonemap\"") == true)
    }

    @Test("facts alone are about what is shown")
    func facts() async throws {
        let rendering = try await rendering([], facts: [.dominantColor])
        #expect(rendering.facts?[.dominantColor] != nil)
    }

    @Test("memory is reserved for the depth of the file")
    func memory() throws {
        let header = try ImageHeader.read(try picture().data)
        let plain = try ImageHeader.read(
            try ImageEncoder.encode(
                ImageDecoder.decode(try picture().data, bitDepth: 16, hdr: .tonemap),
                as: .png()
            )
        )
        #expect(header.bitDepth == 16 && plain.bitDepth == 16 && header.isHDR && !plain.isHDR)
        let cost = header.decodeCost(covering: nil, bitDepth: 16)
        #expect(header.decodeCost(covering: nil, bitDepth: 8) == cost)
        #expect(plain.decodeCost(covering: nil, bitDepth: 8) < cost, "the control")
    }
}
