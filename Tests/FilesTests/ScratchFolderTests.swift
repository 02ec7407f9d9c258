import Files
import Foundation
import TestSupport
import Testing

@Suite struct ScratchFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("a folder at a fixed path is private, replaces a leftover and goes with the last reference")
    func fixedPath() throws {
        try folder.write("old", to: "scratch/inner/file")
        var scratch: ScratchFolder? = try ScratchFolder(path: folder.path("scratch"))
        let path = try #require(scratch?.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(permissions as? Int == 0o700)
        try folder.write("new", to: "scratch/inner/file")
        scratch = nil
        #expect(try names().isEmpty)
        try folder.write("old", to: "scratch/file")
        ScratchFolder.removeLeftover(at: folder.path("scratch"))
        #expect(try names().isEmpty)
    }

    @Test("one with a name of its own removes leftovers, and nothing that is in use or was made by others")
    func ownName() throws {
        try folder.write("old", to: "plan-dead/file")
        try folder.write("old", to: "other-1/file")
        try folder.write("old", to: "plan-file")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("plan-link"),
            withDestinationPath: folder.path("other-1")
        )
        let open = try folder.write("old", to: "plan-open/file")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777],
            ofItemAtPath: (open as NSString).deletingLastPathComponent
        )
        let kept = ["other-1", "plan-file", "plan-link", "plan-open"]
        var first: ScratchFolder? = try ScratchFolder(prefix: "plan", in: folder.path)
        var second: ScratchFolder? = try ScratchFolder(prefix: "plan", in: folder.path)
        let paths = try [#require(first?.path), #require(second?.path)]
        let used = paths.map { ($0 as NSString).lastPathComponent }
        #expect(try names() == (kept + used).sorted())
        first = nil
        second = nil
        #expect(try names() == kept)
        #expect(FileManager.default.fileExists(atPath: folder.path("other-1/file")))
    }

    @Test("many at once, each sweeping, take none from each other")
    func manyAtOnce() async throws {
        let parent = folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        let scratch = try ScratchFolder(prefix: "plan", in: parent)
                        let file = URL(fileURLWithPath: scratch.path + "/\(number)")
                        try Data("x".utf8).write(to: file)
                        #expect(FileManager.default.fileExists(atPath: file.path))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try names().isEmpty)
    }
}
