import Files
import NukeBatch
import Synchronization

/// Shows the progress of a run on standard error: one line in place on a terminal, a line every few seconds elsewhere.
final class ProgressDisplay: Sendable {
    /// The form of the progress.
    enum Kind: String, CaseIterable {
        case auto, bar, plain, none
    }

    private let isBar: Bool
    /// nil without a display, and after its end.
    private let thread: Mutex<PeriodicThread?>

    /// Starts to show what `snapshot` returns, on a thread of its own.
    /// - Throws: `FileError` if the system has no room for the thread.
    init(_ kind: Kind, snapshot: @escaping @Sendable () -> RunProgress) throws(FileError) {
        let isBar = kind == .bar || (kind == .auto && Terminal.isCapable)
        self.isBar = isBar
        guard kind != .none else {
            thread = Mutex(nil)
            return
        }
        let meter = Mutex(RateMeter())
        let periodic = try PeriodicThread("progress", every: isBar ? 0.1 : 5) {
            let progress = snapshot()
            let rates = meter.withLock { meter in
                meter.add(
                    seconds: progress.seconds,
                    items: progress.finishedNow,
                    bytes: progress.networkBytes
                )
            }
            if isBar {
                Output.show(ProgressLine(progress, rates: rates).text(Terminal.style))
            } else {
                Output.message(Output.printable(progress.line(rates)))
            }
        }
        thread = Mutex(periodic)
    }

    /// Clears the line and ends the display; does nothing the second time.
    func stop() {
        let running = thread.withLock { $0.take() }
        guard let running else { return }
        running.stop()
        if isBar { Output.show("") }
    }
}
