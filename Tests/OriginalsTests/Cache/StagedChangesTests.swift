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

    @Test("a change that is made while an earlier one of its key is written has its turn after it")
    func changeWhileWriting() throws {
        var changes = StagedChanges()
        changes.add(try change(1), for: "a")
        let first = try #require(changed(changes.next(limit: 9)))
        changes.add(try change(2), for: "a")
        let early = changes.next(limit: 9)
        #expect(early == nil)
        _ = changes.finish("a", id: first.id)
        let second = try #require(changed(changes.next(limit: 9)))
        #expect(second.key == "a" && second.id > first.id && second.size == 2)
        _ = changes.finish("a", id: second.id)
        #expect(changes.keys.isEmpty && changes.amount == StagedChanges.Amount())
    }

    @Test("the removal of everything waits for what is being written, and later changes wait for it")
    func removalWhileWriting() throws {
        var changes = StagedChanges()
        changes.add(try change(1), for: "a")
        let first = try #require(changed(changes.next(limit: 9)))
        _ = changes.removeAll()
        changes.add(try change(2), for: "b")
        let early = changes.next(limit: 9)
        #expect(early == nil)
        _ = changes.finish("a", id: first.id)
        guard case .removeAll(let id) = changes.next(limit: 9) else {
            Issue.record("the removal has its turn")
            return
        }
        let meanwhile = changes.next(limit: 9)
        #expect(meanwhile == nil)
        _ = changes.finishRemoval(id: id)
        #expect(try #require(changed(changes.next(limit: 9))).key == "b")
    }

    /// The key, the number and the bytes of a step that stores; nil for any other.
    private func changed(_ step: StagedChanges.Step?) -> (key: String, id: Int, size: Int)? {
        guard case .change(let key, let id, .store(let data, _, _, _)) = step else { return nil }
        return (key, id, data.count)
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
