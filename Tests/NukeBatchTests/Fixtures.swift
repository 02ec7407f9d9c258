import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Synchronization
import TestSupport

@testable import NukeBatch

/// Makes an error of an item.
func itemError(
    _ name: String,
    _ message: String = "it failed",
    handling: ItemError.Handling = .permanent,
    status: Int? = nil
) -> ItemError {
    guard let code = ErrorCode(rawValue: name) else { preconditionFailure("\(name) is not an error code") }
    return ItemError(code, message, handling: handling, status: status)
}

/// A job in a folder of its own, with a state and a run that has begun.
struct RunningJob {
    static let text = #"{"sources": [{"urls": ["https://a.example/1.jpg"]}]}"#

    let files: ManifestFolder
    let manifest: Manifest
    let path: String
    let store: JobStore

    var reader: JobReader { store.reader }

    init(_ text: String = Self.text) throws {
        files = try ManifestFolder()
        manifest = try files.read(text)
        path = files.folder.path("state/job.sqlite")
        store = try JobStore(path: path)
        _ = try store.beginRun(version: "1")
    }

    /// Adds one item to the state for each of `hosts`, in this order.
    func plan(hosts: [String]) throws {
        try plan(
            hosts.enumerated().map { index, host in
                NewItem(
                    ordinal: index + 1,
                    url: "https://\(host)/\(index + 1).jpg",
                    id: "id-\(index + 1)",
                    host: host,
                    location: "urls.txt:\(index + 1)"
                )
            }
        )
    }

    /// Adds `items` to the state.
    func plan(_ items: [NewItem]) throws {
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add(items)
        _ = try planning.finish(
            lists: "l",
            recipes: [OutputRecipe(source: 0, output: "small", recipe: "r-small")]
        )
    }

    /// Plans one item for each of `urls` and claims all of them, in this order.
    func claim(urls: [String]) async throws -> [ClaimedItem] {
        try plan(urls.enumerated().map { NewItem(ordinal: $0 + 1, url: $1, host: "a.example") })
        return try await store.claim(limit: urls.count).sorted { $0.ordinal < $1.ordinal }
    }

    /// Plans one item for each of `hosts` and claims all of them, in this order.
    func claim(hosts: [String]) async throws -> [ClaimedItem] {
        try plan(hosts: hosts)
        return try await store.claim(limit: hosts.count).sorted { $0.ordinal < $1.ordinal }
    }

    /// The context of a run of this job.
    func context(
        _ options: RunOptions = RunOptions(),
        onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) -> RunContext {
        var options = options
        options.state = options.state ?? path
        return RunContext(
            manifest: manifest,
            options: options,
            store: store,
            statistics: RunStatistics(onEvent: onEvent),
            control: RunControl(),
            requests: RequestLog(manifest, counts: RequestCounts()),
            idle: nil,
            runs: RunTimes(),
            destinationPacing: nil
        )
    }
}

/// Holds tasks back until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    /// Waits until the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets everything through from now on.
    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Holds a reservation until it is told to release it: the end of a local variable is the optimizer's choice.
final class Holder: Sendable {
    private let reservation: Mutex<LoadBackpressure.Reservation?>

    init(_ reservation: LoadBackpressure.Reservation) {
        self.reservation = Mutex(reservation)
    }

    func process(into bytes: Int) {
        reservation.withLock { $0?.process(into: bytes) }
    }

    func release() {
        reservation.withLock { $0 = nil }
    }
}

/// A list of values that several tasks add to.
final class Recorded<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) { values.withLock { $0.append(value) } }
}

extension RunningJob {
    /// Makes the destination, whose writer does not wait for other files.
    func outputFile() throws -> OutputFile {
        let destination = try Folder(path: manifest.destination.description, create: true)
        return OutputFile(
            destination,
            writer: DurableWriter(threads: 1, delay: 0),
            claims: OutputPathClaims(store),
            knowsPaths: manifest.outputs.allSatisfy(\.path.isKnownInPlanning)
        )
    }

    /// The record of `item`, with its newest attempt.
    func record(of item: ClaimedItem) throws -> ItemRecord {
        var found: ItemRecord?
        try reader.forEachItem(withAttempts: true) { if $0.itemID == item.itemID { found = $0 } }
        guard let found else { throw itemError("processing") }
        return found
    }
}

/// Makes an original of `data`.
func original(
    _ data: Data = Data("original".utf8),
    source: Original.Source = .network,
    revalidation: Revalidation.Result? = nil,
    isShared: Bool = false,
    isLengthProven: Bool = true
) -> Original {
    Original(
        data: data,
        sha256: Digest.sha256.hex(of: data),
        source: source,
        revalidation: revalidation,
        isShared: isShared,
        cacheKey: "key",
        status: source == .network ? 200 : nil,
        isLengthProven: isLengthProven,
        robots: nil,
        stored: {}
    )
}

/// Makes an output named `name` in the given state.
func output(
    _ name: String,
    _ state: OutputRecord.State = .done,
    reason: String? = nil,
    failure: (code: String, message: String)? = nil,
    path: String? = nil,
    sha256: String = String(repeating: "a1", count: 32)
) -> OutputRecord {
    var output = OutputRecord(name: name, recipe: "r-\(name)", state: state, reason: reason)
    if let failure {
        output.failure = OutputRecord.Failure(code: failure.code, message: failure.message)
        output.reason = "\(failure.code): \(failure.message)"
    }
    if state == .done {
        (output.path, output.bytes, output.sha256) = (path ?? "\(name).jpg", 4, sha256)
        (output.width, output.height) = (3, 2)
    }
    return output
}

/// Makes the outcome of `item`.
func outcome(
    _ item: ClaimedItem,
    _ outputs: [OutputRecord],
    reused: [OutputRecord] = [],
    of original: Original = original()
) -> ItemOutcome {
    let facts = FactExtractor([], recorded: nil)
    let plan = OutputPlan(recipes: [], reused: reused, facts: facts)
    return ItemOutcome(item: item, original: original, plan: plan, outputs: outputs, facts: nil)
}
