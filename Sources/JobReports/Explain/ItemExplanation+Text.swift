import Foundation
import Imaging
import JobManifest
import JobPlanning

extension ItemExplanation {
    /// The explanation as text: a heading, the details, and the next steps.
    ///
    /// The query of the URL, which may contain a signature, is hidden. Control characters are not escaped.
    public var text: String {
        let sections = [
            ("", head), ("attempts", attempts.map(Self.line)), ("requests", requests.flatMap(Self.lines)),
            (original.edge == nil ? "cache" : "edge", cacheLines), ("outputs", outputs.flatMap(Self.lines)),
            ("former files", leftovers.map { $0 }),
            ("next steps", next),
        ]
        return
            ([item.shownURL]
            + sections.filter { !$0.1.isEmpty }.flatMap { title, lines in
                // A message with several lines must not look like lines of the explanation.
                (title.isEmpty ? [] : ["", title]) + lines.map { "  \($0.replacing("\n", with: " "))" }
            }).joined(separator: "\n")
    }

    /// The item in one line, for a list.
    public var line: String {
        let id = item.id.map { "  id \($0)" } ?? ""
        return "\(item.state)  \(item.shownURL)\(id)  \(location)"
    }

    private var head: [String] {
        var lines = [
            "\(item.state) since \(updated): \(why)",
            "\(isListed ? "listed" : "was listed") in \(location) as item \(item.index), priority \(item.priority)",
        ]
        if let id = item.id { lines.append("id \(id)") }
        if let due { lines.append("next attempt not before \(due)") }
        lines += Self.animation(item.facts) + Self.gainMap(item.facts) + Self.warnings(item.facts)
        if let note { lines.append("note: \(note)") }
        return lines
    }

    /// The outputs that have the gain map of the original, if it has one, and those that do not.
    private static func gainMap(_ facts: ItemFacts?) -> [String] {
        guard case .object(let map) = facts?[.gainMap], case .string(let form) = map["form"] else {
            return []
        }
        var parts = ["gain map: \(form)"]
        if case .array(let names) = map["kept"], !names.isEmpty {
            let kept = names.map { name in if case .string(let text) = name { text } else { name.text } }
            parts.append("kept in \(kept.joined(separator: ", "))")
        }
        if case .object(let reasons) = map["dropped"], !reasons.isEmpty {
            let dropped = reasons.sorted { $0.key < $1.key }.map { name, reason in
                if case .string(let text) = reason { "\(name) (\(text))" } else { name }
            }
            parts.append("dropped from \(dropped.joined(separator: ", "))")
        }
        return [parts.joined(separator: "; ")]
    }

    /// The frames of the original, if it is animated.
    private static func animation(_ facts: ItemFacts?) -> [String] {
        guard case .object(let animation) = facts?[.animation],
            case .integer(let frames) = animation["frames"],
            case .integer(let plays) = animation["plays"], let seconds = animation["seconds"]
        else { return [] }
        let played = plays == 0 ? "played for ever" : plays == 1 ? "played once" : "played \(plays) times"
        return ["animated: \(Quantity.count(frames, "frame")) in \(seconds.text) s, \(played)"]
    }

    /// What was wrong with the original, a sentence each.
    private static func warnings(_ facts: ItemFacts?) -> [String] {
        guard case .array(let names) = facts?[.warnings] else { return [] }
        return names.compactMap { name in
            guard case .string(let name) = name else { return nil }
            // A later release may know more of them.
            return "warning: \(ImageWarning(rawValue: name)?.sentence ?? name)"
        }
    }

    private var cacheLines: [String] {
        var lines = [original.decision]
        if let bytes = original.bytes {
            let stored = original.stored.map { ", stored \($0)" } ?? ""
            lines.append(Quantity.bytes(bytes) + stored)
        }
        if let sha256 = original.sha256 { lines.append("SHA-256 \(sha256)") }
        let fields = [
            ("Content-Type", original.contentType), ("ETag", original.etag),
            ("Last-Modified", original.lastModified),
        ]
        return lines + fields.compactMap { name, value in value.map { "\(name): \($0)" } }
            + Self.lines(original.link)
    }

    private static func line(_ attempt: Attempt) -> String {
        let what = [
            attempt.status.map { "HTTP \($0)" }, attempt.bytes.map(Quantity.bytes), attempt.error,
            attempt.detail,
        ].compactMap { $0 }
        let parts = [
            "\(attempt.number)", "run \(attempt.run)", attempt.started, "\(attempt.milliseconds) ms",
            attempt.outcome,
        ]
        return (parts + what).joined(separator: "  ")
    }

    private static func lines(_ entry: Request) -> [String] {
        let request = entry.request
        let answer = request.status.map(String.init) ?? request.error ?? "no response"
        let arrow = request.redirects > 0 ? "redirected to " : ""
        let timings = request.timings
        let phases: [(String, Double?)] = [
            ("queued", timings.blocked), ("DNS", timings.dns), ("connect", timings.connect),
            ("TLS", timings.tls), ("first byte", timings.wait), ("body", timings.receive),
        ]
        let times = phases.compactMap { name, time in time.map { "\(name) \(Self.milliseconds($0))" } }
        let connection = [
            request.address, request.protocol, request.reused == true ? "reused connection" : "",
        ].filter { !$0.isEmpty }
        return [
            "\(request.started)  run \(request.run)  \(arrow)\(request.method) \(request.url)",
            "  \(answer), \(Quantity.bytes(request.bytes)); \(connection.joined(separator: ", "))",
            "  \(times.joined(separator: ", "))",
        ] + entry.requestHeaders.map { "  > \($0)" } + entry.responseHeaders.map { "  < \($0)" }
    }

    private static func lines(_ output: Output) -> [String] {
        var parts = [output.name, output.isWanted ? output.state ?? "missing" : "orphaned"]
        if let path = output.path { parts.append(path) }
        if let width = output.width, let height = output.height { parts.append("\(width) × \(height)") }
        if let bytes = output.bytes { parts.append(Quantity.bytes(bytes)) }
        if let format = output.format { parts.append(format) }
        if let encoder = output.encoder { parts.append(encoder) }
        if let quality = output.quality { parts.append("quality \(quality)") }
        if let score = output.ssimulacra2 { parts.append(String(format: "SSIMULACRA2 %.1f", score)) }
        if let time = output.time { parts.append(time) }
        return [parts.joined(separator: "  "), "  \(output.why)"] + lines(output.link).map { "  \($0)" }
    }

    private static func lines(_ link: String?) -> [String] {
        link.map { ["link for \(ObjectLinks.seconds / 60) minutes: \($0)"] } ?? []
    }

    private static func milliseconds(_ time: Double) -> String {
        String(format: time < 10 ? "%.1f ms" : "%.0f ms", time)
    }
}
