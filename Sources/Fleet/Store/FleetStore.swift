import Files
import Foundation
import JobManifest
package import JobPlanning
import ObjectStorage

/// The store of a fleet: a folder that all machines share, or a prefix in a bucket.
package struct FleetStore: Sendable {
    /// The most objects of a page of a listing of a folder: some 20 MB.
    private static let pageCount = 100_000

    /// The objects.
    let store: any Store
    /// The folder, or the prefix.
    private let root: Destination
    /// The absolute path of the folder, or `s3://bucket/prefix`.
    package var place: String { root.description }
    /// True for a folder.
    var isFolder: Bool { root.bucket == nil }
    /// The name of the plan that this process trusts; nil if none was given.
    let trusted: SHA256Name?

    /// Opens the store at a path, a `file:` URL or `s3://bucket/prefix`.
    ///
    /// The service of a bucket and its credentials come from the environment alone (`AWS_ENDPOINT_URL`, `AWS_REGION` …), since
    /// a worker knows no manifest before it has read the store. A folder that is missing is made if it `creates` one. `plan` is the
    /// name of the only plan that this process trusts.
    /// - Throws: `RunError.wrongInput` for a text that is no place, or no name of a plan; `machine` for a folder that is missing or cannot be made.
    package init(
        _ text: String,
        plan: String? = nil,
        environment: [String: String],
        creates: Bool = false
    ) throws(RunError) {
        trusted = plan.flatMap { SHA256Name(parsing: $0) }
        guard plan == nil || trusted != nil else {
            throw .wrongInput("--plan \(plan ?? "") is no hash of a plan: it should be \(SHA256Name.form)")
        }
        do throws(TextError) {
            root = try Destination(text, in: FileManager.default.currentDirectoryPath)
        } catch {
            throw .wrongInput("--store \(error.description)")
        }
        if let location = root.bucket {
            store = try Self.bucket(location, environment)
        } else {
            let place = root.description
            let exists = try RunError.wrapping { try Presence.exists(place) }
            guard creates || exists else {
                throw .machine(
                    "\(place) does not exist on this machine: mount it, or make a plan with "
                        + "nuke-batch fleet plan MANIFEST --store \(Shell.quoted(place))"
                )
            }
            store = try RunError.wrapping { try FolderStore(place, pageCount: Self.pageCount) }
        }
    }

    private static func bucket(
        _ location: ObjectLocation,
        _ environment: [String: String]
    ) throws(RunError) -> any Store {
        do throws(S3ConfigurationError) {
            let configuration = try S3Configuration(environment: environment)
            let service = S3Service(
                configuration,
                credentials: CredentialChain(environment: environment, region: configuration.region)
            )
            return S3Store(S3Client(service), at: location)
        } catch {
            throw .wrongInput("--store \(location): \(error.setting): \(error)")
        }
    }

    /// Returns an object of the store as a place of its own.
    package func appending(_ key: String) -> String {
        key.isEmpty ? place : root.appending(key)
    }

    /// Returns the place of outputs whose destination is a relative path; in a bucket, its parts `.` and `..` are taken out, which
    /// many stores keep in no key.
    func destination(_ path: String) throws(TextError) -> Destination {
        let inside = root.bucket.flatMap { _ in String(FilePath.absolute(path, in: "/").utf8.dropFirst()) }
        return try Destination(appending(inside ?? path), in: "/")
    }

    /// Checks that the store never replaces an object that is written on condition, as commits rely on it.
    /// - Throws: `RunError.wrongInput` if it does, `machine` if it cannot be reached.
    func requireConditions() async throws(RunError) {
        let isKept = try await RunError.wrapping {
            try await store.honoursConditions(below: FleetKey.attempts)
        }
        guard isKept else {
            throw .wrongInput(
                "\(place) replaces objects that are written with If-None-Match: *, so that two workers could both commit "
                    + "a partition: use a store that honours the condition (docs/object-storage-dialects.md)"
            )
        }
    }

    /// Returns the bytes of an object, at most `limit`; nil if there is none.
    /// - Throws: `RunError.forged` for a larger one, `machine`.
    func read(_ key: String, limit: Int) async throws(RunError) -> Data? {
        do throws(StoreError) { return try await store.get(key, limit: limit) } catch {
            if error.reason == .notFound { return nil }
            if error.reason == .tooLarge { throw .forged("\(error)") }
            throw RunError(error)
        }
    }

    /// Writes an object.
    /// - Throws: `RunError.machine`.
    func write(_ data: Data, at key: String, type: String = "application/json") async throws(RunError) {
        try await write(Payload(data), at: key, type: type)
    }

    /// Writes an object of a payload, such as a file.
    /// - Throws: `RunError.machine`.
    func write(_ payload: Payload, at key: String, type: String) async throws(RunError) {
        try await RunError.wrapping {
            _ = try await store.put(payload, at: key, ObjectAttributes(contentType: type))
        }
    }

    /// Writes an object unless there is one; returns true if it holds these bytes because of this call.
    /// - Throws: `RunError.machine`.
    func create(_ data: Data, at key: String) async throws(RunError) -> Bool {
        try await RunError.wrapping {
            try await store.putIfAbsent(data, at: key, ObjectAttributes(contentType: "application/json"))
        }
    }

    /// Removes an object, if there is one.
    /// - Throws: `RunError.machine`.
    func remove(_ key: String) async throws(RunError) {
        do throws(StoreError) { try await store.delete(key) } catch { throw RunError(error) }
    }

    /// Calls `body` with the keys below a prefix, those behind `key` alone if one is given, and what is known of each, until it returns
    /// false.
    /// - Throws: `RunError.machine`.
    func forEachKey(
        below prefix: String,
        after key: String? = nil,
        while body: (ObjectPage.Entry) -> Bool
    ) async throws(RunError) {
        try await RunError.wrapping {
            var (last, progress) = (key, ListingProgress())
            repeat {
                let page = try await store.list(prefix, after: last)
                guard page.entries.allSatisfy(body) else { return }
                try progress.goOn(behind: page.next, in: appending(prefix))
                last = page.next
            } while last != nil
        }
    }

    /// Calls `body` with all keys below a prefix.
    /// - Throws: `RunError.machine`.
    func forEachKey(below prefix: String, _ body: (ObjectPage.Entry) -> Void) async throws(RunError) {
        try await forEachKey(below: prefix) { entry in
            body(entry)
            return true
        }
    }

    /// Returns a JSON object of the store with at most `limit` bytes; nil if there is none.
    /// - Throws: `RunError.forged` with the field for an object that nuke-batch does not write, `machine`.
    func decode<Record: StoredRecord>(
        _ type: Record.Type,
        at key: String,
        limit: Int
    ) async throws(RunError) -> Record? {
        guard let data = try await read(key, limit: limit) else { return nil }
        do throws(StoredRecordError) { return try Record(json: data) } catch {
            throw .forged("\(appending(key)) is not what nuke-batch writes: \(error)")
        }
    }

    /// Calls `body` with what `make` makes of each element, in order: of `count` elements after the other, so that no more than their
    /// results are in memory, and for `width` of them at the same time.
    /// - Throws: The first error of `make` or `body`.
    static func forEach<Element: Sendable, Result: Sendable>(
        _ elements: [Element],
        inGroupsOf count: Int,
        width: Int = 8,
        made make: @escaping @Sendable (Element) async throws -> Result,
        _ body: (Result) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: elements.count, by: count) {
            let group = Array(elements[start..<min(start + count, elements.count)])
            for result in try await map(group, width: width, make) { try body(result) }
        }
    }

    /// Returns what `body` makes of each element, in order, for several at the same time.
    /// - Throws: The first error of `body`.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element],
        width: Int = 16,
        _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results = [Result?](repeating: nil, count: elements.count)
            for (index, element) in elements.enumerated() {
                if index >= width, let (done, result) = try await group.next() { results[done] = result }
                group.addTask { (index, try await body(element)) }
            }
            for try await (done, result) in group { results[done] = result }
            return results.compactMap(\.self)
        }
    }
}
