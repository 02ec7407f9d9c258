import Synchronization

/// The order in which numbered things happened.
public final class Order: Sendable {
    private let state = Mutex<[Int]>([])

    /// Creates the order of nothing yet.
    public init() {}

    /// The numbers, in the order of their events.
    public var numbers: [Int] { state.withLock { $0 } }

    /// Adds the number of an event.
    public func append(_ number: Int) { state.withLock { $0.append(number) } }
}
