import Files
import Foundation
import Testing

@Suite struct MemoryFileTests {
    @Test("has its size from the start, in zeros")
    func size() throws {
        #expect(try MemoryFile().read().isEmpty)
        #expect(try MemoryFile(size: 5).read() == Data(count: 5))
    }

    @Test("is written and read at offsets")
    func offsets() throws {
        let file = try MemoryFile(size: 3)
        try file.write(Data("abc".utf8), at: 2)
        #expect(try file.read() == Data("\u{0}\u{0}abc".utf8))
        #expect(try file.read(from: 3) == Data("bc".utf8))
        #expect(try file.read(from: 5).isEmpty)
        #expect(try file.read(from: 9).isEmpty)
        try file.write(Data("z".utf8))
        #expect(try file.read() == Data("z\u{0}abc".utf8))
    }

    @Test("a duplicate of a stream is read as long as it is a file")
    func duplicates() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let pipe = try MemoryFile(duplicating: ends[0])
        let error = #expect(throws: FileError.self) { try pipe.read() }
        #expect(error?.code == EINVAL)
        let closed = #expect(throws: FileError.self) { try MemoryFile(duplicating: -1) }
        #expect(closed?.code == EBADF)
    }
}
