import Foundation
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct WholeTransferTests {
    private func withFile<Result>(
        _ content: String,
        flags: Int32 = O_RDWR,
        body: (Int32) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let file = open(try folder.write(content, to: "file"), flags)
        try #require(file >= 0)
        defer { close(file) }
        return try body(file)
    }

    @Test("reads what is there", arguments: [(0, 0, 4, "0123"), (3, 0, 100, "0123456789"), (0, 8, 4, "89")])
    func reads(skipped: Int, offset: Int, count: Int, expected: String) throws {
        let data = try withFile("0123456789") { file in
            lseek(file, off_t(skipped), SEEK_SET)
            return try WholeTransfer.read(count: count, from: file, at: offset, path: "file")
        }
        #expect(data == Data(expected.utf8))
    }

    @Test("a negative count reads nothing")
    func negative() throws {
        #expect(try withFile("x") { try WholeTransfer.read(count: -1, from: $0, path: "file") }.isEmpty)
    }

    @Test("a read that the system does in parts is whole")
    func parts() throws {
        // The kernel hands out a page or so of its symbols at a time.
        let path = "/proc/kallsyms"
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return }
        defer { close(file) }
        let data = try WholeTransfer.read(count: 100_000, from: file, path: path)
        var expected = Data()
        var buffer = [UInt8](repeating: 0, count: 1000)
        while expected.count < 100_000 {
            let count = pread(file, &buffer, min(1000, 100_000 - expected.count), off_t(expected.count))
            guard count > 0 else { break }
            expected += buffer[..<count]
        }
        #expect(data == expected)
    }

    @Test("writes at an offset and nothing else")
    func writes() throws {
        let data = try withFile("0123456789") { file in
            try WholeTransfer.write(Data("ab".utf8), to: file, at: 4, path: "file")
            try WholeTransfer.write(Data(), to: file, at: 0, path: "file")
            try WholeTransfer.write(Data("z".utf8), to: file, at: 11, path: "file")
            return try WholeTransfer.read(count: 20, from: file, path: "file")
        }
        #expect(data == Data("0123ab6789\u{0}z".utf8))
    }

    @Test("the errors of the system name the file")
    func errors() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let error = #expect(throws: FileError.self) {
            try WholeTransfer.write(Data("x".utf8), to: full, path: "the path")
        }
        #expect(error == FileError("write", "the path", code: ENOSPC))
        let closed = #expect(throws: FileError.self) {
            try WholeTransfer.read(count: 1, from: -1, path: "the path")
        }
        #expect(closed == FileError("read", "the path", code: EBADF))
    }

    @Test("a write that the system does in parts goes on where it stopped")
    func shortWrites() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let file = open(try folder.write("", to: "file"), O_RDWR)
            signal(SIGXFSZ, SIG_IGN)
            // The first call writes 1000 of the 1500 bytes, the next one none.
            var limit = rlimit(rlim_cur: 1000, rlim_max: .max)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            let bytes = Data((0..<1500).map { UInt8(truncatingIfNeeded: $0 / 7) })
            var code: Int32 = 0
            do throws(FileError) {
                try WholeTransfer.write(bytes, to: file, path: "file")
            } catch {
                code = error.code
            }
            let written = try WholeTransfer.read(count: 2000, from: file, path: "file")
            try #require(code == EFBIG)
            try #require(written == bytes.prefix(1000))
        }
    }
}
