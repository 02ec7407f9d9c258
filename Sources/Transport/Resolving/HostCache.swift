/// The known addresses of hosts, for at least the last ``generation`` of them and at most twice as many.
///
/// Entries stay after their time: they are better than nothing if no name server answers.
struct HostCache {
    /// The result of a lookup.
    enum Content: Equatable {
        case addresses(AddressList)
        /// Neither the name servers nor any other source has an address.
        case noAddress
        /// The name servers have none, but another source of this machine may.
        case otherSources
        /// The domain's own name servers fail.
        case broken(String)
    }

    struct Entry {
        let content: Content
        var expires: ContinuousClock.Instant
        /// The time until which it may be used although it has expired, while no name server answers.
        let lastUse: ContinuousClock.Instant
    }

    /// 2^17 hosts need about 20 MB.
    static let generation = 131_072

    private let generation: Int
    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]

    init(generation: Int = HostCache.generation) {
        self.generation = generation
    }

    /// Returns the entry of a host, which also keeps it among the last.
    mutating func entry(of host: String) -> Entry? {
        if let entry = young[host] { return entry }
        guard let entry = old.removeValue(forKey: host) else { return nil }
        store(entry, of: host)
        return entry
    }

    mutating func store(_ entry: Entry, of host: String) {
        if young.count >= generation, young[host] == nil { (old, young) = (young, [:]) }
        young[host] = entry
    }
}
