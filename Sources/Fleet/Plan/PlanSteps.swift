import Foundation
package import JobManifest
package import JobPlanning

/// Planning in steps, between which another program moves the lines: the same rules as on one machine, for lists of any size.
package struct PlanSteps {
    /// A step of `fleet plan`.
    package enum Step: String, Sendable, CaseIterable {
        /// From items to the paths that their outputs need.
        case claim
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

    /// Reads `ORDINAL \t JSON`, and emits `ORDINAL \t OUTPUT \t KEY \t PATH` for each output whose path is known in planning.
    ///
    /// OUTPUT is its place in the manifest, from 0. Of outputs that differ only in their size, the first stands for all.
    ///
    /// A path belongs to the output with the lowest ordinal, and of an item to the first. Another output of another item, or of
    /// the same one, is not made: its OUTPUT and PATH are added to the item's line for `write`.
    /// - Throws: `RunError.wrongInput` for a line of another form.
    package func claim(_ next: () -> String?, emit: (String) -> Void) throws(RunError) {
        let (claimed, templates) = (manifest.claimedPaths, manifest.outputs.map(\.path))
        var number = 0
        while let text = next() {
            number += 1
            let fields = Self.fields(text)
            guard fields.count == 2, let ordinal = Int(fields[0]) else {
                throw Self.wrong(number, "is not ORDINAL, a tab and JSON")
            }
            let line = try Self.line(fields[1], ordinal: ordinal, number: number)
            guard line.problem == nil else { continue }
            let paths = OutputPath.planned(templates, for: line.item(of: manifest, name: "", number: number))
            for output in claimed.map(\.output) {
                emit("\(ordinal)\t\(output)\t\(line.key)\t\(paths[output])")
            }
        }
    }

    /// Reads `HOST \t COUNT`, in the order of the bytes of the hosts, and emits `HOST \t PARTITION \t COUNT`.
    ///
    /// The first items of a host go to the partition of its first line, and so on.
    /// - Throws: `RunError.wrongInput` for a line of another form or order.
    package func pack(_ next: () -> String?, emit: (String) -> Void) throws(RunError) {
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
    ///
    /// `\t OUTPUT \t PATH` may follow for each output that is not made, since an earlier row has its path.
    /// - Throws: `RunError.wrongInput` for a line of another form or order, and for such an output whose policy is `error`;
    /// `machine`.
    package func write(_ next: () -> String?, emit: (String) -> Void) async throws(RunError) {
        try await RunError.wrapping {
            var writer = PartitionWriter(store, for: manifest)
            var (number, current, ordinal) = (0, Int?.none, 0)
            var done: Set<Int> = []
            while let text = next() {
                number += 1
                let fields = Self.fields(text)
                guard fields.count >= 3, let partition = Int(fields[0]), let position = Int(fields[1]) else {
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
                var line = try Self.line(fields[2], ordinal: position, number: number)
                line.blocked = try blocked(fields.dropFirst(3), of: position, number: number)
                let host = URLPieces(line.item(of: manifest, name: "", number: number)).authority
                writer.add(line, host: host, to: partition)
            }
            if let current { emit(JSONLine.text(try await writer.finish(current))) }
            try await writer.end()
        }
    }

    /// Reads the lines of written partitions, in any order, and writes the plan.
    /// - Throws: `RunError.wrongInput` for another line or another plan in the store, `machine`.
    package func seal(_ next: () -> String?, duplicates: Int) async throws(RunError) -> FleetPlan {
        var summaries: [PartitionWriter.Summary] = []
        while let line = next() {
            do throws(StoredRecordError) {
                summaries.append(try PartitionWriter.Summary(json: Data(line.utf8)))
            } catch {
                throw Self.wrong(summaries.count + 1, "is not a line that --step write printed: \(error)")
            }
        }
        let seal = PlanSeal(manifest, limits)
        let plan = try seal.plan(summaries, duplicates: duplicates)
        try await seal.write(plan, to: store)
        return plan
    }

    /// The outputs that are not made, by name, from pairs of fields.
    private func blocked(
        _ fields: ArraySlice<Substring>,
        of ordinal: Int,
        number: Int
    ) throws(RunError) -> [PartitionLine.Blocked] {
        var (blocked, rest) = ([PartitionLine.Blocked](), fields)
        while let first = rest.popFirst() {
            guard let index = Int(first), manifest.outputs.indices.contains(index), let path = rest.popFirst()
            else { throw Self.wrong(number, "does not end with pairs of OUTPUT and PATH") }
            let output = manifest.outputs[index]
            guard output.onCollision != .error else {
                let row = "row \(ordinal) of the manifest"
                throw .wrongInput(
                    manifest.collision(of: nil, and: row, writing: String(path), output: output.name)
                )
            }
            let isSkipped = output.onCollision == .first
            let set = manifest.claimedPaths.first { $0.output == index }?.outputs ?? [index]
            blocked += set.map { index in
                let name = manifest.outputs[index].name
                return PartitionLine.Blocked(output: name, path: String(path), isSkipped: isSkipped)
            }
        }
        return blocked.sorted { $0.output.utf8.lexicographicallyPrecedes($1.output.utf8) }
    }

    private static func line(_ text: Substring, ordinal: Int, number: Int) throws(RunError) -> PartitionLine {
        try RunError.wrapping {
            var line = try PartitionLine(parsing: Data(text.utf8), name: "standard input", number: number)
            line.ordinal = ordinal
            return line
        }
    }

    /// The fields of a line, whose JSON has no tabs of its own.
    private static func fields(_ line: String) -> [Substring] {
        line.split(separator: "\t", omittingEmptySubsequences: false)
    }

    private static func wrong(_ line: Int, _ message: String) -> RunError {
        .wrongInput("standard input, line \(line) \(message)")
    }
}
