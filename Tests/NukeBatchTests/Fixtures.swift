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

extension RunningJob {
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
            requests: RequestLog(manifest),
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

extension RunningJob {
    /// Makes the destination, whose writer does not wait for other files.
    func outputFile() throws -> OutputFile {
        let destination = try Folder(path: manifest.destination.description, create: true)
        return OutputFile(
            destination,
            writer: DurableWriter(threads: 1, delay: 0),
            claims: OutputPathClaims(
                store,
                knowsPaths: manifest.outputs.allSatisfy(\.path.isKnownInPlanning)
            )
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
