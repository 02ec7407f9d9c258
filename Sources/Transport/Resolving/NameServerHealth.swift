/// Distinguishes name servers that fail from domains whose own servers fail, as a value without a clock.
///
/// Several hosts that fail, without an answer for any host in between, make an outage of the name servers likely: a host that
/// was answered before is asked for again, and decides. It may be answered from a cache while all others fail, so that many
/// hosts are an outage by themselves.
struct NameServerHealth {
    /// The number of failing hosts that make an outage likely: that of `OutageDetector`.
    static let suspectedHosts = 5
    /// The number of failing hosts that are an outage.
    static let hosts = 20

    /// True from an outage's start until the next answer.
    private(set) var isOut = false
    private var failing: Set<String> = []

    /// True if so many hosts fail that it may be an outage.
    var isSuspected: Bool { !isOut && failing.count >= Self.suspectedHosts }

    /// Records an answer of the name servers for a host that waits for one, also that its name does not exist.
    mutating func answered() {
        guard isOut || !failing.isEmpty else { return }
        isOut = false
        failing = []
    }

    /// Records hosts that got no answer.
    mutating func failed(_ hosts: some Sequence<String>) {
        guard !isOut else { return }
        failing.formUnion(hosts)
        if failing.count >= Self.hosts { confirm() }
    }

    /// Records that the host that was answered before gets no answer either, or that none ever was.
    mutating func confirm() {
        isOut = true
        failing = []
    }
}
