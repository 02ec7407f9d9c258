import NukeBatch

/// `version`: this program's version and those of the libraries in it.
enum VersionCommand {
    static func perform() -> ExitCode {
        Output.result("nuke-batch \(Version.current)")
        for library in Version.libraries { Output.result("  \(library)") }
        return .done
    }
}
