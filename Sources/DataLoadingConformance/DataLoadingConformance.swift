public import Foundation
public import Nuke

/// Checks any loader against the contract of `DataLoading`, rule by rule, with its own loopback servers.
///
/// It needs no testing library, so it works in any test suite:
///
///     let conformance = DataLoadingConformance { MyLoader() }
///     for finding in await conformance.run() { #expect(finding.isMet, "\(finding)") }
public struct DataLoadingConformance: Sendable {
    /// The result for one rule.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The rule.
        public let rule: Rule
        /// The violation in one sentence; nil if the loader met the rule.
        public let failure: String?

        /// True if the loader met the rule.
        public var isMet: Bool { failure == nil }

        /// The rule and its result.
        public var description: String { "\(rule.rawValue): \(failure ?? "met")" }
    }

    private let timeLimit: Duration
    private let url: @Sendable (URL) -> URL
    private let makeLoader: @Sendable () -> any DataLoading

    /// Creates a suite for the loaders that `makeLoader` creates, a fresh one for each rule.
    /// - Parameters:
    ///   - timeLimit: The longest duration of each step, less what this process stands still. After it, the rule counts as
    ///     violated.
    ///   - url: Maps a URL of the servers (`http://127.0.0.1:PORT/...`) to the one that the loader uses, for loaders
    ///     with their own scheme or a gateway.
    ///   - makeLoader: Creates a loader that accepts requests at once.
    public init(
        timeLimit: Duration = .seconds(60),
        url: @escaping @Sendable (URL) -> URL = { $0 },
        makeLoader: @escaping @Sendable () -> any DataLoading
    ) {
        self.timeLimit = timeLimit
        self.url = url
        self.makeLoader = makeLoader
    }

    /// Checks all rules in order.
    public func run() async -> [Finding] {
        var findings: [Finding] = []
        for rule in Rule.allCases { findings.append(await check(rule)) }
        return findings
    }

    /// Checks one rule.
    public func check(_ rule: Rule) async -> Finding {
        let trial = Trial(loader: makeLoader(), url: url, timeLimit: timeLimit)
        do {
            try await trial.check(rule)
            return Finding(rule: rule, failure: nil)
        } catch {
            return Finding(rule: rule, failure: "\(error)")
        }
    }
}
