import Foundation
public import FoundationNetworking
public import Nuke
import Synchronization

/// A loader that injects faults by a script, for tests of code that uses a loader.
///
/// The contract of ``DataLoading`` holds regardless of the faults: chunks in order, one end, nothing after it.
/// It fails with the errors of the script or of the loader.
public final class FaultInjectingDataLoader: ResponseReportingDataLoading {
    /// A fault of one load.
    public enum Fault: Sendable {
        /// Starts the load only after this time.
        case delay(Duration)
        /// Fails before the loader is called.
        case fail(any Swift.Error)
        /// Fails with ``DataLoadingError`` as if the response had this status and these header fields; the
        /// loader is not called.
        case status(Int, headers: [String: String] = [:])
        /// Fails after so many delivered bytes; with 0, instead of the first byte.
        case failAfter(bytes: Int, any Swift.Error)
        /// Ends without error after so many delivered bytes, as if they were all.
        case truncate(bytes: Int)
        /// Stalls after so many bytes, until it is cancelled.
        case stall(bytes: Int)
    }

    /// Returns the faults of a load: all delays in order, and the first of the others.
    ///
    /// It is called with the request and the number of earlier requests for the same URL.
    public typealias Script = @Sendable (_ request: URLRequest, _ number: Int) -> [Fault]

    /// The wrapped loader.
    public let loader: any DataLoading
    let clock: any Clock<Duration>
    private let script: Script
    private let log = Mutex<[URLRequest]>([])

    /// Creates a loader whose faults are decided by a script.
    /// - Parameters:
    ///   - loader: The wrapped loader.
    ///   - clock: Measures the delays.
    ///   - script: The faults of each load.
    public init(
        _ loader: any DataLoading,
        clock: any Clock<Duration> = ContinuousClock(),
        script: @escaping Script
    ) {
        self.loader = loader
        self.clock = clock
        self.script = script
    }

    /// Creates a loader whose first requests for each URL have these faults, one list each; later ones have none.
    public convenience init(
        _ loader: any DataLoading,
        faults: [[Fault]],
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(loader, clock: clock) { _, number in faults.indices.contains(number) ? faults[number] : [] }
    }

    /// Creates a loader that gives each request one of `faults` with the probability `rate`, from 0 to 1.
    ///
    /// The choice follows from the seed, the URL and the number of its earlier requests, so it is the same in
    /// each run, regardless of the order of requests.
    public convenience init(
        _ loader: any DataLoading,
        faults: [Fault],
        rate: Double,
        seed: UInt64,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(loader, clock: clock) { request, number in
            var chance = Chance(seed: seed, text: request.url?.absoluteString ?? "", number: number)
            guard !faults.isEmpty, chance.fraction() < rate else { return [] }
            return [faults[Int(chance.next() % UInt64(faults.count))]]
        }
    }

    /// The requests so far, in order of arrival.
    public var requests: [URLRequest] { log.withLock { $0 } }
}

extension FaultInjectingDataLoader: LayeredDataLoading {
    package func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        let number = log.withLock { log in
            defer { log.append(request) }
            return log.count { $0.url == request.url }
        }
        FaultyLoad(request, loader: self, delivery: delivery).follow(script(request, number))
        return delivery
    }
}

/// Random numbers that follow from a seed, a text and a number (FNV-1a, then SplitMix64).
private struct Chance {
    private var state: UInt64

    init(seed: UInt64, text: String, number: Int) {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        state = seed ^ hash &+ UInt64(truncatingIfNeeded: number) &* 0xd1b5_4a32_d192_ed03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to less than 1.
    mutating func fraction() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}
