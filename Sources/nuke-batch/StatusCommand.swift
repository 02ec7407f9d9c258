import Foundation
import NukeBatch

/// `status`: how many items are in which state, how fast a run that is going on gets on, and how the last runs ended.
enum StatusCommand {
    static func perform(_ arguments: Arguments) async -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let state = try JobState(try Arguments.manifest(arguments.operands[0]), options: options)
            let isJSON = arguments.has("--json")
            if arguments.has("--watch") { try await watch(state, isJSON: isJSON) }
            let status = try state.status()
            Output.result(isJSON ? JSONLine.text(status) : Output.printableLines(status.text()))
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    /// Follows the run that is going on, until it has ended.
    private static func watch(_ state: JobState, isJSON: Bool) async throws {
        let isTerminal = Terminal.isCapable && !isJSON
        var meter = RateMeter()
        let start = ContinuousClock.now
        var before: Int?
        while true {
            let status = try state.status()
            guard let current = status.current else { break }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            before = before ?? status.finished
            let since = meter.add(seconds: seconds, items: status.finished - (before ?? 0), bytes: 0)
            // A run that has finished nothing for a while has the rate that it had.
            let isMoving = (since?.items ?? 0) > 0
            let rates = isMoving ? since : status.rate.map { RateMeter.Rates(items: $0, bytes: 0) }
            if isTerminal {
                Output.show(progressLine(status, current, rates))
            } else {
                Output.result(isJSON ? JSONLine.text(status) : status.progressLine(rate: rates?.items))
            }
            try await Task.sleep(for: .seconds(isTerminal ? 0.5 : 2))
        }
        if isTerminal { Output.show("") }
    }

    private static func progressLine(
        _ status: JobStatus,
        _ current: JobStatus.Run,
        _ rates: RateMeter.Rates?
    ) -> String {
        var progress = RunProgress()
        progress.total = status.items ?? 0
        progress.failed = (status.states["failed"] ?? 0) + (status.states["quarantined"] ?? 0)
        progress.done = status.finished - progress.failed
        progress.failures = status.failures
        progress.waiting = ["run \(current.run), process \(current.process)"]
        return ProgressLine(progress, rates: rates).text(Terminal.style)
    }
}
