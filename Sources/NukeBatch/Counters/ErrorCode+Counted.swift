import JobManifest

extension ErrorCode {
    /// Returns the name under which an error is counted: its own, or that of its kind for a status that has no entry, such as
    /// `http_4xx`, since a server may send any.
    static func counted(_ name: String) -> String {
        guard let code = ErrorCode(rawValue: name), let status = code.status, !listed.contains(code) else {
            return name
        }
        return "http_\(status / 100)xx"
    }
}
