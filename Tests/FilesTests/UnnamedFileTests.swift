import Foundation
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct UnnamedFileTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func file(_ text: String) throws -> UnnamedFile {
        let file = try UnnamedFile(in: folder)
        for character in text { try file.append(Data(String(character).utf8)) }
        return file
    }

    private func name(_ file: UnnamedFile, _ name: String, replaces: Bool = false) async throws {
        let writer = DurableWriter(threads: 1)
        let data = try file.mapped().data
        let result = await withCheckedContinuation { continuation in
            writer.submit(Payload(data), file: file, to: name, in: folder, replaces: replaces) {
                continuation.resume(returning: $0)
            }
        }
        try result.get()
    }

    private func inode(_ path: String) throws -> UInt64 {
        try #require(try folder.examine(path)).inode
    }

    @Test("bytes are appended, read and mapped, and nothing is left in the folder")
    func bytes() throws {
        let file = try file("hello")
        #expect(file.count == 5)
        #expect(try file.read(1..<3) == Data("el".utf8))
        #expect(try file.read(3..<99) == Data("lo".utf8))
        let mapping = try file.mapped()
        try file.append(Data("!".utf8))
        #expect(mapping.data == Data("hello".utf8))
        #expect(try file.mapped().data == Data("hello!".utf8))
        #expect(try folder.names().isEmpty)
    }

    @Test("mapped bytes outlive the file, and their memory can be given back and loaded again")
    func mapping() throws {
        var file: UnnamedFile? = try UnnamedFile(in: folder)
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try file?.append(bytes)
        let mapping = try #require(try file?.mapped())
        file = nil
        try mapping.load()
        #expect(mapping.data == bytes)
        mapping.releaseMemory()
        #expect(mapping.data == bytes)
    }

    @Test("mapped data that is changed is a copy")
    func change() throws {
        let file = try file("hello")
        var data = try file.mapped().data
        data[0] = 0x4A
        data.append(0x21)
        #expect(data == Data("Jello!".utf8))
        #expect(try file.read(0..<9) == Data("hello".utf8))
    }

    @Test("empty bytes can be mapped")
    func empty() throws {
        let mapping = try file("").mapped()
        try mapping.load()
        #expect(mapping.data.isEmpty)
    }

    /// The inode number of the file itself.
    private func inode(_ file: UnnamedFile) -> UInt64 {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    @Test("a writer names the file itself, and not over another file")
    func naming() async throws {
        let file = try file("hello")
        try temporary.write("old", to: "d")
        let error = await #expect(throws: FileError.self) { try await name(file, "d") }
        #expect(error?.code == EEXIST)
        try await name(file, "d", replaces: true)
        #expect(try folder.read("d") == Data("hello".utf8))
        #expect(try inode("d") == inode(file))
        #expect(try folder.names() == ["d"])
    }

    @Test("a file gets one name, and a second one is another file")
    func secondName() async throws {
        let file = try file("hello")
        try await name(file, "a/b")
        #expect(try inode("a/b") == inode(file))
        // To rename one name of a file to another does nothing, and would leave the temporary one.
        try await name(file, "a/b", replaces: true)
        #expect(try folder.folder("a").names() == ["b"])
        try await name(file, "c")
        #expect(try inode("c") != inode("a/b"))
        #expect(try folder.read("a/b") == folder.read("c"))
    }

    @Test("two jobs that write the file at the same time make two files")
    func sharedByTwoJobs() throws {
        let file = try file("hello")
        let first = try newFile(file, named: "a")
        let second = try newFile(file, named: "b")
        _ = try second.name()
        _ = try first.name()
        #expect(try inode("a") == inode(file) && inode("b") != inode(file))
    }

    @Test("a job that failed leaves the file to another, once")
    func givenBack() throws {
        let file = try file("hello")
        try temporary.write("old", to: "a")
        do {
            let failed = try newFile(file, named: "a")
            #expect(throws: FileError.self) { try failed.name() }
            _ = try newFile(file, named: "b").name()
        }
        #expect(try inode("b") == inode(file))
        _ = try newFile(file, named: "c").name()
        #expect(try inode("c") != inode(file))
    }

    private func newFile(_ file: UnnamedFile, named name: String) throws -> NewFile {
        let data = try file.mapped().data
        let job = WriteJob(payload: Payload(data), file: file, name: name, folder: folder, replaces: false) {
            _ in
        }
        return try NewFile(job, named: name, in: folder)
    }

    @Test("a file whose names were all removed is written again")
    func renaming() async throws {
        let file = try file("hello")
        try await name(file, "a")
        try folder.remove("a")
        try await name(file, "b")
        #expect(try folder.read("b") == Data("hello".utf8))
        #expect(try folder.names() == ["b"])
    }

    @Test("a range is copied into a held file, which is cut behind it")
    func copy() throws {
        let source = try UnnamedFile(in: folder)
        let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try source.append(bytes)
        let held = try #require(try HeldFile("a", in: folder, create: true))
        try held.copy(0..<10, of: source) { _ in }
        var pieces = Data()
        try held.copy(5..<600_000, of: source) { pieces.append($0) }
        #expect(pieces == bytes[5..<600_000])
        #expect(try held.mapped(count: .max).data == bytes[..<600_000])
        #expect(try held.mapped(count: 7).data == bytes[..<7])
        #expect(throws: FileError.self) { try held.copy(0..<700_001, of: source) { _ in } }
    }

    @Test("a file of the folder is copied up to a limit, and mapped only at its length")
    func folderFiles() throws {
        try temporary.write("hello", to: "a")
        let copy = try UnnamedFile(in: folder)
        var pieces = Data()
        try folder.copy(BytePath("a"), to: copy, limit: 5) { pieces.append($0) }
        #expect(try pieces == Data("hello".utf8) && copy.mapped().data == pieces)
        let error = #expect(throws: FileError.self) {
            try folder.copy(BytePath("a"), to: copy, limit: 4) { _ in }
        }
        #expect(error?.code == EFBIG)
        #expect(try folder.mapWithStatus("a", count: 5).file.data == Data("hello".utf8))
        #expect(throws: FileError.self) { try folder.mapWithStatus("a", count: 4) }
        #expect(throws: FileError.self) { try folder.mapWithStatus("b", count: 4) }
    }
}
