public import Foundation

/// A TLS server on loopback (`openssl s_server`) that serves files, with certificates made for it.
///
/// `ca.pem` in its folder is the authority that signed its certificate, `client.pem` and `client.key` are a client's, whose
/// password is `opensesame`.
public struct TLSServer: Sendable {
    /// The folder of the files and certificates.
    public let folder: TemporaryFolder
    private let program: Program
    private let port: String

    /// Starts a server of `files`.
    public init(asksForCertificate: Bool = false, files: [String: Data] = [:]) async throws {
        let folder = try TemporaryFolder()
        for (name, data) in files { try folder.write(data, to: name) }
        let request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2"]
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key"]
        let commands: [[String]] = [
            request + ["-noenc", "-subj", "/CN=Test CA", "-keyout", "ca.key", "-out", "ca.pem"],
            request + signed + [
                "-noenc", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "server.key", "-out",
                "server.pem",
            ],
            request + signed + [
                "-passout", "pass:opensesame", "-subj", "/CN=client",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "client.key", "-out",
                "client.pem",
            ],
        ]
        for words in commands {
            let outcome = try await Program(path: Self.openssl, words, in: folder.path).wait()
            guard outcome.exit == 0 else { throw Failure(message: outcome.errors) }
        }
        let (ports, continuation) = AsyncStream<String>.makeStream()
        let words = [
            "s_server", "-accept", "127.0.0.1:0", "-WWW", "-cert", "server.pem", "-key", "server.key",
        ]
        program = try Program(
            path: Self.openssl,
            words
                + (asksForCertificate ? ["-CAfile", "ca.pem", "-Verify", "1", "-verify_return_error"] : []),
            in: folder.path
        ) { line in
            // As "ACCEPT 127.0.0.1:40123".
            if line.hasPrefix("ACCEPT"), let port = line.split(separator: ":").last {
                continuation.yield(String(port))
            }
        }
        var found: String?
        for await port in ports {
            found = port
            break
        }
        guard let found else { throw Failure(message: "openssl s_server does not listen") }
        port = found
        self.folder = folder
    }

    /// The address, such as `https://127.0.0.1:40123`.
    public var address: String { "https://127.0.0.1:\(port)" }

    /// Ends the server.
    public func stop() {
        program.signal(SIGKILL)
    }

    private struct Failure: Error { let message: String }

    private static let openssl = "/usr/bin/openssl"
}
