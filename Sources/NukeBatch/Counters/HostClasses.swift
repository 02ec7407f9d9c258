import JobStorage

/// The classes of hosts by which a job counts requests: a bounded number of them, however many hosts it has.
///
/// The busiest hosts have classes of their own. A host keeps its class from run to run, since a counter must not shrink.
struct HostClasses: Sendable {
    /// The class of all object stores.
    static let storage = "storage"
    /// The class of the hosts that have none of their own.
    static let other = "other"
    /// The most hosts with a class of their own; each takes about 25 time series.
    static let mostNamed = 20

    /// The hosts with a class of their own.
    private(set) var named: Set<String>
    /// True if the job has more hosts than classes, so that those with the most items get them.
    private let isCrowded: Bool

    /// Gives classes to `known`, and then to the `busiest` hosts, as long as there are any.
    init(known: Set<String> = [], busiest: [String] = [], isCrowded: Bool = false) {
        named = known.subtracting([Self.storage, Self.other])
        self.isCrowded = isCrowded
        for host in busiest where !Self.isStorage(host) && named.count < Self.mostNamed {
            named.insert(host)
        }
    }

    /// Gives classes to the hosts that had one in earlier runs, and to those with the most items.
    /// - Throws: `JobStoreError`.
    init(_ reader: JobReader) throws(JobStoreError) {
        let (busiest, isAll) = try reader.busiestHosts(limit: Self.mostNamed)
        self.init(known: try reader.countedHostClasses(), busiest: busiest, isCrowded: !isAll)
    }

    /// Returns the class of a host that is asked, which gets one of its own if there is room.
    mutating func claimName(of host: String) -> String {
        if !isCrowded, named.count < Self.mostNamed, !host.isEmpty, !Self.isStorage(host) {
            named.insert(host)
        }
        return name(of: host)
    }

    /// Returns the class of a host, given by the name that limits its rate.
    func name(of host: String) -> String {
        if Self.isStorage(host) { return Self.storage }
        return named.contains(host) ? host : Self.other
    }

    private static func isStorage(_ host: String) -> Bool { host.hasPrefix("s3:") }
}
