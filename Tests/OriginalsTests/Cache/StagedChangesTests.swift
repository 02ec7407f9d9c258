import Files
import Foundation
import TestSupport
import Testing

@testable import Originals

@Suite struct StagedChangesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func change(_ count: Int, isFile: Bool = false) throws -> StagedChanges.Content {
        let file = isFile ? try UnnamedFile(in: Folder(path: folder.path)) : nil
        return .store(Data(count: count), DataCache.Metadata(), owner: nil, file: file)
    }

    @Test("bytes in memory and open files are counted until they are written, replaced or removed")
    func amounts() throws {
        var changes = StagedChanges()
        changes.add(try change(10_000), for: "a")
        changes.add(try change(10_000, isFile: true), for: "b")
        #expect(changes.amount.bytes > 10_000 && changes.amount.bytes < 20_000)
        #expect(changes.amount.files == 1)
        changes.add(.remove, for: "a")
        changes.add(try change(10_000, isFile: true), for: "b")
        #expect(changes.amount.bytes < 10_000 && changes.amount.files == 1)
        for _ in 0..<2 {
            guard case .change(let key, let id, _) = changes.next(limit: 9) else { break }
            _ = changes.finish(key, id: id)
        }
        #expect(changes.amount == StagedChanges.Amount())
        changes.add(try change(1, isFile: true), for: "c")
        _ = changes.removeAll()
        #expect(changes.amount == StagedChanges.Amount())
    }

    @Test("no more files are staged than may be open")
    func files() throws {
        var staging = DataCache.Staging()
        for number in 0..<DataCache.stagedFileLimit {
            let isFull = staging.waitForRoom {}
            #expect(!isFull)
            staging.changes.add(try change(1, isFile: true), for: "\(number)")
        }
        let isFull = staging.waitForRoom {}
        #expect(isFull && staging.takeRoomWaiters().isEmpty)
        staging.changes.add(.remove, for: "0")
        #expect(staging.takeRoomWaiters().count == 1)
    }
}
