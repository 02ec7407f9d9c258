import Foundation
import Synchronization
import Transport

/// The credentials of a source, kept until shortly before they end; they are renewed once for all who wait for them.
final class RenewedCredentials: Sendable {
    private typealias Renewal = Task<Result<AWSCredentials, CredentialError>, Never>

    private struct State {
        var value: AWSCredentials?
        var renewal: Renewal?
        /// Credentials that the service has refused.
        var ended: AWSCredentials?
    }

    /// Renewing begins so long before the end.
    private static let margin: TimeInterval = 300
    /// The longest time for which the source is not asked again, since files may change.
    private static let leastMargin: TimeInterval = 10

    private let source: any CredentialProviding
    private let state = Mutex(State())

    init(_ source: any CredentialProviding) {
        self.source = source
    }

    /// Returns credentials that have not ended.
    /// - Throws: ``CredentialError`` if the source has none.
    func current() async throws(CredentialError) -> AWSCredentials {
        let (usable, renewal) = state.withLock { state -> (AWSCredentials?, Renewal?) in
            let left = state.value.map { $0.expiration?.timeIntervalSinceNow ?? .infinity }
            if let left, left > Self.margin { return (state.value, nil) }
            let renewal = state.renewal ?? Task { await self.renew() }
            state.renewal = renewal
            // Those that have not ended yet serve while new ones are on the way.
            return ((left ?? 0) > Self.leastMargin ? state.value : nil, renewal)
        }
        if let usable { return usable }
        guard let renewal else { throw CredentialError("there are no credentials") }
        return try await renewal.value.get()
    }

    /// Ends credentials that the service refused; returns true if asking the source again may give others.
    func end(_ credentials: AWSCredentials) -> Bool {
        state.withLock { state in
            // Another request may have renewed them already.
            guard state.value == credentials else { return true }
            let isKnown = state.ended == credentials
            (state.value, state.ended) = (nil, credentials)
            return !isKnown
        }
    }

    private func renew() async -> Result<AWSCredentials, CredentialError> {
        let result: Result<AWSCredentials, CredentialError>
        do throws(CredentialError) {
            guard let found = try await source.credentials() else { throw CredentialChain.nothingFound }
            result = .success(found)
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.renewal = nil
            if case .success(let value) = result { state.value = value }
        }
        return result
    }
}
