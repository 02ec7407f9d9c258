import LoopbackServer
import Synchronization

/// Faults that befall operations at random, each with its probability; a seed repeats them.
final class RandomFaults: Sendable {
    /// A fault of some operations.
    struct Rule: Decodable, Sendable {
        /// The name of the operation, as `PutObject`; nil for all.
        let operation: String?
        /// From 0 to 1.
        let probability: Double
        /// The name of the fault, as `slowDown`.
        let fault: String

        var value: LoopbackObjectStore.Fault? {
            switch fault {
            case "slowDown": .slowDown
            case "internalError": .internalError
            case "resetBefore": .resetBefore
            case "resetAfter": .resetAfter
            case "resetInsideResponse": .resetInsideResponse
            case "truncatedBody": .truncatedBody
            case "flippedByte": .flippedByte
            case "conflict": .conflict
            case "ignoredCondition": .ignoredCondition
            default: nil
            }
        }
    }

    private let rules = Mutex<(all: [Rule], seed: UInt64)>(([], 0))

    init(_ store: LoopbackObjectStore) {
        store.fault = { [weak self] operation in self?.fault(of: operation) }
    }

    func use(_ all: [Rule], seed: UInt64) {
        for rule in all where rule.value == nil { fatalError("no fault \(rule.fault)") }
        rules.withLock { $0 = (all, seed) }
    }

    private func fault(of operation: LoopbackObjectStore.Operation) -> LoopbackObjectStore.Fault? {
        let (rules, seed) = rules.withLock { $0 }
        var number = operation.random(seed: seed)
        for rule in rules where rule.operation ?? operation.kind.rawValue == operation.kind.rawValue {
            if number < rule.probability { return rule.value }
            number -= rule.probability
        }
        return nil
    }
}
