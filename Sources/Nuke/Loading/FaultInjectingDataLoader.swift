import Foundation
public import FoundationNetworking
import Synchronization

/// Puts faults between a loader and its consumer, by a script, for tests of what stands above a loader.
///
/// Whatever the faults, the contract of ``DataLoading`` holds: chunks in their order, one end, nothing after it.
/// It fails as the script says, or as the loader does.
public final class FaultInjectingDataLoader: ResponseReportingDataLoading {
    /// What goes wrong with one load.
    public enum Fault: Sendable {
        /// The load begins only after this time.
        case delay(Duration)
        /// It fails before the loader is asked.
        case fail(any Swift.Error)
        /// The answer has this status and these header fields: the load fails with ``DataLoadingError``, and the
        /// loader is not asked.
        case status(Int, headers: [String: String] = [:])
        /// It fails when so many bytes have been delivered; with 0, instead of the first byte.
        case failAfter(bytes: Int, any Swift.Error)
        /// It ends without error when so many bytes have been delivered, as if they were all.
        case truncate(bytes: Int)
        /// Nothing comes after so many bytes, until it is cancelled.
        case stall(bytes: Int)
    }

    /// The faults of a load: delays take effect in their order, and of the others the first.
    ///
    /// Called with the request and with how many requests of the same URL came before it.
    public typealias Script = @Sendable (_ request: URLRequest, _ number: Int) -> [Fault]

    /// Loads what is let through.
    public let loader: any DataLoading
    let clock: any Clock<Duration>
    private let script: Script
    private let log = Mutex<[URLRequest]>([])

    /// A loader whose faults a script decides.
    /// - Parameters:
    ///   - loader: Loads what is let through.
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

    /// A loader whose first requests of each URL have these faults, one list each; later ones have none.
    public convenience init(
        _ loader: any DataLoading,
        faults: [[Fault]],
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(loader, clock: clock) { _, number in faults.indices.contains(number) ? faults[number] : [] }
    }

    /// A loader that gives each request one of `faults` with the probability `rate`, from 0 to 1.
    ///
    /// Which request gets which follows from the seed, the URL and how often it was asked, so it is the same in
    /// each run, in whatever order requests come.
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

    /// The requests so far, in the order of their coming.
    public var requests: [URLRequest] {
        log.withLock { $0 }
    }
}

extension FaultInjectingDataLoader: LayeredDataLoading {
    func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
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
