import Foundation
import NukeBatch

/// `cache ACTION`: looks after the originals.
enum CacheCommand {
    private enum Action: String, CaseIterable {
        case stat, list, get, remove, verify, trim, clear
    }

    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            let operands = arguments.operands
            guard let action = Action(rawValue: operands[0]) else {
                let known = Action.allCases.map(\.rawValue).joined(separator: ", ")
                throw Arguments.Failure(
                    message: "cache has no action \(operands[0]); the actions are \(known)"
                )
            }
            let manifest = operands.count > 1 ? try Arguments.manifest(operands[1]) : nil
            let originals = try Originals(manifest, folder: arguments["--cache"])
            defer { originals.close() }
            return try perform(action, originals, arguments)
        } catch {
            return Failure.report(error)
        }
    }

    private static func perform(
        _ action: Action,
        _ originals: Originals,
        _ arguments: Arguments
    ) throws -> ExitCode {
        let isJSON = arguments.has("--json")
        switch action {
        case .stat:
            let statistics = try originals.statistics()
            Output.result(isJSON ? JSONLine.text(statistics) : text(statistics))
        case .list:
            try originals.forEach(arguments["--url"]) { Output.result(isJSON ? JSONLine.text($0) : text($0)) }
        case .get:
            let data = try originals.data(of: try url(arguments, action))
            try write(data, to: arguments["--output"] ?? "-")
        case .remove:
            let count = try originals.remove(try url(arguments, action))
            Output.result(isJSON ? JSONLine.text(["removed": count]) : "\(count) removed")
        case .verify:
            let (count, removed) = try originals.verify()
            for key in removed where !isJSON { Output.result(Output.printable("damaged, removed  \(key)")) }
            Output.result(
                isJSON
                    ? JSONLine.text(["checked": count, "removed": removed])
                    : "\(count) originals checked, \(removed.count) damaged"
            )
            return removed.isEmpty ? .done : .someFailed
        case .trim:
            try originals.trim(to: try arguments.size("--size"))
            Output.result(
                isJSON ? JSONLine.text(try originals.statistics()) : text(try originals.statistics())
            )
        case .clear:
            originals.removeAll()
            if !isJSON { Output.result("the cache is empty") }
        }
        return .done
    }

    private static func url(_ arguments: Arguments, _ action: Action) throws(Arguments.Failure) -> String {
        guard let url = arguments["--url"], !url.isEmpty else {
            throw Arguments.Failure(message: "cache \(action.rawValue) needs --url URL")
        }
        return url
    }

    private static func write(_ data: Data, to path: String) throws {
        if path == "-" { return Output.result(data) }
        try data.write(to: URL(fileURLWithPath: path))
    }

    private static func text(_ statistics: Originals.Statistics) -> String {
        var lines = [
            statistics.directory,
            "\(statistics.count) originals, \(RunReport.size(statistics.bytes))"
                + (statistics.sizeLimit.map { " of \(RunReport.size($0))" } ?? ""),
            "\(RunReport.size(statistics.allocatedBytes)) on the disk",
        ]
        if statistics.pinnedBytes > 0 {
            lines.append(
                "\(RunReport.size(statistics.pinnedBytes)) kept for \(statistics.pinnedBy.joined(separator: ", "))"
            )
        }
        return Output.printableLines(lines.joined(separator: "\n"))
    }

    private static func text(_ entry: Originals.Entry) -> String {
        let size = RunReport.size(entry.bytes)
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        let url = entry.key.prefix { $0 != "\n" }
        return Output.printable("\(padding)\(size)  \(entry.used)  \(url)")
    }
}
