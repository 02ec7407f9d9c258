import Foundation

/// The versions of the C libraries in use, and what is known to be wrong with them.
///
/// A distribution mends old versions without another number, so none of this is trouble by itself.
package enum LibraryFindings {
    /// A version from which on something is mended.
    private struct Flaw {
        /// As the library's name stands in `Version.libraries`.
        let library: String
        let mendedIn: [Int]
        let message: String
    }

    private static let flaws = [
        Flaw(
            library: "SQLite",
            mendedIn: [3, 51, 3],
            message:
                "before 3.51.3 two connections that write or checkpoint at once may damage a database; nuke-batch has one "
                + "connection that writes to each, so it is not met. Do not write to a state with other programs"
        ),
        Flaw(
            library: "libcurl",
            mendedIn: [8, 4, 0],
            message:
                "before 8.4.0 a long host name may overflow a buffer with a SOCKS5 proxy (CVE-2023-38545); nuke-batch uses none"
        ),
        Flaw(
            library: "libwebp",
            mendedIn: [1, 3, 2],
            message:
                "before 1.3.2 a lossless image may overflow a buffer (CVE-2023-4863), unless the distribution has mended it: see "
                + "that its security updates are installed"
        ),
        Flaw(
            library: "libpng",
            mendedIn: [1, 6, 51],
            message:
                "before 1.6.51 its simplified interface has memory errors (CVE-2025-64720, CVE-2025-65018); nuke-batch does not "
                + "use it"
        ),
    ]

    /// A finding a library.
    static var all: [Diagnosis.Finding] {
        [Diagnosis.Finding("program", .ok, "nuke-batch \(Version.current)")]
            + Version.libraries.flatMap { $0.components(separatedBy: ", ") }.map(finding)
    }

    /// What is known of a library, as `SQLite 3.40.1`.
    package static func finding(_ library: String) -> Diagnosis.Finding {
        let flaw = flaws.first { flaw in
            guard library.lowercased().hasPrefix(flaw.library.lowercased()) else { return false }
            return version(library).lexicographicallyPrecedes(flaw.mendedIn)
        }
        guard let flaw else { return Diagnosis.Finding("library", .ok, library) }
        return Diagnosis.Finding("library", .note, "\(library): \(flaw.message)")
    }

    /// The numbers of the first word that begins with one; of `libcurl/7.88.1` those behind the slash.
    private static func version(_ library: String) -> [Int] {
        let words = library.split { " /".contains($0) }
        let number = words.first { $0.first?.isNumber == true } ?? ""
        return number.split(separator: ".").map { part in Int(part.prefix { $0.isNumber }) ?? 0 }
    }
}
