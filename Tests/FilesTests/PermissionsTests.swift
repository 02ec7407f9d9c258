import Foundation
import TestSupport
import Testing

@testable import Files

/// The attributes of files that replace others, and of new ones in folders that hand theirs down.
@Suite struct PermissionsTests {
    private static let bytes = Data(repeating: 7, count: 20_000)
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func old(_ name: String, _ mode: mode_t, list: AccessList? = nil) throws -> FileAttributes {
        try temporary.write("old", to: name)
        let path = temporary.path(name)
        try #require(chmod(path, mode) == 0)
        // Only root may give a file away.
        if geteuid() == 0 { try #require(chown(path, 12_345, 23_456) == 0) }
        try list?.set(on: path, byDefault: false)
        return try FileAttributes(path)
    }

    @Test(
        "a file that is replaced keeps its permissions",
        arguments: [0o600, 0o640, 0o664, 0o444] as [mode_t]
    )
    func replaced(_ mode: mode_t) async throws {
        let staging = StagingFolder(in: folder)
        defer { staging.close() }
        let writer = DurableWriter(threads: 2)
        let before = try old("a/written", mode)
        try await writer.write(Self.bytes, to: "a/written", in: folder, staging: staging)
        #expect(try FileAttributes(temporary.path("a/written")) == before)

        // A file with the same bytes that could be linked is as a new one, not as the old one.
        try await writer.write(Self.bytes, to: "source", in: folder)
        let source = try DurableFile("source", in: folder, mayBeLinked: true)
        let shared = try old("a/shared", mode)
        try await writer.write(Self.bytes, sharing: source, to: "a/shared", in: folder, staging: staging)
        #expect(try FileAttributes(temporary.path("a/shared")) == shared)
        #expect(try folder.read("a/shared") == Self.bytes)

        let held = try old("index", mode)
        try HeldFile("index.part", in: folder, create: true)?.write(Self.bytes, at: 0)
        try folder.publish("index.part", as: "index")
        #expect(try FileAttributes(temporary.path("index")) == held)
        #expect(try folder.read("index") == Self.bytes)

        let result = try old("report", mode)
        try ResultFile.write(Self.bytes, to: temporary.path("report"))
        #expect(try FileAttributes(temporary.path("report")) == result)
    }

    @Test("an access list stays with the file that is replaced, and none is added")
    func lists() async throws {
        guard AccessList.isSupported(at: temporary.path) else { return }
        let writer = DurableWriter(threads: 1)
        let with = try old("with", 0o640, list: AccessList(user: 33, permissions: 4))
        try #require(with.list != nil)
        let without = try old("without", 0o600)
        try AccessList(user: 44, permissions: 7).set(on: temporary.path, byDefault: true)
        for name in ["with", "without", "new"] { try await writer.write(Self.bytes, to: name, in: folder) }
        #expect(try FileAttributes(temporary.path("with")) == with)
        #expect(try FileAttributes(temporary.path("without")) == without)
        #expect(try FileAttributes(temporary.path("new")).list != nil)
    }

    @Test("a link is replaced, and the file that it leads to lends nothing")
    func link() async throws {
        let before = try old("target", 0o600)
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("link"),
            withDestinationPath: "target"
        )
        let writer = DurableWriter(threads: 1)
        try await writer.write(Self.bytes, to: "link", in: folder)
        try await writer.write(Self.bytes, to: "new", in: folder)
        #expect(try FileAttributes(temporary.path("target")) == before)
        #expect(
            try FileAttributes(temporary.path("link")).permissions
                == FileAttributes(temporary.path("new")).permissions
        )
    }
}
