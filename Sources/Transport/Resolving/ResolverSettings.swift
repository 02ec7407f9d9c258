import Foundation

/// The options of `/etc/resolv.conf` that c-ares 1.18 does not follow itself (resolv.conf(5)).
struct ResolverSettings: Equatable {
    /// The time until a question is repeated, which then doubles.
    ///
    /// glibc's default is 5 s. With 2 s, two questions fail before the usual limit of 10 s for a connection.
    var timeout: Duration = .seconds(2)
    /// The number of times that each name server is asked.
    var attempts = 2

    /// Reads the text of the file; the last of equal options counts, and one that is not a number is ignored.
    init(_ text: String = "") {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("options") {
            for option in line.split(whereSeparator: \.isWhitespace).dropFirst() {
                let parts = option.split(separator: ":")
                guard parts.count == 2, let number = Int(parts[1]), number > 0 else { continue }
                // The limits are those of glibc.
                switch parts[0] {
                case "timeout": timeout = .seconds(min(number, 30))
                case "attempts": attempts = min(number, 5)
                default: break
                }
            }
        }
    }
}
