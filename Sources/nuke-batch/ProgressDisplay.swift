import Foundation
import NukeBatch

/// Shows a run's progress on standard error: one line that stays on a terminal, a line every few seconds elsewhere.
final class ProgressDisplay: Sendable {
    /// How progress is shown.
    enum Kind: String {
        case auto, bar, plain, none
    }

    private let stopped = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isShown: Bool

    /// Starts showing what `snapshot` says.
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

    /// Clears the line and shows no more.
    func stop() {
        guard isShown else { return }
        stopped.signal()
        ended.wait()
    }
}
