import Foundation
@testable import JobManifest
import TestSupport
import Testing

@Suite struct FileStreamTests {
    private func read(_ path: String, by size: Int) throws -> [String] {
        let stream = try FileStream(path: path, name: "a.txt")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { buffer.deallocate() }
        var pieces: [String] = []
        while case let count = try stream.read(into: buffer), count > 0 {
            pieces.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return pieces
    }

    @Test("a file is read in pieces, to its end")
    func pieces() throws {
        let folder = try TemporaryFolder()
        #expect(try read(try folder.write("abcde", to: "a.txt"), by: 2) == ["ab", "cd", "e"])
        #expect(try read(try folder.write("", to: "empty.txt"), by: 2) == [])
    }

    @Test("what cannot be read is told by the name that the manifest gives it")
    func wrong() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: SourceError.self) { try read(folder.path("gone"), by: 2) }
        #expect(missing?.description.hasPrefix("a.txt: there is no such file") == true)
        let directory = #expect(throws: SourceError.self) { try read(folder.path, by: 2) }
        #expect(directory?.description == "a.txt: is a folder, not a file")
    }

    @Test("a pipe is read to its end; one into which nobody writes is an error, not a wait")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let unused = try FileStream(path: path, name: "a.txt", patience: .zero)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: SourceError.self) { try unused.read(into: buffer) }
        #expect(error?.message == "is a pipe into which no program writes")
        let special = #expect(throws: SourceError.self) {
            try FileStream(path: path, name: "a.txt", mustBeRegular: true)
        }
        #expect(special?.message == "is not a regular file")

        let stream = try FileStream(path: path, name: "a.txt", patience: .seconds(600))
        let writer = try Program(path: "/bin/sh", ["-c", "printf abc > pipe"], in: folder.path)
        #expect(try stream.read(into: buffer) == 3)
        #expect(await writer.wait().exit == 0)
        #expect(try stream.read(into: buffer) == 0)
    }
}
