import Files
import Foundation
import TestSupport
import Testing

/// Bytes that are in memory or in a file: they are the same to who writes or reads them.
@Suite struct PayloadTests {
    /// More than two pieces, the last of which is not full.
    private static let bytes = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 253) })
    private let temporary: TemporaryFolder
    private let folder: Folder
    private let file: String

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
        file = temporary.path("source")
        try Self.bytes.write(to: URL(fileURLWithPath: file))
    }

    private var payloads: [Payload] {
        get throws { [Payload(Self.bytes), try Payload(file: file)] }
    }

    @Test("a payload has the bytes of its file, as a whole and in parts")
    func reads() throws {
        for payload in try payloads {
            #expect(payload.count == Self.bytes.count)
            #expect(try payload.read(0..<payload.count) == Self.bytes)
            #expect(try payload.read(7..<7).isEmpty)
            let part = payload[1_000_000..<2_400_000]
            #expect(part.count == 1_400_000)
            #expect(try part.read(0..<part.count) == Self.bytes[1_000_000..<2_400_000])
            #expect(try part[10..<20].read(1..<9) == Self.bytes[1_000_011..<1_000_019])
            for digest in [Digest.md5, .sha1, .sha256, .sha512] {
                #expect(try digest.hex(of: payload) == digest.hex(of: Self.bytes))
                #expect(try digest.bytes(of: part) == digest.bytes(of: Self.bytes[1_000_000..<2_400_000]))
            }
        }
    }

    @Test("a file is read a piece at a time, and bytes in memory are not copied into pieces")
    func pieces() throws {
        func sizes(_ payload: Payload) throws -> [Int] {
            var sizes: [Int] = []
            try payload.forEachPiece { sizes.append($0.count) }
            return sizes
        }
        let size = Payload.pieceSize
        #expect(try payloads.map(sizes) == [[2_500_000], [size, size, 2_500_000 - 2 * size]])
        try Data().write(to: URL(fileURLWithPath: temporary.path("empty")))
        #expect(try sizes(Payload(file: temporary.path("empty"))).isEmpty)
        #expect(try sizes(Payload(Data())).isEmpty)
    }

    @Test("what is no file, or has become shorter, is an error")
    func refusals() throws {
        #expect { try Payload(file: temporary.path("missing")) } throws: {
            ($0 as? FileError)?.isMissing == true
        }
        #expect(throws: FileError.self) { try Payload(file: temporary.path) }
        #expect(mkfifo(temporary.path("pipe"), 0o600) == 0)
        #expect(throws: FileError.self) { try Payload(file: temporary.path("pipe")) }
        let payload = try Payload(file: file)
        #expect(truncate(file, 2_000_000) == 0)
        #expect { try Digest.sha256.hex(of: payload) } throws: {
            ($0 as? FileError) == FileError("read", file, code: EIO)
        }
        #expect(try payload.read(0..<2_000_000) == Self.bytes[..<2_000_000])
    }

    @Test(
        "a file is written as bytes in memory are, with its own attributes, and an error leaves the old one"
    )
    func writes() async throws {
        let writer = DurableWriter(threads: 1)
        #expect(chmod(file, 0o400) == 0)
        for payload in [try Payload(file: file), try Payload(file: file)[5..<1_500_000]] {
            try await writer.write(payload, to: "a/copy", in: folder)
            #expect(try folder.read("a/copy") == payload.read(0..<payload.count))
            // Those of a new file, and not those of the source.
            let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path("a/copy"))
            #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o200 != 0)
        }
        let taken = await withCheckedContinuation { continuation in
            writer.submit(Payload(Self.bytes), to: "a/copy", in: folder, replaces: false) {
                continuation.resume(returning: $0)
            }
        }
        #expect { try taken.get() } throws: { ($0 as? FileError)?.code == EEXIST }
        let payload = try Payload(file: file)
        #expect(chmod(file, 0o600) == 0 && truncate(file, 10) == 0)
        await #expect(throws: FileError.self) { try await writer.write(payload, to: "a/copy", in: folder) }
        #expect(try folder.read("a/copy") == Self.bytes[5..<1_500_000])
        #expect(try folder.names().sorted() == ["a", "source"])
    }

    @Test("a file goes to a pipe, and to a file that a link leads to")
    func results() throws {
        let (target, link) = (temporary.path("target"), temporary.path("link"))
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try ResultFile.write(Payload(file: file), to: link)
        #expect(try folder.read("target") == Self.bytes)
        let pipe = temporary.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let descriptor = open(pipe, O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        let reader = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // As much as a pipe takes before it is read.
        try ResultFile.write(Payload(file: file)[0..<40_000], to: pipe)
        #expect(try reader.readToEnd() == Self.bytes[..<40_000])
    }
}
