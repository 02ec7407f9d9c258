import Foundation
import JobStorage

/// Why an item and its outputs are as they are, and what to do about it.
struct ItemAdvice {
    let manifest: Manifest
    let life: ItemLife
    /// Whether a file is there, by its absolute path.
    let isThere: (String) -> Bool

    private var item: ItemRecord { life.item }
    private var error: String { item.error ?? "" }

    /// Why the item stands where it does.
    var why: String {
        guard life.isListed else {
            return "the manifest does not list it any more: what was made of it stays"
        }
        let message = item.message.map { ": \($0)" } ?? ""
        return switch item.state {
        case .pending where item.message != nil: "it was put back\(message)"
        case .pending where !life.attempts.isEmpty: "something else is asked for than what was made of it"
        case .pending: "it was not taken up yet"
        case .running: "a run is loading it"
        case .fetched: "its original is there, its outputs are not all made yet"
        case .retry: "\(error)\(message)"
        case .done: manifest.outputs.isEmpty ? "its original is durable" : "all that is asked for is made"
        case .skipped: "nothing of it had to be made\(message)"
        case .failed: "\(error)\(message)"
        case .quarantined: "it ended the process more than once and is not touched again\(message)"
        }
    }

    /// What to do now.
    var next: [String] {
        guard life.isListed else {
            return life.outputs.isEmpty
                ? [] : ["nuke-batch prune \(manifest.path) lists what no item makes any more"]
        }
        let run = "nuke-batch run \(Shell.quoted(manifest.path))"
        switch item.state {
        case .pending, .fetched, .retry: return [run]
        case .running: return ["nuke-batch status \(Shell.quoted(manifest.path))"]
        case .skipped: return []
        case .done:
            let isWhole = outputs.allSatisfy {
                !$0.isWanted || $0.state != "done" || !$0.why.contains(Self.missing)
            }
            return isWhole ? [] : ["nuke-batch verify \(Shell.quoted(manifest.path)) --repair"]
        case .failed where ItemError.retryable(by: manifest.retry).contains(error):
            return ["the next run tries it again by itself", run]
        case .failed: return [remedy].compactMap { $0 } + [retry]
        case .quarantined: return ["look at the original: it may be harmful", retry]
        }
    }

    /// The outputs that the manifest asks for, in its order, then the others.
    var outputs: [ItemExplanation.Output] {
        let wanted = manifest.outputs.map(\.name)
        let known = life.outputs.sorted { left, right in
            let places = [left, right].map { wanted.firstIndex(of: $0.result.name) ?? .max }
            return places[0] < places[1]
        }
        let recorded = known.map { explain($0) }
        let missing = wanted.filter { name in !life.outputs.contains { $0.isWanted && $0.result.name == name }
        }
        return recorded.filter(\.isWanted) + missing.map(notMade) + recorded.filter { !$0.isWanted }
    }

    private static let missing = "is not there any more"

    private func explain(_ output: ItemLife.Output) -> ItemExplanation.Output {
        let result = output.result
        return ItemExplanation.Output(
            name: result.name,
            isWanted: output.isWanted,
            state: result.state.rawValue,
            path: result.path,
            bytes: result.bytes,
            width: result.width,
            height: result.height,
            sha256: result.sha256,
            encoder: result.encoder,
            spec: result.spec,
            time: Timestamp.text(output.time),
            why: why(output)
        )
    }

    private func why(_ output: ItemLife.Output) -> String {
        let reason = output.result.reason ?? ""
        switch output.result.state {
        case .failed: return reason
        case .skipped where reason == "exists":
            return "a file was there that the state did not know, and `existing` is `keep`"
        case .skipped where reason == Manifest.optOut:
            return "its origin forbids such use by its X-Robots-Tag, and `dataset.honourOptOut` honours that"
        case .skipped: return "`when` does not hold: the original is \(reason)"
        case .done:
            guard isThere(output.result) else {
                return "it was made, and its file \(Self.missing)"
            }
            guard output.isWanted else {
                return
                    "it was made as an earlier manifest asked for it; the one in force asks for something else"
            }
            return "it was made of this original by this recipe, so it is kept"
        }
    }

    /// Whether its file is there, or the shard that holds it.
    private func isThere(_ output: OutputResult) -> Bool {
        guard let path = output.path else { return false }
        let absolute = manifest.destinationPath + "/" + path
        guard output.shardOffset != nil else { return isThere(absolute) }
        let shard = (absolute as NSString).deletingLastPathComponent
        return isThere(shard) || isThere(shard + ".part")
    }

    private func notMade(_ name: String) -> ItemExplanation.Output {
        let why =
            switch item.state {
            case .failed where life.attempts.last?.result.bytes == nil:
                "not made: the original could not be loaded"
            case .failed: "not made: the item failed"
            case .quarantined: "not made: the item is quarantined"
            case .done, .skipped: "not made: the manifest asks for it since the last run"
            case .pending, .running, .fetched, .retry: "not made yet"
            }
        return ItemExplanation.Output(name: name, isWanted: true, why: why)
    }

    private var retry: String {
        let url = item.url.firstIndex(of: "?").map { item.url[...$0] + "*" } ?? item.url[...]
        return "nuke-batch retry \(Shell.quoted(manifest.path)) --url \(Shell.quoted(String(url)))"
    }

    /// What mends a permanent error, if there is a way.
    private var remedy: String? {
        switch error {
        case "http_401", "http_403": "the host refuses it: see loading.headers and loading.auth"
        case _ where error.hasPrefix("http_"), "not_found", "bad_url", "empty", "wrong_type", "corrupt":
            "mend the URL in \(item.location), or what it gives"
        case "too_large": "raise loading.maxBytes if that is right"
        case "limits": "raise the limit that the message names if that is right"
        case "redirects": "mend the URL in \(item.location), or raise loading.maxRedirects"
        case "scheme": "see network.schemes"
        case "address": "see network.allow, or network.fileRoots for files"
        case "tls": "the host's certificate is not accepted: mend it there"
        case "collision": "give the output a path that tells its items apart, such as {id} or {index}"
        default: nil
        }
    }
}

extension ItemExplanation.Output {
    fileprivate init(name: String, isWanted: Bool, why: String) {
        self.init(
            name: name,
            isWanted: isWanted,
            state: nil,
            path: nil,
            bytes: nil,
            width: nil,
            height: nil,
            sha256: nil,
            encoder: nil,
            spec: nil,
            time: nil,
            why: why
        )
    }
}

/// Words of commands that people copy.
enum Shell {
    /// The word as a POSIX shell reads it back.
    static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic && scalar.isASCII
                || "0123456789@%_+=:,./-".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
