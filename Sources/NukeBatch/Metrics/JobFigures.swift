import JobManifest
import JobStorage

/// The figures of a job that its metrics show, from its state file.
struct JobFigures: Sendable {
    /// Items by state.
    var items: [ItemState: Int] = [:]
    /// Failed and quarantined items by error.
    var failures: [String: Int] = [:]
    /// The counters of its runs.
    var counters: [Counter: Double] = [:]
    /// Ended runs by exit code; that of nil are runs that were killed.
    var runs: [Int?: Int] = [:]
    /// The newest run, which may be active.
    var newest: RunRecord?
    /// The newest run that has ended with an exit code.
    var last: RunRecord?
    /// The end of the last run with exit code 0 or 1 by exit code, in milliseconds since 1970.
    var lastEnds: [Int: Int64] = [:]
    /// The number of hosts that are down by class; that of every class with requests.
    var hostsDown: [String: Int] = [:]

    /// Describes a job without a state.
    init() {}

    /// Reads the state at `path`; nil if there is none yet or if it cannot be read.
    init?(statePath path: String) {
        guard let reader = try? JobReader(path: path), let read = try? JobFigures(reader) else { return nil }
        self = read
    }

    /// Reads the state.
    /// - Throws: `JobStoreError`.
    private init(_ reader: JobReader) throws(JobStoreError) {
        let counts = try reader.counts()
        items = Dictionary(uniqueKeysWithValues: ItemState.allCases.map { ($0, counts[$0]) })
        let errors = try reader.failures().map { (ErrorCode.counted($0.key), $0.value) }
        failures = Dictionary(errors, uniquingKeysWith: +)
        counters = try reader.counters()
        runs = try reader.endedRuns()
        let newestRuns = try reader.runs()
        (newest, last) = (newestRuns.first, newestRuns.first { $0.exit != nil })
        for exit in 0...1 { lastEnds[exit] = try reader.lastEnd(exit: exit) }
        let known = try reader.countedHostClasses()
        let classes = HostClasses(known: known)
        hostsDown = Dictionary(uniqueKeysWithValues: known.map { ($0, 0) })
        for host in try reader.hostsDown() { hostsDown[classes.name(of: host), default: 0] += 1 }
    }
}
