import JobFixtures
import JobPlanning
import NukeBatch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OutageTests {
    @Test("a network that stays away ends the run with 4, and no item has failed")
    func limit() async throws {
        let ports = (0..<6).map { _ in ClosedPort() }
        defer { withExtendedLifetime(ports) {} }
        let urls = ports.flatMap { port in (0..<6).map { "\"\(port.address)/\($0).png\"" } }
        let manifest = try ManifestFolder()
        let job = try manifest.read(
            """
            {"sources": [{"urls": [\(urls.joined(separator: ", "))]}], "cache": {"directory": "cache"},
             "retry": {"attempts": 2, "backoff": "1ms..2ms"}, "network": {"allow": ["127.0.0.1"]}}
            """
        )
        var options = RunOptions()
        options.outageLimit = .milliseconds(500)
        let report = try await BatchRunner(manifest: job, options: options).run()
        #expect(report.exit == .machine)
        #expect(report.failed == 0 && report.left == 36)
        #expect(report.trouble?.contains("the network is down") == true, "\(report.trouble ?? "")")
    }
}
