import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// Explains the state of an item and its outputs, and names the next step.
struct ItemAdvice {
    let manifest: Manifest
    let life: ItemLife
    let commands: NextCommands
    /// The paths of finished outputs whose files or objects are missing.
    let missing: Set<String>

    private var item: ItemRecord { life.item }
    private var error: String { item.error ?? "" }
    private var code: ErrorCode? { item.error.flatMap(ErrorCode.init) }

    /// The reason for the item's state, one sentence.
    var why: String {
        guard life.isListed else {
            return "the manifest no longer lists it; its outputs stay until you prune them"
        }
        let message = item.message.map { ": \($0)" } ?? ""
        return switch item.state {
        case .pending where item.message != nil: "it was put back\(message)"
        case .pending where !life.attempts.isEmpty:
            "the manifest or the original has changed since its outputs were made"
        case .pending: "no run has started it yet"
        case .running: "a run is loading it"
        case .retry: "\(error)\(message)"
        case .done where manifest.asksEdge(item: item.url): "the edge has answered for it"
        case .done: manifest.outputs.isEmpty ? "its original is cached" : "all its outputs are made"
        case .skipped where item.twin != nil: item.twin.map { ItemListing.Twin($0).sentence } ?? ""
        case .skipped: "no output was needed\(message)"
        case .failed: "\(error)\(message)"
        case .quarantined: "it ended the process more than once, so runs leave it out\(message)"
        }
    }

    /// The next steps, a sentence or a command each; empty if there is nothing to do.
    var next: [String] {
        guard life.isListed else {
            return life.outputs.isEmpty
                ? [] : ["\(commands.prune) lists orphaned outputs"]
        }
        switch item.state {
        case .pending, .retry: return [commands.resume]
        case .running: return [commands.status]
        case .skipped: return []
        case .done:
            let isWhole = outputs.allSatisfy {
                !$0.isWanted || $0.state != "done" || !$0.why.contains(Self.missing)
            }
            return isWhole ? [] : ["\(commands.verify) --repair"]
        case .failed: return Self.next(after: code, in: manifest, commands, retry: retry)
        case .quarantined: return Self.nextInQuarantine(retry: retry)
        }
    }

    /// The next steps for items that failed with an error; `retry` is the command that tries them again.
    static func next(
        after code: ErrorCode?,
        in manifest: Manifest,
        _ commands: NextCommands,
        retry: String
    ) -> [String] {
        code.map(manifest.retry.retryableErrors.contains) == true
            ? ["The next run retries it.", commands.resume] : [code?.entry.remedy].compactMap { $0 } + [retry]
    }

    /// The next steps for items in quarantine.
    static func nextInQuarantine(retry: String) -> [String] {
        ["Inspect the original: it may be malicious.", retry]
    }

    /// The outputs that the manifest asks for, in its order, then the others.
    var outputs: [ItemExplanation.Output] {
        let wanted = manifest.outputs.map(\.name)
        let known = life.outputs.sorted { left, right in
            let positions = [left, right].map { wanted.firstIndex(of: $0.result.name) ?? .max }
            return positions[0] < positions[1]
        }
        let recorded = known.map { explain($0) }
        guard life.isListed else { return recorded }
        let missing = wanted.filter { name in !life.outputs.contains { $0.isWanted && $0.result.name == name }
        }
        return recorded.filter(\.isWanted) + missing.map(notMade) + recorded.filter { !$0.isWanted }
    }

    private static let missing = "is missing"

    private func explain(_ output: ItemLife.Output) -> ItemExplanation.Output {
        let result = output.result
        return ItemExplanation.Output(
            name: result.name,
            isWanted: output.isWanted && life.isListed,
            state: result.state.rawValue,
            path: result.path,
            bytes: result.bytes,
            width: result.width,
            height: result.height,
            sha256: result.sha256,
            format: result.format,
            encoder: result.encoder,
            quality: result.quality,
            ssimulacra2: result.ssimulacra2,
            shortfall: result.shortfall?.rawValue,
            spec: result.spec,
            time: Timestamp.text(output.time),
            why: why(output)
        )
    }

    private func why(_ output: ItemLife.Output) -> String {
        let reason = output.result.reason ?? ""
        switch output.result.state {
        case .failed: return reason
        case .skipped where reason == OutputRecord.exists:
            return "a file that the state does not know has its path, and `existing` is `keep`"
        case .skipped where reason == OutputRecord.width:
            return "the image is not wider than a smaller one of `widths`, which has it at its own width"
        case .skipped where reason.hasPrefix(OutputRecord.pathTaken):
            return "\(reason), and `onCollision` is `first`"
        case .skipped where reason == Manifest.optOut:
            return "its X-Robots-Tag forbids this use, and `dataset.honourOptOut` is set"
        case .skipped where reason == OutputRecord.duplicate:
            let twin = item.twin.map { ", listed in \($0.location) as item \($0.ordinal)" } ?? ""
            return "an earlier item has its original\(twin), and `dataset.deduplicate` is set"
        case .skipped where reason == Manifest.robots:
            return "the robots.txt of its origin forbids it, and `dataset.honourRobots` is set"
        case .skipped:
            let isFiltered = manifest.dataset.map { $0.condition != OutputCondition() } ?? false
            return
                "the original does not meet `when`\(isFiltered ? " or the filters of `dataset`" : ""): it is \(reason)"
        case .done:
            guard let path = output.result.path, !missing.contains(path) else {
                let kind = manifest.destination.folder == nil ? "object" : "file"
                return "it was made, and its \(kind) \(Self.missing)"
            }
            guard life.isListed else {
                return "the manifest no longer lists its item; `prune --delete` removes it"
            }
            guard OutdatedReason(recipe: output.result.recipe) == nil else {
                return "it is outdated; the next run makes it again"
            }
            guard output.isWanted else {
                return
                    "an earlier manifest asked for it; the current one asks for another recipe"
            }
            guard output.result.reason != OutputRecord.adopted else {
                return
                    "another tool made it, and `adopt` took it over: it is current until its settings or its original change"
            }
            return "it is current: same original, same recipe\(shortfall(of: output.result))"
        }
    }

    /// Returns the end of the sentence about a file that is less like its image than the manifest asks; nothing for another one.
    private func shortfall(of output: OutputRecord) -> String {
        switch output.shortfall {
        case nil: ""
        case .maxBytes: "; its score is below the one asked for, since `maxBytes` is obeyed first"
        case .quality: "; its score is below the one asked for, which no quality of its format reaches"
        }
    }

    private func notMade(_ name: String) -> ItemExplanation.Output {
        let why =
            switch item.state {
            case .failed where life.attempts.last?.result.bytes == nil:
                "not made: the original could not be loaded"
            case .failed: "not made: the item failed"
            case .quarantined: "not made: the item is quarantined"
            case .done, .skipped: "not made: the manifest has asked for it only since the last run"
            case .pending, .running, .retry: "not made yet"
            }
        return ItemExplanation.Output(name: name, isWanted: true, why: why)
    }

    private var retry: String {
        let shown = ItemListing.withoutUser(item.url).replacing(
            "://redacted@",
            with: "://*@",
            maxReplacements: 1
        )
        let url = shown.firstIndex(of: "?").map { shown[...$0] + "*" } ?? shown[...]
        return "\(commands.retry) --url \(Shell.quoted(String(url)))"
    }
}
