import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct FileSystemSyncTests {
    private func files(_ count: Int, in folder: Folder) throws -> [NewFile] {
        try (0..<count).map { number in
            let job = WriteJob(
                payload: Payload(Data("x".utf8)),
                name: "\(number)",
                folder: folder,
                replaces: true
            ) { _ in
            }
            return try NewFile(job, named: "\(number)", in: folder)
        }
    }

    @Test("four files are synced together, three are not")
    func leastBatch() throws {
        let memory = try TemporaryFolder(in: "/dev/shm")
        let folder = try Folder(path: memory.path)
        let sync = FileSystemSync()
        #expect(sync.suits(4, in: folder))
        #expect(!sync.suits(3, in: folder))
        #expect(sync.sync(try files(4, in: folder)))
        #expect(!sync.sync(try files(3, in: folder)))
        #expect(!sync.sync([]))
    }

    @Test("files of two file systems are not synced together")
    func twoFileSystems() throws {
        let (one, other) = (try TemporaryFolder(in: "/dev/shm"), try TemporaryFolder())
        let folders = [try Folder(path: one.path), try Folder(path: other.path)]
        try #require(folders[0].device != folders[1].device)
        #expect(!FileSystemSync().sync(try files(4, in: folders[0]) + files(1, in: folders[1])))
    }

    @Test("a file system that is not known to reach the disk is not synced as a whole")
    func unknownFileSystem() throws {
        #expect(!FileSystemSync().suits(100, in: try Folder(path: "/proc")))
    }
}
