import Foundation
package import JobManifest
package import JobPlanning

/// Planning in steps, between which another program moves the lines: the same rules as on one machine, for lists of any size.
package struct PlanSteps {
    /// A step of `fleet plan`.
    package enum Step: String, Sendable, CaseIterable {
        /// From the hosts with the number of their items to partitions.
        case pack
        /// From items, partition by partition, to the partitions' files.
        case write
        /// From written partitions to the plan.
        case seal
    }

    private let manifest: Manifest
    private let limits: PartitionLimits
    private let store: FleetStore

    /// Creates the steps of planning a manifest.
    package init(_ manifest: Manifest, limits: PartitionLimits, store: FleetStore) {
        (self.manifest, self.limits, self.store) = (manifest, limits, store)
    }

    /// Reads `HOST \t COUNT`, in the order of the bytes of the hosts, and emits `HOST \t PARTITION \t COUNT`.
    ///
    /// The first items of a host go to the partition of its first line, and so on.
    /// - Throws: `RunError.wrongInput` for a line of another form or order.
    package func pack(
        _ next: () -> String?,
        emit: (String) -> Void
    ) throws(RunError) {
        var packer = PartitionPacker(limits, rate: HostRates(manifest).rate)
        var (number, last) = (0, String?.none)
        while let line = next() {
            number += 1
            let fields = Self.fields(line)
            guard fields.count == 2, let items = Int(fields[1]), items > 0 else {
                throw Self.wrong(number, "is not HOST, a tab and a count")
            }
            let host = String(fields[0])
            if let last, !last.utf8.lexicographicallyPrecedes(host.utf8) {
                throw Self.wrong(number, "is not behind \(last) in the order of bytes, or has the same host")
            }
            last = host
            for slice in packer.add(host, items: items) {
                emit("\(host)\t\(slice.partition)\t\(slice.items)")
            }
        }
    }

    /// Reads `PARTITION \t ORDINAL \t JSON`, all lines of a partition together and in order, writes the partitions' files, and
    /// emits a line of JSON for each.
    /// - Throws: `RunError.wrongInput` for a line of another form or order, `machine`.
    package func write(_ next: () -> String?, emit: (String) -> Void) async throws(RunError) {
        do {
            var writer = PartitionWriter(store)
            var (number, current, ordinal) = (0, Int?.none, 0)
            var done: Set<Int> = []
            while let text = next() {
                number += 1
                let fields = Self.fields(text)
                guard fields.count == 3, let partition = Int(fields[0]), let position = Int(fields[1]) else {
                    throw Self.wrong(number, "is not PARTITION, a tab, ORDINAL, a tab and JSON")
                }
                if partition != current {
                    if let current { emit(JSONLine.text(try await writer.finish(current))) }
                    guard done.insert(partition).inserted else {
                        throw Self.wrong(number, "comes back to partition \(partition), which was complete")
                    }
                    (current, ordinal) = (partition, 0)
                }
                guard position > ordinal else { throw Self.wrong(number, "is not in the order of ordinals") }
                ordinal = position
                var line = try PartitionLine(
                    parsing: Data(fields[2].utf8),
                    name: "standard input",
                    number: number
                )
                line.ordinal = position
                let host = URLPieces(line.item(of: manifest, name: "", number: number)).authority
                writer.add(line.text, ordinal: position, host: host, to: partition)
            }
            if let current { emit(JSONLine.text(try await writer.finish(current))) }
            try await writer.end()
        } catch {
            throw RunError(error)
        }
    }

    /// Reads the lines of written partitions, in any order, and writes the plan.
    /// - Throws: `RunError.wrongInput` for another line or another plan in the store, `machine`.
    package func seal(_ next: () -> String?, duplicates: Int) async throws(RunError) -> FleetPlan {
        var summaries: [PartitionWriter.Summary] = []
        while let line = next() {
            do {
                summaries.append(
                    try JSONDecoder().decode(PartitionWriter.Summary.self, from: Data(line.utf8))
                )
            } catch {
                throw Self.wrong(summaries.count + 1, "is not a line that --step write printed")
            }
        }
        let seal = PlanSeal(manifest, limits)
        let plan = try seal.plan(summaries, duplicates: duplicates)
        try await seal.write(plan, to: store)
        return plan
    }

    private static func fields(_ line: String) -> [Substring] {
        line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    }

    private static func wrong(_ line: Int, _ message: String) -> RunError {
        .wrongInput("standard input, line \(line) \(message)")
    }
}
