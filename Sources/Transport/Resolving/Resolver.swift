import CTransport
import Foundation

/// Finds the addresses of hosts for transfers: one lookup a host at a time, whose answer is kept as long as it is valid.
///
/// Used on the event thread alone.
final class Resolver {
    /// The next step of a transfer.
    enum Resolution {
        /// Connect to one of these addresses.
        case addresses(AddressList)
        /// Leave the name to libcurl, which asks the system.
        case bySystem
        case failure(TransportError)
    }

    /// A host whose answer transfers wait for.
    private struct Lookup {
        var waiting: [UInt64] = []
        /// The time of the last question.
        var asked = ContinuousClock.now
        /// The failure of the last question; nil while it has no answer.
        var failure: String?
        /// The time of the last failure.
        var failedAt = ContinuousClock.now
        var failures = 0
        /// True if another host was answered after this one had failed.
        var isProvedAlone = false

        /// The time of the next question after a failure: the pause doubles, up to 16 s.
        var again: ContinuousClock.Instant { failedAt + .seconds(1 << min(max(failures - 1, 0), 4)) }
    }

    /// The least and the most seconds for which an answer is used: with 0, each item of a host would need a lookup.
    static let validity = 5...86_400
    /// The time that a negative answer is kept, since c-ares does not return the records' own.
    private static let negativeValidity: Duration = .seconds(10)
    /// The time that an expired answer is used again while no name server answers (RFC 8767, section 5).
    private static let staleValidity: Duration = .seconds(30)
    /// The time without an answer from which a host counts as failing.
    private static let silence: Duration = .seconds(2)
    /// The age from which an expired answer is not used again.
    private static let longestStaleness: Duration = .seconds(86_400)

    private let nameServers: NameServers
    private let hasOtherSources: Bool
    /// Receives the transfers of a host and what they are to do.
    private let deliver: ([UInt64], Resolution) -> Void
    private var cache = HostCache()
    private var lookups: [String: Lookup] = [:]
    /// The hosts among them whose last question failed.
    private var failed: Set<String> = []
    private var health = NameServerHealth()
    private var lastAnswer = ContinuousClock.now
    /// The last host that has an address.
    private var lastHost: String?
    /// The time since when it is asked for again; nil if it is not.
    private var checkedSince: ContinuousClock.Instant?

    init(
        nameServers: NameServers,
        hasOtherSources: Bool = NameServiceSwitch.hasOtherSources(),
        deliver: @escaping ([UInt64], Resolution) -> Void
    ) {
        self.nameServers = nameServers
        self.hasOtherSources = hasOtherSources
        self.deliver = deliver
    }

    /// Returns what is known about a host; nil if the transfer must wait, and is delivered later, maybe before this returns.
    func resolve(_ host: String, for transfer: UInt64) -> Resolution? {
        if let entry = cache.entry(of: host), entry.expires > .now { return resolution(entry.content, host) }
        if lookups[host] != nil {
            lookups[host]?.waiting.append(transfer)
            return nil
        }
        if let list = nameServers.addressesInHostFile(of: host) { return .addresses(list) }
        lookups[host] = Lookup(waiting: [transfer])
        ask(host)
        return nil
    }

    /// Forgets a transfer that no longer waits; the lookup goes on.
    func abandon(_ transfer: UInt64, host: String) {
        lookups[host]?.waiting.removeAll { $0 == transfer }
    }

    /// Returns the error of a transfer that has waited for its host as long as it may.
    func overdueError(of host: String) -> TransportError {
        let silence = ContinuousClock.now - Self.silence
        health.failed(lookups.filter { $0.value.asked > lastAnswer && $0.value.asked < silence }.keys)
        if health.isSuspected, lastHost == nil || checkedSince.map({ $0 < silence }) ?? false {
            health.confirm()
        }
        return error(of: host, because: lookups[host]?.failure ?? "no name server has answered in time")
    }

    /// Repeats questions whose time has come.
    func expire() {
        nameServers.expire()
        for host in failed {
            guard let lookup = lookups[host], lookup.again <= .now else { continue }
            // Nobody waits any more.
            if lookup.waiting.isEmpty { remove(host) } else { ask(host) }
        }
    }

    /// The time until ``expire()`` has something to do; nil if there is no lookup.
    var timeout: Duration? {
        let again = failed.compactMap { lookups[$0]?.again }.min()
        return [nameServers.timeout, again.map { $0 - .now }].compactMap(\.self).min()
    }

    private func ask(_ host: String) {
        let asked = ContinuousClock.now
        lookups[host]?.asked = asked
        lookups[host]?.failure = nil
        failed.remove(host)
        nameServers.ask(host) { [weak self] in self?.end(host, asked: asked, $0) }
    }

    private func end(_ host: String, asked: ContinuousClock.Instant, _ answer: NameAnswer) {
        switch answer {
        case .addresses(let list, let seconds):
            let validity = min(max(seconds, Self.validity.lowerBound), Self.validity.upperBound)
            finish(host, .addresses(list), for: .seconds(validity))
            lastHost = host
        case .noAddress:
            finish(host, hasOtherSources ? .otherSources : .noAddress, for: Self.negativeValidity)
        case .failure(let reason): return fail(host, reason)
        }
        lastAnswer = .now
        health.answered()
        // These failed before this question was sent, and it was answered: if they fail again, it is by themselves.
        for other in failed {
            guard let lookup = lookups[other], lookup.failedAt <= asked else { continue }
            lookups[other]?.isProvedAlone = true
            ask(other)
        }
    }

    private func fail(_ host: String, _ reason: String) {
        let known = cache.entry(of: host)
        if case .addresses = known?.content, var known, known.lastUse > .now {
            known.expires = .now + Self.staleValidity
            return finish(host, known)
        }
        guard var lookup = lookups[host] else { return }
        if case .broken = known?.content { lookup.isProvedAlone = true }
        if lookup.isProvedAlone, !health.isOut {
            return finish(host, .broken(reason), for: Self.negativeValidity)
        }
        lookup.failure = reason
        lookup.failures += 1
        lookup.failedAt = .now
        lookups[host] = lookup
        failed.insert(host)
        health.failed([host])
        if health.isSuspected { check() }
        endOutage()
    }

    /// Asks for the last host again, to find out whether the name servers fail or only some domains.
    private func check() {
        guard let lastHost else { return health.confirm() }
        guard checkedSince == nil else { return }
        checkedSince = .now
        nameServers.ask(lastHost) { [weak self] answer in
            guard let self else { return }
            checkedSince = nil
            guard case .failure = answer, health.isSuspected else { return }
            health.confirm()
            endOutage()
        }
    }

    /// Ends the transfers of all hosts that failed, if that is an outage.
    private func endOutage() {
        guard health.isOut else { return }
        for host in failed {
            guard let lookup = remove(host), let failure = lookup.failure else { continue }
            deliver(lookup.waiting, .failure(error(of: host, because: failure)))
        }
    }

    private func finish(_ host: String, _ content: HostCache.Content, for validity: Duration) {
        let expires = ContinuousClock.now + validity
        let lastUse = expires + Self.longestStaleness
        finish(host, HostCache.Entry(content: content, expires: expires, lastUse: lastUse))
    }

    private func finish(_ host: String, _ entry: HostCache.Entry) {
        cache.store(entry, of: host)
        let waiting = remove(host)?.waiting ?? []
        if !waiting.isEmpty { deliver(waiting, resolution(entry.content, host)) }
    }

    @discardableResult
    private func remove(_ host: String) -> Lookup? {
        failed.remove(host)
        return lookups.removeValue(forKey: host)
    }

    private func resolution(_ content: HostCache.Content, _ host: String) -> Resolution {
        switch content {
        case .addresses(let list): .addresses(list)
        case .otherSources: .bySystem
        case .noAddress: .failure(TransportError(.dns, "the name servers know no address of \(host)"))
        case .broken(let reason): .failure(error(of: host, because: reason))
        }
    }

    /// The error of a host whose name servers have not answered, or of all name servers in an outage.
    private func error(of host: String, because reason: String) -> TransportError {
        let text =
            health.isOut
            ? "no host can be looked up (\(reason)); check this machine's name servers"
            : "the address of \(host) cannot be looked up: \(reason)"
        var error = TransportError(.dns, text)
        error.isOfNameServers = health.isOut
        error.isOfOneName = !health.isOut
        return error
    }
}
