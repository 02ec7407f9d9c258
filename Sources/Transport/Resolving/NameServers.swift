import CTransport
import Foundation

/// Asks the host file, then the name servers, as the system's settings say at that time.
final class NameServers {
    private static let settings = "/etc/resolv.conf"
    /// The time for which the settings are not looked at again.
    private static let settingsAge: Duration = .seconds(1)

    private let servers: String?
    private let watch: (Int32, Bool, Bool) -> Void
    private let hostFile: NameServerChannel
    /// The channel with the settings of now, behind those with older settings whose questions are in flight.
    private var channels: [NameServerChannel]
    private var searchDomains: [String]
    private var settings: SettingsVersion
    private var lookedAt = ContinuousClock.now

    /// The state of the settings' file, which differs after any change.
    private struct SettingsVersion: Equatable {
        var inode: ino_t = 0
        var seconds = 0
        var nanoseconds = 0

        init() {
            var status = stat()
            guard stat(NameServers.settings, &status) == 0 else { return }
            (inode, seconds, nanoseconds) = (status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    /// - Parameters:
    ///   - servers: Name servers with ports, for tests; nil for those of the settings.
    ///   - watch: Watches a socket for reading and writing, or neither.
    /// - Throws: `TransportError` if out of memory.
    init(servers: String?, watch: @escaping (Int32, Bool, Bool) -> Void) throws(TransportError) {
        self.servers = servers
        self.watch = watch
        settings = SettingsVersion()
        hostFile = try NameServerChannel(.hostFile, watch: watch)
        do throws(TransportError) {
            channels = [try NameServerChannel(.nameServers(servers, Self.read(servers)), watch: watch)]
        } catch {
            hostFile.close()
            throw error
        }
        searchDomains = servers == nil ? NameServerChannel.searchDomains() : []
    }

    /// Ends all questions without an answer.
    func close() {
        for channel in [hostFile] + channels { channel.close() }
    }

    /// Returns the addresses of a name in the host file.
    func addressesInHostFile(of name: String) -> AddressList? {
        var found: AddressList?
        hostFile.ask(name, family: AF_UNSPEC) { answer in
            if case .addresses(let list, _) = answer { found = list }
        }
        return found
    }

    /// Asks the name servers for the addresses of a host, and then for those of its name in the search domains.
    ///
    /// A name with a dot is asked for as it is first, whatever `ndots` says: in a pod of Kubernetes, where it is 5, each public
    /// name would cost a query for each search domain before. A single label is asked for in the search domains first.
    func ask(_ host: String, then: @escaping (NameAnswer) -> Void) {
        refresh()
        guard !host.hasSuffix(".") else { return ask([host], then) }
        let names = searchDomains.map { "\(host).\($0)" }
        ask(host.contains(".") ? [host] + names : names + [host], then)
    }

    /// Asks for one name after another until one has an address.
    private func ask(_ names: [String], _ then: @escaping (NameAnswer) -> Void) {
        askBothFamilies(names[0]) { [weak self] answer in
            guard let self, answer == .noAddress, names.count > 1 else { return then(answer) }
            ask(Array(names.dropFirst()), then)
        }
    }

    private func askBothFamilies(_ name: String, then: @escaping (NameAnswer) -> Void) {
        let channel = channels[channels.count - 1]
        var first: NameAnswer?
        for family in [AF_INET6, AF_INET] {
            channel.ask(name, family: family) { answer in
                guard let other = first else {
                    first = answer
                    return
                }
                then(answer.combined(with: other))
            }
        }
    }

    /// Handles an event of a socket; false if it is none of these.
    func process(_ socket: Int32, isReadable: Bool, isWritable: Bool) -> Bool {
        channels.contains { $0.process(socket, isReadable: isReadable, isWritable: isWritable) }
    }

    /// Repeats or ends the questions whose time has passed.
    func expire() {
        for channel in channels { channel.expire() }
        while channels.count > 1, let done = channels.dropLast().firstIndex(where: { $0.pending == 0 }) {
            channels.remove(at: done).close()
        }
    }

    /// The time until ``expire()`` has something to do; nil if nothing is asked.
    var timeout: Duration? { channels.compactMap(\.timeout).min() }

    /// Reads the options of the settings' file, unless the servers are not its own.
    private static func read(_ servers: String?) -> ResolverSettings {
        guard servers == nil else { return ResolverSettings() }
        return ResolverSettings((try? String(contentsOfFile: settings, encoding: .utf8)) ?? "")
    }

    /// Follows a change of the settings, such as another network's name servers.
    ///
    /// c-ares reads them only once.
    private func refresh() {
        guard servers == nil, lookedAt + Self.settingsAge <= .now else { return }
        lookedAt = .now
        let version = SettingsVersion()
        guard version != settings,
            let channel = try? NameServerChannel(.nameServers(nil, Self.read(nil)), watch: watch)
        else { return }
        settings = version
        searchDomains = NameServerChannel.searchDomains()
        channels.append(channel)
    }
}
