import Files
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DurableWriterTests {
    @Test("files are written, replaced, and leave nothing beside them")
    func writeAndReplace() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter()
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    try await writer.write(
                        Data("\(number)".utf8),
                        to: "a/b\(number % 3)/\(number)",
                        in: folder
                    )
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<100 {
            #expect(try folder.read("a/b\(number % 3)/\(number)") == Data("\(number)".utf8))
        }
        try await writer.write(Data(), to: "a/b0/0", in: folder)
        #expect(try folder.read("a/b0/0").isEmpty)
        let names = try folder.folder("a/b0").names()
        #expect(names.count == 34)
        #expect(names.allSatisfy { !$0.hasPrefix(".") })
    }

    @Test("the litter of an interrupted replacement is removed when it is done again")
    func litter() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        try await writer.write(Data("old".utf8), to: "picture.jpg", in: folder)
        let beside = ".nb-\(Digest.sha1.hex(of: "picture.jpg").prefix(16)).tmp"
        try temporary.write("half", to: beside)
        try await writer.write(Data("new".utf8), to: "picture.jpg", in: folder)
        #expect(try folder.names() == ["picture.jpg"])
        #expect(try folder.read("picture.jpg") == Data("new".utf8))
    }

    @Test("no name leads out of the folder", arguments: ["../out", "/tmp/out", "link/out", "a/../../out"])
    func confined(name: String) async throws {
        let temporary = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("link"),
            withDestinationPath: outside.path
        )
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        await #expect(throws: FileError.self) { try await writer.write(Data("x".utf8), to: name, in: folder) }
        #expect(throws: FileError.self) { try folder.read(name) }
        #expect(try Folder(path: outside.path).names().isEmpty)
    }

    @Test("a failed write leaves the old content; a full disk counts as the machine's trouble")
    func error() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        try await writer.write(Data("x".utf8), to: "file", in: folder)
        let error = await #expect(throws: FileError.self) {
            try await writer.write(Data("y".utf8), to: "file/below", in: folder)
        }
        #expect(error?.code == ENOTDIR)
        #expect(FileError("write", "x", code: ENOSPC).isLocalTrouble)
        #expect(try folder.read("file") == Data("x".utf8))
    }
}
