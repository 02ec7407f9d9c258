import Foundation
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct DurableFileTests {
    private static let bytes = Data("the bytes of another".utf8)

    private let temporary: TemporaryFolder
    private let folder: Folder
    private let writer = DurableWriter(threads: 1, delay: 0)

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func source(mayBeLinked: Bool = true) async throws -> DurableFile {
        try await writer.write(Self.bytes, to: "source", in: folder)
        return try DurableFile("source", in: folder, mayBeLinked: mayBeLinked)
    }

    private func inode(_ name: String, in other: Folder? = nil) throws -> UInt64 {
        try #require(try (other ?? folder).examine(name)).inode
    }

    private func links(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path(name))
        return try #require(attributes[.referenceCount] as? Int)
    }

    /// True where files share blocks instead of being linked.
    private var sharesBlocks: Bool { temporary.sharesBlocks }

    @Test("a file shares the bytes of a durable one, and none of the two needs the other's name")
    func shared() async throws {
        let source = try await source()
        try await writer.write(Self.bytes, sharing: source, to: "a/copy", in: folder)
        #expect(try folder.read("a/copy") == Self.bytes)
        #expect(try (inode("a/copy") == inode("source")) == !sharesBlocks)
        try folder.remove("source")
        #expect(try folder.read("a/copy") == Self.bytes)
        // A file whose last name is gone cannot be linked any more: the bytes are written.
        try folder.remove("a/copy")
        try await writer.write(Self.bytes, sharing: source, to: "late", in: folder)
        #expect(try folder.read("late") == Self.bytes)
        #expect(try inode("late") != source.status.inode)
    }

    @Test(
        "it replaces an older file, another name of the same file too, and leaves no temporary name",
        arguments: [true, false]
    )
    func replaced(isStaged: Bool) async throws {
        let source = try await source()
        let staging = isStaged ? StagingFolder(in: folder) : nil
        try temporary.write("old", to: "copy")
        for _ in 0..<2 {
            try await writer.write(Self.bytes, sharing: source, to: "copy", in: folder, staging: staging)
            #expect(try folder.read("copy") == Self.bytes)
            #expect(try (inode("copy") == inode("source")) == !sharesBlocks)
            #expect(try links("source") == (sharesBlocks ? 1 : 2))
        }
        staging?.close()
        #expect(try Set(folder.names()) == ["source", "copy"])
        // With other bytes, the name leads to a file of its own again.
        try await writer.write(Data("new".utf8), to: "copy", in: folder)
        #expect(try folder.read("copy") == Data("new".utf8))
        #expect(try folder.read("source") == Self.bytes)
    }

    @Test("a file that may not be linked, of another file system, or of another length is written")
    func written() async throws {
        let fixed = try await source(mayBeLinked: false)
        try await writer.write(Self.bytes, sharing: fixed, to: "fixed", in: folder)
        #expect(try folder.read("fixed") == Self.bytes)
        #expect(try inode("fixed") != inode("source"))

        let source = try DurableFile("source", in: folder, mayBeLinked: true)
        try await writer.write(Data("longer".utf8) + Self.bytes, sharing: source, to: "longer", in: folder)
        #expect(try folder.read("longer") == Data("longer".utf8) + Self.bytes)

        let memory = try TemporaryFolder(in: "/dev/shm")
        let other = try Folder(path: memory.path)
        try await writer.write(Self.bytes, sharing: source, to: "other", in: other)
        #expect(try other.read("other") == Self.bytes)
        #expect(try links("source") == 1)
    }

    @Test("a file with other permissions, or of another group, than a new one would have is written")
    func unlikeNew() async throws {
        _ = try await source()
        try await writer.write(Self.bytes, to: "new", in: folder)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: temporary.path("source"))
        let secret = try DurableFile("source", in: folder, mayBeLinked: true)
        try await writer.write(Self.bytes, sharing: secret, to: "copy", in: folder)
        #expect(try folder.read("copy") == Self.bytes)
        #expect(try inode("copy") != inode("source"))
        let permissions = try ["copy", "new"].map {
            try manager.attributesOfItem(atPath: temporary.path($0))[.posixPermissions] as? Int
        }
        #expect(permissions[0] == permissions[1])
        // Only root may give a folder to another group.
        guard geteuid() == 0 else { return }
        let new = try DurableFile("new", in: folder, mayBeLinked: true)
        try temporary.write("x", to: "group/file")
        #expect(chown(temporary.path("group"), 0, 12_345) == 0)
        #expect(chmod(temporary.path("group"), 0o2755) == 0)
        try await writer.write(Self.bytes, sharing: new, to: "group/copy", in: folder)
        #expect(try inode("group/copy") != new.status.inode)
        let attributes = try manager.attributesOfItem(atPath: temporary.path("group/copy"))
        #expect(attributes[.groupOwnerAccountID] as? Int == 12_345)
    }

    @Test("a folder of the name is not replaced, and a name that must be free is not taken")
    func inTheWay() async throws {
        let source = try await source()
        try temporary.write("x", to: "folder/file")
        let error = await #expect(throws: FileError.self) {
            try await writer.write(Self.bytes, sharing: source, to: "folder", in: folder)
        }
        #expect(error?.operation == "rename to" || error?.operation == "link")
        try temporary.write("taken", to: "taken")
        let result = await withCheckedContinuation { continuation in
            writer.submit(Payload(Self.bytes), sharing: source, to: "taken", in: folder, replaces: false) {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: FileError.self) { try result.get() }
        #expect(try folder.read("taken") == Data("taken".utf8))
        #expect(try Set(folder.names()) == ["source", "folder", "taken"])
    }

    @Test("a batch of shared files and others is written as one")
    func batch() async throws {
        let source = try await source()
        let writer = DurableWriter(threads: 2, delay: 0.05)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try await writer.write(
                        number % 3 == 0 ? Data("\(number)".utf8) : Self.bytes,
                        sharing: number % 3 == 1 ? source : nil,
                        to: "batch/\(number)",
                        in: folder
                    )
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<200 {
            let expected = number % 3 == 0 ? Data("\(number)".utf8) : Self.bytes
            #expect(try folder.read("batch/\(number)") == expected)
            #expect(try (inode("batch/\(number)") == inode("source")) == (number % 3 == 1 && !sharesBlocks))
        }
    }
}
