import Foundation

/// Choices made from bytes, first to last; zeros when they are used up.
struct Choices {
    private var bytes: Data.SubSequence

    init(_ bytes: Data) {
        self.bytes = bytes[...]
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> Int {
        Int(bytes.popFirst() ?? 0)
    }

    mutating func flag() -> Bool {
        byte() & 1 == 1
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + (byte() << 8 | byte()) % range.count
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + Double(byte() << 8 | byte()) / 65535 * (range.upperBound - range.lowerBound)
    }

    mutating func one<Value>(of values: [Value]) -> Value {
        values[byte() % values.count]
    }

    /// A value, or nothing in one of four cases.
    mutating func maybe<Value>(_ make: (inout Choices) -> Value) -> Value? {
        byte() % 4 == 0 ? nil : make(&self)
    }
}
