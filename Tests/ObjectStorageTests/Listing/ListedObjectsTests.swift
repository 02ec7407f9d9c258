import Files
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(2))) struct ListedObjectsTests {
    private struct Failure: Error {}

    private func entries(_ numbers: Range<Int>) -> [ObjectPage.Entry] {
        numbers.map {
            ObjectPage.Entry(key: "img-\(1000 + $0)", facts: ObjectFacts(size: $0, etag: "\"\($0)\""))
        }
    }

    private func withObjects(_ body: (ListedObjects) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await body(ListedObjects(in: Folder(path: folder.path)))
    }

    /// Reads all keys on a thread of its own, as planning does.
    private func keys(_ objects: ListedObjects) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try SystemThread.start("reader") { continuation.resume(with: Result { try objects.keys() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("a reader that began first gets pages as they come, and the end last")
    func growing() async throws {
        try await withObjects { objects in
            async let read = keys(objects)
            for start in stride(from: 0, to: 50, by: 5) {
                objects.add([try objects.store(entries(start..<start + 5))])
                await Task.yield()
            }
            objects.end(.success(60))
            #expect(try await read == entries(0..<50).map(\.key))
            #expect(objects.listed == 60)
        }
    }

    @Test("pages come in the order in which they are added, not that of the file")
    func order() async throws {
        try await withObjects { objects in
            let (second, first) = (try objects.store(entries(3..<6)), try objects.store(entries(0..<3)))
            objects.add([first])
            objects.add([second])
            objects.end(.success(6))
            #expect(try objects.keys() == entries(0..<6).map(\.key))
        }
    }

    @Test("a listing that fails gives what was before, and then its error to every reader")
    func failure() async throws {
        try await withObjects { objects in
            objects.add([try objects.store(entries(0..<2))])
            objects.end(.failure(Failure()))
            objects.end(.success(2))
            var reader = objects.makeReader()
            #expect(try reader.next()?.key == "img-1000" && reader.next()?.key == "img-1001")
            #expect(throws: Failure.self) { try reader.next() }
            #expect(throws: Failure.self) { try objects.digest() }
            #expect(throws: Failure.self) { try objects.check() }
        }
    }

    @Test("a reader that is no longer wanted ends its wait")
    func stopped() async throws {
        try await withObjects { objects in
            var reader = objects.makeReader()
            #expect(throws: CancellationError.self) { try reader.next { true } }
        }
    }

    @Test("a listing that begins anew fails its readers, and is whole for the next ones")
    func restart() async throws {
        try await withObjects { objects in
            objects.restart()
            #expect(objects.restarts == 0)
            objects.add([try objects.store(entries(0..<2))])
            var reader = objects.makeReader()
            #expect(try reader.next()?.key == "img-1000")
            objects.restart()
            objects.add([try objects.store(entries(5..<9))])
            objects.end(.success(4))
            _ = try reader.next()
            #expect(throws: ListedObjects.Restarted.self) { try reader.next() }
            #expect(try objects.keys() == entries(5..<9).map(\.key))
            #expect(objects.restarts == 1)
        }
    }

    @Test("the digest is that of the objects, however they were divided into pages")
    func digest() async throws {
        var digests: Set<String> = []
        for size in [1, 3, 20] {
            try await withObjects { objects in
                for start in stride(from: 0, to: 20, by: size) {
                    objects.add([try objects.store(entries(start..<min(20, start + size)))])
                }
                objects.end(.success(20))
                digests.insert(try objects.digest())
            }
        }
        #expect(digests.count == 1)
        try await withObjects { objects in
            objects.add([try objects.store(entries(0..<19))])
            objects.end(.success(19))
            #expect(digests.insert(try objects.digest()).inserted)
        }
    }
}
