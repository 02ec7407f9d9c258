import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct NewFileTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func file(
        _ text: String,
        named name: String,
        staging: StagingFolder? = nil,
        replaces: Bool = true
    ) throws -> NewFile {
        let data = Data(text.utf8)
        let job = WriteJob(
            payload: Payload(data),
            name: name,
            folder: folder,
            staging: staging,
            replaces: replaces
        ) {
            _ in
        }
        return try NewFile(job, named: name, in: folder)
    }

    @Test("a file has no name before it is given one, and leaves nothing if it never is")
    func unnamed() throws {
        do {
            let new = try file("x", named: "a")
            _ = try new.sync()
            #expect(try folder.names().isEmpty)
        }
        #expect(try folder.names().isEmpty)
        _ = try file("x", named: "a").name()
        #expect(try folder.names() == ["a"])
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path("a"))
        #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o133 == 0)
    }

    @Test("a folder of the name is not replaced, and no temporary name stays")
    func folderInTheWay() throws {
        try temporary.write("x", to: "a/b")
        let error = #expect(throws: FileError.self) { _ = try file("y", named: "a").name() }
        #expect(error?.operation == "rename to")
        #expect(try folder.names() == ["a"])
        #expect(try folder.read("a/b") == Data("x".utf8))
    }

    @Test("a link of the name is replaced, its target is not written to")
    func linkInTheWay() throws {
        try temporary.write("target", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("a"),
            withDestinationPath: "target"
        )
        _ = try file("new", named: "a").name()
        #expect(try folder.read("a") == Data("new".utf8))
        #expect(try folder.read("target") == Data("target".utf8))
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("dangling"),
            withDestinationPath: "none"
        )
        let error = #expect(throws: FileError.self) {
            _ = try file("new", named: "dangling", replaces: false).name()
        }
        #expect(error?.code == EEXIST)
        #expect(try Set(folder.names()) == ["a", "dangling", "target"])
    }

    @Test("a file that replaces another has its temporary name in the staging folder")
    func staged() throws {
        let staging = StagingFolder(in: folder)
        try temporary.write("x", to: "a/b")
        #expect(throws: FileError.self) { _ = try file("y", named: "a", staging: staging).name() }
        try temporary.write("old", to: "b")
        _ = try file("new", named: "b", staging: staging).name()
        #expect(try folder.read("b") == Data("new".utf8))
        let owner = try folder.folder(".nuke-batch-writing").names()
        #expect(owner.count == 1 && UUID(uuidString: owner[0]) != nil, "\(owner)")
        staging.close()
        #expect(try Set(folder.names()) == ["a", "b"])
    }

    @Test("each name has its own temporary name, which another write of it removes")
    func temporaryNames() throws {
        for name in ["a", "b"] { try temporary.write("old", to: name) }
        let leftovers = ["a", "b"].map { ".nb-\(Digest.sha1.hex(of: $0).prefix(16)).tmp" }
        for leftover in leftovers { try temporary.write("half", to: leftover) }
        _ = try file("new", named: "a").name()
        #expect(try Set(folder.names()) == ["a", "b", leftovers[1]])
        #expect(try folder.read("a") == Data("new".utf8))
    }
}
