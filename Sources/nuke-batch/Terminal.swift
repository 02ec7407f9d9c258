import Foundation
import NukeBatch

/// What the terminal of standard error can show, by the environment's conventions.
enum Terminal {
    /// Whether standard error is a terminal on which a line can be written over.
    static var isCapable: Bool {
        isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"
    }

    /// Its width now, whether it shows Unicode (by its locale), and whether colours are welcome (`NO_COLOR`).
    static var style: ProgressLine.Style {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(variable).first { !$0.isEmpty } ?? ""
        let isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
        return ProgressLine.Style(
            width: width,
            isUnicode: isUnicode,
            isColored: isCapable && variable("NO_COLOR").isEmpty
        )
    }

    private static func variable(_ name: String) -> String {
        ProcessInfo.processInfo.environment[name] ?? ""
    }

    private static var width: Int {
        var size = winsize()
        // The kernel fills the structure that the call is given.
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
