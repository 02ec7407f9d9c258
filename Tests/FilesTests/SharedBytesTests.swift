import Files
import Foundation
import TestSupport
import Testing

@Suite struct SharedBytesTests {
    private func numbers(_ data: Data) -> [Int64] {
        stride(from: 0, to: data.count, by: 8).map { start in
            data[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    @Test("what is stored is in the file, and stays when it is mapped again")
    func stores() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("bytes")
        do {
            let bytes = try SharedBytes(path: path, count: 32)
            #expect(bytes.count == 32)
            bytes.store(7, at: 0)
            bytes.store(0x0102_0304_0506_0708, at: 24)
        }
        let again = try SharedBytes(path: path, count: 32)
        again.store(9, at: 8)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(numbers(data) == [7, 9, 0, 0x0102_0304_0506_0708])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("the file gets the size that is asked for, and its space on the disk")
    func size() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "x", count: 100), to: "bytes")
        _ = try SharedBytes(path: path, count: 16)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 120, count: 16))
        _ = try SharedBytes(path: path, count: 65_536)
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(status.st_size == 65_536)
        #expect(status.st_blocks * 512 >= 65_536)
    }

    @Test("a link is not followed, and a missing folder is named")
    func paths() throws {
        let folder = try TemporaryFolder()
        try folder.write("target", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"),
            withDestinationPath: "target"
        )
        let link = #expect(throws: FileError.self) { try SharedBytes(path: folder.path("link"), count: 8) }
        #expect(link?.code == ELOOP)
        let missing = #expect(throws: FileError.self) {
            try SharedBytes(path: folder.path("none/x"), count: 8)
        }
        #expect(missing?.code == ENOENT)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("target"))) == Data("target".utf8))
    }

    @Test("bytes in memory are shared with their file")
    func memory() throws {
        let file = try MemoryFile(size: 16)
        let bytes = try file.shared(count: 16)
        bytes.store(-1, at: 8)
        #expect(try file.read() == Data(repeating: 0, count: 8) + Data(repeating: 255, count: 8))
        #expect(throws: FileError.self) { try file.shared(count: 0) }
    }

    @Test("the last number is stored, and none beyond it or between two")
    func bounds() async throws {
        let bytes = try MemoryFile(size: 16).shared(count: 16)
        bytes.store(1, at: 8)
        await #expect(processExitsWith: .failure) {
            try MemoryFile(size: 4096).shared(count: 16).store(1, at: 16)
        }
        await #expect(processExitsWith: .failure) {
            try MemoryFile(size: 4096).shared(count: 16).store(1, at: 4)
        }
        await #expect(processExitsWith: .failure) {
            try MemoryFile(size: 4096).shared(count: 16).store(1, at: -8)
        }
    }
}
