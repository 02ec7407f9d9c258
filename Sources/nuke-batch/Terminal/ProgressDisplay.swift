import Foundation
import JobManifest
import NukeBatch

/// Shows the progress of a run on standard error: one line in place on a terminal, a line every few seconds elsewhere.
final class ProgressDisplay: Sendable {
    /// The form of the progress.
    enum Kind: String, CaseIterable {
        case auto, bar, plain, none
    }

    private let stopped = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isShown: Bool

    /// Starts to show what `snapshot` returns, on a thread of its own.
    init(_ kind: Kind, snapshot: @escaping @Sendable () -> RunProgress) {
        let isBar = kind == .bar || (kind == .auto && Terminal.isCapable)
        isShown = kind != .none
        guard isShown else { return }
        let (stopped, ended) = (stopped, ended)
        let thread = Thread {
            var meter = RateMeter()
            let interval = isBar ? 0.1 : 5.0
            while stopped.wait(timeout: .now() + interval) == .timedOut {
                let progress = snapshot()
                let rates = meter.add(
                    seconds: progress.seconds,
                    items: progress.finishedNow,
                    bytes: progress.networkBytes
                )
                if isBar {
                    Output.show(ProgressLine(progress, rates: rates).text(Terminal.style))
                } else {
                    Output.message(Output.printable(progress.line(rates)))
                }
            }
            if isBar { Output.show("") }
            ended.signal()
        }
        thread.name = "progress"
        thread.start()
    }

    /// Clears the line and ends the display.
    func stop() {
        guard isShown else { return }
        stopped.signal()
        ended.wait()
    }
}
