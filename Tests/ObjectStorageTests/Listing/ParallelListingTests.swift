import Files
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing
import Transport

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct ParallelListingTests {
    private typealias Fault = LoopbackObjectStore.Fault

    /// Lists with small pages, so that few keys make many.
    private func list(
        _ store: ListedStore,
        prefix: String = "",
        width: Int = 8,
        pageCount: Int = 7,
        attempts: Int = 12
    ) async throws -> ListedObjects {
        var listing = ParallelListing(
            try store.client(attempts: attempts),
            bucket: ListedStore.bucket,
            prefix: prefix,
            width: width
        )
        listing.pageCount = pageCount
        return try await listing.list(in: Folder(path: store.folder.path))
    }

    /// Keys of every form that buckets have: folders in folders, one huge folder, numbers, digests, and names in many scripts.
    private static func keys(_ random: inout SeededGenerator) -> [String] {
        var keys: [String] = []
        let names = [
            "a", "B", "0", "é", "e\u{301}", "日本", "a b", "a+b", "100%", "%41", "x/", "~", "😀", "a\u{1}b",
            "=&?#",
        ]
        for _ in 0..<Int.random(in: 0...120, using: &random) {
            let depth = Int.random(in: 0...4, using: &random)
            let folders = (0..<depth).map { _ in names[Int.random(in: 0..<names.count, using: &random)] + "/"
            }
            keys.append(folders.joined() + names[Int.random(in: 0..<names.count, using: &random)])
        }
        for number in 0..<Int.random(in: 0...300, using: &random) {
            keys.append("numbers/img-" + String(1_000_000 + number * 37).dropFirst() + ".jpg")
        }
        for _ in 0..<Int.random(in: 0...300, using: &random) {
            keys.append("digests/" + String(UInt64.random(in: .min ... .max, using: &random), radix: 16))
        }
        for folder in 0..<Int.random(in: 0...60, using: &random) {
            for number in 0..<Int.random(in: 1...9, using: &random) {
                keys.append("many/\(folder)/\(number).png")
            }
        }
        return keys.inKeyOrder
    }

    @Test("every key once and in order, whatever the keys look like", arguments: 1...12)
    func order(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let keys = Self.keys(&random)
        let store = try ListedStore(keys)
        for prefix in ["", "numbers/", "digests/", "many/", "é", "none/"] {
            let listed = try await list(store, prefix: prefix, width: Int.random(in: 1...40, using: &random))
            let expected = keys.filter { $0.utf8.starts(with: prefix.utf8) }
            #expect(try listed.keys().bytes == expected.bytes, "seed \(seed), prefix \(prefix)")
            #expect(listed.listed == expected.count)
        }
    }

    @Test("faults at random change nothing", arguments: 1...12)
    func faults(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let keys = Self.keys(&random)
        let store = try ListedStore(keys)
        let faults: [Fault] = [
            .repeatedKey, .emptyPage, .slowDown, .internalError, .resetBefore, .resetInsideResponse,
            .truncatedBody,
            .expiredContinuationToken, .error(status: 500, code: ""),
        ]
        store.store.fault = { operation in
            let value = operation.random(seed: seed)
            return value < 0.3 ? faults[Int(value * 1e6) % faults.count] : nil
        }
        let listed = try await list(store, width: 16)
        #expect(try listed.keys().bytes == keys.bytes, "seed \(seed)")
    }

    @Test("a fault that stays ends the listing, and no part of it is given")
    func lastingFault() async throws {
        let store = try ListedStore((0..<500).map { "img-\(1000 + $0)" })
        store.store.fault = { operation in
            let key = operation.parameter("start-after") ?? ""
            return key > "img-13" ? .internalError : nil
        }
        await #expect { _ = try await list(store, attempts: 3) } throws: { error in
            (error as? StoreError)?.reason == .unavailable
        }
    }

    @Test("a store whose pages are empty for ever is an error, not an empty bucket")
    func emptyForEver() async throws {
        let store = try ListedStore(["a", "b"])
        store.store.fault = { _ in .emptyPage }
        let error = await #expect(throws: StoreError.self) { try await list(store) }
        #expect(error?.description.contains("empty pages") == true)
    }

    @Test("a store that lists keys in another order is listed page by page, and no key is lost")
    func disorder() async throws {
        let store = try ListedStore(
            generated: LoopbackObjectStore.GeneratedObjects(count: 40) { number in
                // Numbers 20 and 21 have changed their places.
                "img-\(1000 + (number == 20 ? 21 : number == 21 ? 20 : number))"
            }
        )
        let listed = try await list(store, width: 4, pageCount: 30)
        #expect(try listed.keys().sorted() == (1000..<1040).map { "img-\($0)" })
    }

    @Test("keys that no other can precede are given while others are still being listed")
    func front() async throws {
        let keys = (0..<400).map { "img-\(1000 + $0)" }
        let store = try ListedStore(keys)
        let gate = Gate()
        store.store.fault = { ($0.parameter("start-after") ?? "") >= "img-12" ? .held(gate) : nil }
        let objects = try ListedObjects(in: Folder(path: store.folder.path))
        var listing = ParallelListing(try store.client(), bucket: ListedStore.bucket, prefix: "", width: 8)
        listing.pageCount = 10
        let task = Task { [listing] in try await listing.list(into: objects) }
        let front = try await withCheckedThrowingContinuation { continuation in
            do {
                try SystemThread.start("reader") {
                    continuation.resume(
                        with: Result {
                            var reader = objects.makeReader()
                            return try (0..<200).map { _ in try reader.next()?.key }
                        }
                    )
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(front == keys.prefix(200).map(Optional.some))
        #expect(objects.listed == 0, "the listing has ended")
        gate.open()
        try await task.value
        #expect(try objects.keys() == keys)
        #expect(objects.listed == 400)
    }

    @Test("a store that turns out late to have another order is listed anew, page by page")
    func lateDisorder() async throws {
        let store = try ListedStore(
            generated: LoopbackObjectStore.GeneratedObjects(count: 400) { number in
                // Numbers 395 and 396 have changed their places.
                "img-\(1000 + (number == 395 ? 396 : number == 396 ? 395 : number))"
            }
        )
        let listed = try await list(store, width: 1, pageCount: 30)
        #expect(listed.restarts == 1)
        #expect(try listed.keys().sorted() == (1000..<1400).map { "img-\($0)" })
    }

    @Test("small buckets take at most two requests a page", arguments: [1, 3, 20])
    func small(pages: Int) async throws {
        for form in ["img-", "photos/", "photos/deep/er/"] {
            let store = try ListedStore((0..<pages * 10).map { "\(form)\(10_000 + $0 * 7).jpg" })
            let listed = try await list(store, width: 32, pageCount: 10)
            let count = store.store.count(of: .listObjects)
            #expect(listed.listed == pages * 10)
            // One to see that a full page was the last, one for each level of folders, and some guesses of where keys lie.
            let most = pages == 1 ? 1 : 2 * pages
            #expect((pages...most).contains(count), "\(pages) pages of \(form): \(count) requests")
        }
    }

    @Test("wrong keys, an unknown bucket and a refusal are told as what they are")
    func refusals() async throws {
        let store = try ListedStore(["a"])
        let folder = try Folder(path: store.folder.path)
        func reason(_ listing: ParallelListing) async -> StoreError.Reason? {
            do throws(StoreError) {
                _ = try await listing.list(in: folder)
                return nil
            } catch {
                return error.reason
            }
        }
        let wrong = ParallelListing(try store.client(secret: "wrong"), bucket: ListedStore.bucket, prefix: "")
        #expect(await reason(wrong) == .credentials)
        #expect(await reason(ParallelListing(try store.client(), bucket: "nowhere", prefix: "")) == .refused)
        store.store.fault = { _ in .error(status: 403, code: "AccessDenied") }
        let denied = ParallelListing(try store.client(), bucket: ListedStore.bucket, prefix: "")
        #expect(await reason(denied) == .refused)
    }

    @Test("cancelling ends it while answers are held back")
    func cancellation() async throws {
        let store = try ListedStore(["a"])
        let gate = Gate()
        let began = AsyncStream.makeStream(of: Void.self)
        store.store.fault = { _ in
            began.continuation.yield()
            return .held(gate)
        }
        let listing = Task { try await list(store) }
        for await _ in began.stream { break }
        listing.cancel()
        let result = await listing.result
        gate.open()
        #expect(throws: StoreError.self) { try result.get() }
        if case .failure(let error as StoreError) = result { #expect(error.reason == .cancelled) }
    }

    @Test("an empty bucket is listed with one request")
    func nothing() async throws {
        let store = try ListedStore()
        #expect(try await list(store).keys() == [])
        #expect(store.store.count(of: .listObjects) == 1)
    }

    @Test("facts of objects are those of the store, and the digest differs with each")
    func facts() async throws {
        let store = try ListedStore(["a", "b"])
        let first = try await list(store)
        var reader = first.makeReader()
        let entry = try #require(try reader.next())
        let object = try #require(store.store.object("a", in: ListedStore.bucket))
        #expect(entry.facts.size == 1 && entry.facts.etag == object.etag)
        #expect(entry.facts.modified.map { abs($0.timeIntervalSinceNow) < 3600 } == true)
        #expect(try await list(store).digest() == first.digest())
        store.store.put(Data([2]), key: "b", bucket: ListedStore.bucket)
        #expect(try await list(store).digest() != first.digest())
    }

    @Test(
        "sixty thousand keys take few requests more than pages, and many at once",
        arguments: ["flat", "tree", "one"]
    )
    func requests(form: String) async throws {
        let count = 60_000
        let store = try ListedStore(
            generated: LoopbackObjectStore.GeneratedObjects(count: count) { number in
                let digits = String(1_000_000 + number).dropFirst()
                return switch form {
                case "flat": "img-\(digits).jpg"
                case "tree": "photos/\(digits.prefix(3))/img-\(digits).jpg"
                default: "one/two/three/\(digits.prefix(1))/img-\(digits).jpg"
                }
            }
        )
        let running = Mutex((now: 0, most: 0))
        let paced = CountedPacing { change in
            running.withLock {
                $0.now += change
                $0.most = max($0.most, $0.now)
            }
        }
        let client = S3Client(try store.client().service, pacing: paced)
        let listing = ParallelListing(client, bucket: ListedStore.bucket, prefix: "", width: 16)
        let listed = try await listing.list(in: Folder(path: store.folder.path))
        #expect(listed.listed == count)
        #expect(try listed.keys().count == count)
        #expect((9...16).contains(running.withLock(\.most)))
        #expect(store.store.count(of: .listObjects) < count / 1000 + 100)
    }
}

/// Calls back with each beginning and end of a request.
private struct CountedPacing: RequestPacing {
    let change: @Sendable (Int) -> Void

    func begin(_ bucket: String) async throws -> any PacedRequest {
        change(1)
        return Counted(change: change)
    }

    private struct Counted: PacedRequest {
        let change: @Sendable (Int) -> Void
        func end(isSlowedDown: Bool, retryAfter: Duration?) { change(-1) }
    }
}
