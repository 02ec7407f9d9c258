import Synchronization

/// A list of values that several tasks add to.
public final class Recorded<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    /// Makes an empty list.
    public init() {}

    /// The values so far.
    public var all: [Value] { values.withLock { $0 } }

    /// Adds a value behind the others.
    public func add(_ value: Value) { values.withLock { $0.append(value) } }
}
