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
}
