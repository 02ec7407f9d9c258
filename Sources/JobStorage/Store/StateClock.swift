/// The clock of an open state: the wall clock's time at its opening, advanced by a clock that nobody can set.
///
/// Due times are compared with it, so a wall clock that is set during a run neither delays nor hastens an item.
public struct StateClock: Sendable {
    private let read: @Sendable () -> Int64

    /// Creates a clock that starts with the wall clock's time and also advances while the machine is suspended.
    public init() {
        let (wall, start) = (JobStore.now, ContinuousClock.now)
        read = { wall + Int64((ContinuousClock.now - start) / .milliseconds(1)) }
    }

    /// Creates a clock that shows what `read` returns, in milliseconds since 1970.
    package init(_ read: @escaping @Sendable () -> Int64) {
        self.read = read
    }

    /// The time in milliseconds since 1970.
    var now: Int64 { read() }
}
