import Foundation

/// The environment of a program that a test starts: this process's own, with folders of the test in place of the user's.
///
/// A private environment for a test's programs (`HOME`, `XDG_CACHE_HOME`, `TMPDIR`), so that no other test, run or user
/// interferes.
struct ProgramEnvironment {
    /// Its variables.
    let variables: [String: String]
    /// The folder with the user's folders, to be kept until the program ends; nil where the test has one.
    let folder: TemporaryFolder?

    /// The environment of a program that works in `directory`, with `others` before everything else.
    /// - Throws: the error of `FileManager` if a folder cannot be made.
    init(in directory: String, adding others: [String: String]) throws {
        var root = TemporaryFolder.root(of: directory)
        folder = root == nil ? try TemporaryFolder() : nil
        root = root ?? folder?.root
        var variables = ProcessInfo.processInfo.environment
        // A proxy or a resolver's search list would lead from loopback into the user's network.
        for name in ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"] {
            variables[name] = nil
            variables[name.uppercased()] = nil
        }
        // Authorities that the user trusts.
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"] { variables[name] = nil }
        // Options of the user's, and the settings of tests, which the program would warn about.
        variables = variables.filter { !$0.key.hasPrefix("NUKE_BATCH_") }
        variables["LOCALDOMAIN"] = "invalid"
        variables["RES_OPTIONS"] = "timeout:1 attempts:2"
        for (name, place) in [("HOME", "home"), ("XDG_CACHE_HOME", "home/.cache"), ("TMPDIR", "tmp")] {
            let path = "\(root ?? "")/\(place)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            variables[name] = path
        }
        self.variables = variables.merging(others) { $1 }
    }
}
