public import Foundation
import Synchronization
public import Transport

/// One transfer of a load, as a log of the network wants it.
public struct TransferRecord: Sendable {
    /// The load it belongs to, by a number that is used once in a process; redirects of one load share it.
    public let load: UInt64
    /// What the load was made for, if a ``NetworkLog`` watches that: equal for its attempts.
    public let watch: UInt64?
    /// How many redirects have led to it.
    public let redirects: Int
    /// The request as it was sent, without what libcurl adds (`Host`, `Accept`).
    public let request: TransferRequest
    /// When it was started.
    public let start: Date
    /// How long it waited before for its host's turn and a place.
    public let blocked: Duration
    /// The head of the answer, if there was one.
    public let head: ResponseHead?
    /// What it cost, and whom it reached.
    public let metrics: TransferMetrics
    /// Why it failed; nil if it did not.
    public let error: TransportError?
}

/// Makes the record of one transfer; there is one only where somebody wants it.
struct TransferObservation: Sendable {
    private let observer: @Sendable (TransferRecord) -> Void
    private let load: UInt64
    private let watch: UInt64?
    private let redirects: Int
    private let asked = ContinuousClock.now
    private var start = Date()
    private var blocked: Duration = .zero

    init(_ observer: @escaping @Sendable (TransferRecord) -> Void, load: LoadNumber, redirects: Int) {
        self.observer = observer
        self.load = load.value
        watch = load.watch
        self.redirects = redirects
    }

    /// Notes that the waiting is over.
    mutating func begin() {
        start = Date()
        blocked = ContinuousClock.now - asked
    }

    func end(
        _ request: TransferRequest,
        _ head: ResponseHead?,
        _ metrics: TransferMetrics,
        _ error: TransportError?
    ) {
        observer(
            TransferRecord(
                load: load,
                watch: watch,
                redirects: redirects,
                request: request,
                start: start,
                blocked: blocked,
                head: head,
                metrics: metrics,
                error: error
            )
        )
    }
}

/// The number of a load, and of what it was made for.
struct LoadNumber: Sendable {
    /// Set around the call of a loader that a ``NetworkLog`` watches; tasks made in that call have it too.
    @TaskLocal static var watch: UInt64?

    private static let last = Atomic<UInt64>(0)

    let value: UInt64
    let watch: UInt64?

    init() {
        value = Self.next()
        watch = Self.watch
    }

    /// A number that no load and no watch has.
    static func next() -> UInt64 {
        last.add(1, ordering: .relaxed).newValue
    }
}
