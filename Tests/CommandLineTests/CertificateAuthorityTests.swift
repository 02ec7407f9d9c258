import Foundation
import TestSupport
import Testing

/// Certificate authorities that the environment names, or that are not there: what `doctor` says, and what a run does.
@Suite(.timeLimit(.minutes(10))) struct CertificateAuthorityTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<2 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
    }

    private func write(_ source: String, _ rest: String = "") throws {
        try job.write(#""sources": [\#(source)], "outputs": [{"path": "{stem}.{ext}"}]\#(rest)"#)
    }

    /// What `doctor` says of certificates, and its exit code.
    private func doctor(_ environment: [String: String]) async throws -> (line: String, exit: Int32) {
        let outcome = try await job.nukeBatch("doctor", "job.json", environment: environment)
        let line = outcome.lines.first { $0.contains("certificates: ") }
        return (try #require(line, "\(outcome.output)\(outcome.errors)"), outcome.exit)
    }

    @Test(
        "a job that needs no authorities is not in trouble without them",
        arguments: [
            #"{"files": "*.png"}"#, #"{"urls": ["0.png", "1.png"]}"#,
            #"{"urls": ["http://127.0.0.1:1/0.png"]}"#,
            #"{"list": "list.txt"}"#,
        ]
    )
    func needless(source: String) async throws {
        try job.folder.write("0.png\n1.png\n", to: "list.txt")
        try write(source)
        let run = try await job.nukeBatch("run", "job.json", environment: ["CURL_CA_BUNDLE": "gone.pem"])
        #expect([0, 1].contains(run.exit), "\(run.output)\(run.errors)")
        let (line, exit) = try await doctor(["CURL_CA_BUNDLE": "gone.pem"])
        #expect(line.hasPrefix("note") && line.contains("gone.pem") && exit == 0, "\(line)")
    }

    @Test(
        "a job that needs them is, before its first run and after it",
        arguments: [
            (#"{"urls": ["https://127.0.0.1:1/0.png"]}"#, ""), (#"{"list": "list.txt"}"#, ""),
            (#"{"sitemap": "https://127.0.0.1:1/map.xml"}"#, ""),
            (#"{"files": "*.png"}"#, #", "destination": "s3://bucket/made""#),
            (#"{"urls": ["s3://bucket/0.png"]}"#, ""),
            (
                #"{"urls": ["http://127.0.0.1:1/0.png"]}"#,
                #", "network": {"proxy": "https://127.0.0.1:1", "allow": ["127.0.0.1"]}"#
            ),
        ]
    )
    func needed(source: String, rest: String) async throws {
        try job.folder.write("0.png\nHTTPS://127.0.0.1:1/0.png\n", to: "list.txt")
        try write(source, rest + (source.contains("s3:") ? #", "network": {"schemes": ["s3"]}"# : ""))
        let environment = ["SSL_CERT_FILE": "gone.pem", "AWS_EC2_METADATA_DISABLED": "true"]
        for moment in ["before", "after"] {
            let (line, exit) = try await doctor(environment)
            #expect(
                line.hasPrefix("trouble") && line.contains("SSL_CERT_FILE") && exit == 4,
                "\(moment): \(line)"
            )
            guard source.contains("list") || source.contains("0.png"), rest.isEmpty else { break }
            try await job.run("--offline", "--fail-on", "never")
        }
    }

    @Test(
        "the variables name the authorities that a run trusts",
        arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
    )
    func named(variable: String) async throws {
        let server = try await TLSServer(files: ["0.png": TestImages.tiny(1)])
        defer { server.stop() }
        try write(#"{"urls": ["\#(server.address)/0.png"]}"#, #", "retry": {"attempts": 1}"#)
        // A file that is not there is this machine's trouble, and no attempt.
        let gone = try await job.run(exit: 4, environment: [variable: job.folder.path("gone.pem")])
        #expect(gone.output.contains("gone.pem cannot be read"), "\(gone.output)\(gone.errors)")
        let other = try await TLSServer()
        defer { other.stop() }
        let environment = [variable: server.folder.path("ca.pem")]
        #expect(try await doctor(environment).line.hasPrefix("ok"))
        try await job.run(environment: environment)
        // The control: the authority of another server is refused.
        try FileManager.default.removeItem(atPath: job.folder.path("cache"))
        try await job.run("--fresh", exit: 1, environment: [variable: other.folder.path("ca.pem")])
    }
}
