import Foundation
import NukeBatch

/// The abilities of the terminal on standard error, by the conventions of the environment.
enum Terminal {
    /// True if standard error is a terminal on which a line can be overwritten.
    static var isCapable: Bool { isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb" }

    /// The current width, Unicode support (by the locale) and use of colours (`NO_COLOR`).
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
