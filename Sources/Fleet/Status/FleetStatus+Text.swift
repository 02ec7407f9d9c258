import JobManifest

extension FleetStatus {
    /// The most attempts and partitions that the text names.
    private static let named = 10

    /// The progress in one line.
    package var line: String {
        var parts = ["\(committed)/\(partitions) partitions", "\(counts.total)/\(items) items"]
        if counts.failed + counts.quarantined > 0 {
            parts.append("\(counts.failed + counts.quarantined) failed")
        }
        if itemsPerSecond > 0 { parts.append("\(itemsPerSecond)/s") }
        if let secondsLeft, !missing.isEmpty { parts.append("\(Quantity.duration(secondsLeft)) left") }
        return parts.joined(separator: ", ")
    }

    /// The progress, what is worked on and what is missing.
    package var text: String {
        var lines = [line, counts.text]
        let oldest = running.sorted { $0.seconds > $1.seconds }
        for attempt in oldest.prefix(Self.named) {
            lines.append(
                "partition \(attempt.partition): begun \(Quantity.duration(attempt.seconds)) ago on \(attempt.node)"
            )
        }
        let busy = Set(running.map(\.partition))
        let idle = missing.filter { !busy.contains($0) }
        if !idle.isEmpty {
            let names = idle.prefix(Self.named).map(String.init).joined(separator: ", ")
            let more = idle.count > Self.named ? " and \(idle.count - Self.named) more" : ""
            lines.append("not begun: partition \(names)\(more)")
        }
        return lines.joined(separator: "\n")
    }
}
