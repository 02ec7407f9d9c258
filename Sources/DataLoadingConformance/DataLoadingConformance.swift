public import Foundation
import LoopbackServer
public import Nuke

/// Holds any loader to the contract of `DataLoading`, rule by rule, against servers of its own on loopback.
///
/// It needs no testing library, so that a loader's author can call it from any:
///
///     let conformance = DataLoadingConformance { MyLoader() }
///     for finding in await conformance.run() { #expect(finding.isMet, "\(finding)") }
public struct DataLoadingConformance: Sendable {
    /// What became of one rule.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The rule.
        public let rule: Rule
        /// What the loader did wrong, in a sentence; nil if it kept the rule.
        public let failure: String?

        /// Whether the loader kept the rule.
        public var isMet: Bool { failure == nil }

        /// The rule and what became of it.
        public var description: String { "\(rule.rawValue): \(failure ?? "met")" }
    }

    private let timeLimit: Duration
    private let url: @Sendable (URL) -> URL
    private let makeLoader: @Sendable () -> any DataLoading

    /// A suite for the loaders that `makeLoader` makes, a fresh one for each rule.
    /// - Parameters:
    ///   - timeLimit: How long each step may take until the rule counts as broken.
    ///   - url: The URL by which the loader reaches a URL of the servers (`http://127.0.0.1:PORT/...`), for
    ///     one that has a scheme of its own or goes through something else.
    ///   - makeLoader: Makes a loader that takes requests at once.
    public init(
        timeLimit: Duration = .seconds(10),
        url: @escaping @Sendable (URL) -> URL = { $0 },
        makeLoader: @escaping @Sendable () -> any DataLoading
    ) {
        self.timeLimit = timeLimit
        self.url = url
        self.makeLoader = makeLoader
    }

    /// Checks all rules, one after the other.
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
