import Foundation

/// The start of an attempt: by the wall clock for the record, and by the monotonic clock for its duration.
struct AttemptStart: Sendable {
    /// The time in milliseconds since 1970.
    let time = Int64(Date().timeIntervalSince1970 * 1000)
    private let instant = ContinuousClock.now

    /// The milliseconds since then.
    var milliseconds: Int { Int((ContinuousClock.now - instant) / .milliseconds(1)) }
}
