import Foundation
import NukeBatch
import Synchronization

/// Shows a run's progress on standard error: one line that stays on a terminal, a line every few seconds elsewhere.
final class ProgressDisplay: Sendable {
    /// How progress is shown.
    enum Kind: String {
        case auto, bar, plain, none
    }

    private let isBar: Bool
    private let stopped = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isShown: Bool

    /// Starts showing what `snapshot` says.
    init(_ kind: Kind, snapshot: @escaping @Sendable () -> RunProgress) {
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        isBar = kind == .bar || (kind == .auto && isTerminal)
        isShown = kind != .none
        guard isShown else { return }
        let (isBar, stopped, ended) = (isBar, stopped, ended)
        let thread = Thread {
            let interval = isBar ? 0.1 : 5.0
            while stopped.wait(timeout: .now() + interval) == .timedOut {
                Self.show(snapshot(), asBar: isBar)
            }
            if isBar { Output.progress("\r\u{1B}[2K") }
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

    private static func show(_ progress: RunProgress, asBar: Bool) {
        let line = Output.printable(progress.line)
        guard asBar else { return Output.message(line) }
        let width = terminalWidth()
        let barWidth = max(10, min(30, width - line.count - 4))
        let filled = Int(Double(barWidth) * progress.fraction)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        Output.progress("\r\u{1B}[2K" + String("[\(bar)] \(line)".prefix(max(20, width - 1))))
    }

    private static func terminalWidth() -> Int {
        var size = winsize()
        // The kernel fills the structure that the call is given.
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
