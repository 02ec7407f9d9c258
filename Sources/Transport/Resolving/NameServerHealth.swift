/// Tells name servers that fail from domains whose own servers fail, as a value without a clock.
///
/// Several hosts that fail, without an answer for any host in between, are an outage of the name servers. A host that fails
/// once more after another one was answered fails by itself.
struct NameServerHealth {
    /// The number of failing hosts that are an outage: that of `OutageDetector`.
    static let hosts = 5

    /// True from such an outage until the next answer.
    private(set) var isOut = false
    private var failing: Set<String> = []

    /// Records an answer of the name servers, also that a name does not exist.
    mutating func answered() {
        guard isOut || !failing.isEmpty else { return }
        isOut = false
        failing = []
    }

    /// Records hosts that got no answer.
    mutating func failed(_ hosts: some Sequence<String>) {
        guard !isOut else { return }
        failing.formUnion(hosts)
        guard failing.count >= Self.hosts else { return }
        isOut = true
        failing = []
    }
}
