import Foundation
import Imaging
import JobManifest

/// The versions of the C libraries in use, and their known vulnerabilities.
///
/// Distributions fix old versions without changing the number, so an old version is not a problem by itself.
package enum LibraryFindings {
    /// A vulnerability and the version that fixes it.
    private struct Flaw {
        /// The library's name in `Version.libraries`.
        let library: String
        let fixedIn: [Int]
        let message: String
    }

    private static let flaws = [
        Flaw(
            library: "SQLite",
            fixedIn: [3, 51, 3],
            message:
                "before 3.51.3 two connections that write or checkpoint at once can damage a database; nuke-batch uses one "
                + "writing connection to each, so it is not affected. Do not write to a state with other programs"
        ),
        Flaw(
            library: "libcurl",
            fixedIn: [8, 4, 0],
            message:
                "before 8.4.0 a long host name can overflow a buffer with a socks5h proxy (CVE-2023-38545), unless the "
                + "distribution has fixed it: install its security updates, or do not set network.proxy to such a proxy"
        ),
        Flaw(
            library: "libwebp",
            fixedIn: [1, 3, 2],
            message:
                "before 1.3.2 a lossless image can overflow a buffer (CVE-2023-4863), unless the distribution has fixed it: install "
                + "its security updates"
        ),
        Flaw(
            library: "libpng",
            fixedIn: [1, 6, 51],
            message:
                "before 1.6.51 its simplified interface has memory errors (CVE-2025-64720, CVE-2025-65018); nuke-batch does not "
                + "use it"
        ),
    ]

    /// One finding for each library.
    static var all: [Diagnosis.Finding] {
        [Diagnosis.Finding("program", .ok, message: "nuke-batch \(Version.current)")]
            + Version.libraries.flatMap { $0.components(separatedBy: ", ") }.map(finding)
            + CodecPlugIn.allCases.compactMap(finding)
    }

    /// Returns the finding for a plug-in that cannot be loaded; a run that needs it says so before it begins.
    private static func finding(_ plugIn: CodecPlugIn) -> Diagnosis.Finding? {
        do throws(ImagingError) {
            try plugIn.load()
            return nil
        } catch {
            return Diagnosis.Finding("plug-in", .note, message: error.message)
        }
    }

    /// Returns the finding for a library and its version, such as `SQLite 3.40.1`.
    package static func finding(_ library: String) -> Diagnosis.Finding {
        let flaw = flaws.first { flaw in
            guard library.lowercased().hasPrefix(flaw.library.lowercased()) else { return false }
            return version(library).lexicographicallyPrecedes(flaw.fixedIn)
        }
        guard let flaw else { return Diagnosis.Finding("library", .ok, message: library) }
        return Diagnosis.Finding("library", .note, message: "\(library): \(flaw.message)")
    }

    /// Returns the numbers of the first word that begins with a digit; for `libcurl/7.88.1`, those after the slash.
    private static func version(_ library: String) -> [Int] {
        let words = library.split { " /".contains($0) }
        let number = words.first { $0.first?.isNumber == true } ?? ""
        return number.split(separator: ".").map { part in Int(part.prefix { $0.isNumber }) ?? 0 }
    }
}
