import Foundation
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct StagingFolderTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    /// The names that are left below the folder.
    private func names() -> Set<String> {
        Set(
            FileManager.default.enumerator(atPath: temporary.path)?.allObjects.compactMap { $0 as? String }
                ?? []
        )
    }

    @Test("nothing is made before it is needed, and nothing stays")
    func life() throws {
        let staging = StagingFolder(in: folder)
        #expect(names().isEmpty)
        let first = try #require(try staging.newName(for: folder))
        let second = try #require(try staging.newName(for: folder))
        #expect(first.name != second.name && first.folder === second.folder)
        #expect(names().count == 2, "the folder and the file that is held")
        staging.close()
        #expect(names().isEmpty)
        staging.close()
    }

    @Test("names of dead processes are removed, those of others stay")
    func sweep() throws {
        let living = StagingFolder(in: folder)
        let place = try #require(try living.newName(for: folder))
        let dead = UUID().uuidString
        for name in ["\(place.name)", dead, "\(dead).1", "\(UUID().uuidString).7", "somebody's"] {
            try temporary.write("x", to: ".nuke-batch-writing/\(name)")
        }
        try StagingFolder.sweep(folder)
        let owner = String(place.name.prefix { $0 != "." })
        #expect(try Set(place.folder.names()) == [owner, place.name, "somebody's"])
        living.close()
        for name in [place.name, "somebody's"] { try place.folder.remove(name) }
        try StagingFolder.sweep(folder)
        #expect(names().isEmpty)
        try StagingFolder.sweep(folder)
    }

    @Test("processes that make and sweep the folder at the same time do not disturb each other")
    func concurrent() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [folder] in
                    for _ in 0..<100 {
                        let staging = StagingFolder(in: folder)
                        let place = try #require(try staging.newName(for: folder))
                        #expect(
                            FileManager.default.createFile(
                                atPath: "\(place.folder.path)/\(place.name)",
                                contents: nil
                            )
                        )
                        try StagingFolder.sweep(folder)
                        #expect(try place.folder.remove(place.name), "a living process's name was removed")
                        staging.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        try StagingFolder.sweep(folder)
        #expect(names().isEmpty)
    }

    @Test("a folder of another mount gets no name here")
    func mounts() throws {
        let staging = StagingFolder(in: folder)
        defer { staging.close() }
        #expect(try staging.newName(for: Folder(path: "/proc")) == nil)
    }

    @Test("where the folder may not be made, names stand elsewhere")
    func refusedFolder() throws {
        // Nobody may make a folder there, root neither.
        #expect(try StagingFolder(in: Folder(path: "/sys")).newName(for: folder) == nil)
    }

    @Test("a symbolic link in the place of the folder is refused")
    func link() throws {
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path(".nuke-batch-writing"),
            withDestinationPath: "/"
        )
        let swept = #expect(throws: FileError.self) { try StagingFolder.sweep(folder) }
        #expect(swept?.code == ELOOP)
        let made = #expect(throws: FileError.self) { try StagingFolder(in: folder).newName(for: folder) }
        #expect(made?.code == ELOOP)
    }
}
