import Files
import Foundation
import JobFixtures
import JobManifest
import JobStorage
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import JobPlanning

/// Objects that are planned while they are listed.
@Suite(.timeLimit(.minutes(2))) struct StreamedListingTests {
    private struct Failure: Error {}

    private let folder: ManifestFolder
    private let manifest: Manifest

    init() throws {
        folder = try ManifestFolder()
        manifest = try folder.read(
            #"{"sources": [{"objects": "s3://b/"}], "outputs": [{"path": "{index}.png"}], "cache": {"directory": "c"}}"#
        )
    }

    /// Objects of which nothing is listed yet.
    private func objects() throws -> (ListedObjects, LoadedSources) {
        let objects = try ListedObjects(in: Folder(path: folder.folder.path))
        var loaded = LoadedSources()
        loaded.objects[0] = [ListedBucket(bucket: "b", objects: objects)]
        return (objects, loaded)
    }

    private func add(_ numbers: Range<Int>, to objects: ListedObjects) throws {
        let entries = numbers.map {
            ObjectPage.Entry(key: "\(100 + $0).png", facts: ObjectFacts(size: 1, etag: "e"))
        }
        objects.add([try objects.store(entries)])
    }

    private func withStore<Result>(_ body: (JobStore) async throws -> Result) async throws -> Result {
        let store = try JobStore(path: RunOptions().statePath(of: manifest))
        defer { store.close() }
        return try await body(store)
    }

    private func urls(_ store: JobStore) throws -> [String] {
        var urls: [String] = []
        try store.reader.forEachItem { urls.append($0.url) }
        return urls
    }

    private func expected(_ numbers: Range<Int>) -> [String] { numbers.map { "s3://b/\(100 + $0).png" } }

    @Test("the first items are read before the last objects are listed")
    func first() throws {
        let (objects, loaded) = try objects()
        try add(0..<3, to: objects)
        let reader = ItemReader(manifest, loaded: loaded)
        #expect(try (1...3).map { _ in try reader.next()?.index } == [1, 2, 3])
        try add(3..<4, to: objects)
        #expect(try reader.next()?.url == "s3://b/103.png")
        objects.end(.success(4))
        #expect(try reader.next() == nil)
    }

    @Test("a plan made while listing is the one that is made after it, so that the next run plans nothing")
    func fingerprint() async throws {
        let streamed = try await withStore { store in
            let (objects, loaded) = try objects()
            async let summary = Planner(manifest, RunOptions(), loaded: loaded).planOnThread(into: store)
            for number in 0..<20 {
                try add(number..<number + 1, to: objects)
                await Task.yield()
            }
            objects.end(.success(20))
            #expect(try await summary.counts?.new == 20)
            #expect(try urls(store) == expected(0..<20))
            return try store.reader.revision()
        }
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(0..<20, to: objects)
            objects.end(.success(20))
            let summary = try Planner(manifest, RunOptions(), loaded: loaded).plan(into: store)
            #expect(summary.counts == nil, "it was planned again")
            #expect(try store.reader.revision() == streamed)
        }
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(0..<21, to: objects)
            objects.end(.success(21))
            let summary = try Planner(manifest, RunOptions(), loaded: loaded).plan(into: store)
            #expect(summary.counts?.new == 1, "the control: an object more is planned")
        }
    }

    @Test("a listing that fails plans nothing and names its source, and the next run plans everything")
    func failure() async throws {
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(0..<5, to: objects)
            objects.end(.failure(Failure()))
            let error = #expect(throws: SourceError.self) {
                try Planner(manifest, RunOptions(), loaded: loaded).plan(into: store)
            }
            #expect(error?.description.contains("sources[0].objects: the listing cannot be read") == true)
            #expect(try store.reader.revision() == nil)
        }
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(0..<7, to: objects)
            objects.end(.success(7))
            #expect(try Planner(manifest, RunOptions(), loaded: loaded).plan(into: store).counts?.new == 7)
            #expect(try urls(store) == expected(0..<7))
        }
    }

    @Test("a run that is stopped while it waits for objects leaves the plan as it was")
    func stopped() async throws {
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(0..<5, to: objects)
            let questions = Atomic(0)
            let planner = Planner(manifest, RunOptions(), loaded: loaded) {
                questions.add(1, ordering: .relaxed).newValue > 4
            }
            #expect(try planner.plan(into: store).isComplete == false)
            #expect(try store.reader.revision() == nil && urls(store).isEmpty)
        }
    }

    @Test("a listing that begins anew is planned anew, and leaves nothing of what was before")
    func restarted() async throws {
        try await withStore { store in
            let (objects, loaded) = try objects()
            try add(50..<55, to: objects)
            let questions = Atomic(0)
            // It asks for the first time in a wait after the first pages were read.
            let planner = Planner(manifest, RunOptions(), loaded: loaded) {
                if questions.add(1, ordering: .relaxed).newValue == 4 {
                    objects.restart()
                    try? add(0..<3, to: objects)
                    objects.end(.success(3))
                }
                return false
            }
            #expect(try planner.plan(into: store).counts?.new == 3)
            #expect(try urls(store) == expected(0..<3))
            #expect(objects.restarts == 1)
        }
    }
}
