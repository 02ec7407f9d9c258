import Files
import JobReports
import JobManifest
import JobPlanning

/// `version`: prints the versions of this program and of the libraries in it.
struct VersionCommand: Command {
    static let name = CommandName.version
    static let summary = "Print the versions of nuke-batch and of its libraries, and the commit of a release"

    static let examples: CommandExamples = [
        "nuke-batch version": "Print the versions of nuke-batch and its libraries",
        "nuke-batch --version": "Do the same",
    ]

    func perform() async throws -> ExitCode {
        Output.result("nuke-batch \(Version.current)" + (Build.commit.map { " (\($0))" } ?? ""))
        for library in Version.linkedLibraries { Output.result("  \(library)") }
        #if PlugIns
        Output.result(
            "  libcurl, AVIF, JPEG XL, HEIC, TIFF, GIF and SVG are loaded when needed: `nuke-batch doctor` checks them"
        )
        #endif
        return .done
    }
}
