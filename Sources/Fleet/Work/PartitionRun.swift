import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import NukeBatch

/// The run of one partition on this node: an ordinary run with a state and a cache of its own.
struct PartitionRun {
    /// The longest time of a partition, in seconds: thirty years.
    private static let mostSeconds = 1e9

    private let manifest: Manifest
    private let options: RunOptions
    private let state: String

    /// Prepares a run of the items of `entry`, which are written to `folder`.
    init(
        _ entry: PlannedPartition,
        of manifest: Manifest,
        minutes: Int,
        lines: Data,
        folder: String,
        sandboxProgram: [String]
    ) throws(RunError) {
        var manifest = manifest
        // The markup and the index of all partitions are written by `collect`; what they show are facts of each item.
        manifest.markups = []
        manifest.dataset?.index = nil
        manifest.limitHosts(of: entry)
        let items = "\(folder)/items.jsonl.gz"
        try RunError.wrapping {
            // A link of this name would be written through.
            _ = try Folder(path: folder).remove("items.jsonl.gz")
            try ResultFile.write(lines, to: items)
        }
        state = "\(folder)/state.sqlite"
        var options = RunOptions()
        options.state = state
        options.cache = "\(folder)/cache"
        manifest.plannedItems = [
            PlannedItemFile(
                path: items,
                name: FleetKey.items(entry.partition),
                items: entry.items,
                sha256: entry.sha256.description
            )
        ]
        options.startsWithEmptyBuckets = true
        options.sandboxProgram = sandboxProgram
        // Twice the time of a partition; a host that is in more time by its rate gets twice that.
        let longest = Duration.seconds(min(2 * max(Double(minutes) * 60, entry.seconds), Self.mostSeconds))
        options.maxDuration = manifest.limits.maxDuration.map { min($0, longest) } ?? longest
        self.manifest = manifest
        self.options = options
    }

    /// Makes the runner; call `run` of it once.
    func runner() throws(RunError) -> BatchRunner {
        try BatchRunner(manifest: manifest, options: options)
    }

    /// Returns the rows of all items, sorted by their place in the manifest.
    /// - Throws: `RunError.machine`.
    func rows() throws(RunError) -> [AttemptRow] {
        try RunError.wrapping {
            guard let reader = try JobReader(path: state) else {
                throw RunError.machine("\(state) is missing after the run")
            }
            var rows: [AttemptRow] = []
            try reader.forEachItem { rows.append(AttemptRow($0)) }
            return rows
        }
    }
}

extension Manifest {
    /// Limits the hosts of a partition to their rates in the plan, which are less than the manifest's for a host that is split.
    fileprivate mutating func limitHosts(of entry: PlannedPartition) {
        let rates = HostRates(self)
        for host in entry.hosts {
            guard let rate = host.rate, let whole = rates.rate(of: host.host), rate < whole else { continue }
            var settings = rates.settings(of: host.host)
            let share = rate / whole
            settings.hosts = [:]
            settings.rate = Rate(count: max(1, Int((rate * 1000).rounded(.down))), seconds: 1000)
            settings.burst = max(1, Int(Double(settings.burst) * share))
            settings.perHost = max(1, Int((Double(settings.perHost) * share).rounded(.up)))
            loading.hosts[host.host] = settings
        }
    }
}
