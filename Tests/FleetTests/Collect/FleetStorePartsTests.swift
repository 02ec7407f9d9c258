import Files
import Foundation
import JobPlanning
import TestSupport
import Testing

@testable import Fleet

/// The files of parts of a collection, which are written to the store in pieces.
@Suite struct FleetStorePartsTests {
    private let folder: TemporaryFolder
    private let store: FleetStore
    private let part = CollectPart(2, of: 3)

    init() throws {
        folder = try TemporaryFolder()
        store = try FleetStore(folder.path("store"), environment: [:], creates: true)
    }

    private func record(of pieces: [PartRecord.Piece]) -> PartRecord {
        let name = SHA256Name(of: Data())
        return PartRecord(
            plan: name,
            part: part.number,
            parts: part.count,
            version: "0",
            commits: name,
            refused: [],
            contradictions: [],
            shards: [],
            pieces: pieces,
            files: []
        )
    }

    @Test("a large file is written in pieces, which come back as they were", arguments: [0, 1, 5])
    func pieces(rest: Int) async throws {
        let most = PartRecord.Piece.most
        let bytes = Data((0..<251).map { UInt8($0) })
        let path = folder.path("state")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for offset in [0, most - 100, most + max(0, rest - 251)] {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: bytes)
        }
        try file.truncate(atOffset: UInt64(most + rest))
        try file.close()
        let pieces = try await store.writePieces(of: path, part: part)
        #expect(pieces.map(\.bytes) == (rest == 0 ? [most] : [most, rest]))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path("store/\(FleetKey.part(part))")
        )
        #expect(Set(names) == Set(pieces.map { "\($0.sha256)" }))
        let record = record(of: pieces)
        #expect(try await store.hasPieces(of: record, part: part))
        try await store.readPieces(of: record, part: part, to: folder.path("copy"))
        let digests = try [path, folder.path("copy")].map { try Digest.sha256.hex(of: Payload(file: $0)) }
        #expect(digests[0] == digests[1])
        // A piece that was changed is none.
        try await store.write(Data("other".utf8), at: "\(FleetKey.part(part))\(pieces[0].sha256)")
        #expect(try await store.hasPieces(of: record, part: part) == false)
        await #expect {
            try await store.readPieces(of: record, part: part, to: folder.path("copy"))
        } throws: {
            "\($0)".contains("is missing or was changed")
        }
    }

    @Test("of an empty file nothing is written")
    func empty() async throws {
        #expect(FileManager.default.createFile(atPath: folder.path("state"), contents: nil))
        #expect(try await store.writePieces(of: folder.path("state"), part: part).isEmpty)
        #expect(try await store.hasPieces(of: record(of: []), part: part))
    }
}
