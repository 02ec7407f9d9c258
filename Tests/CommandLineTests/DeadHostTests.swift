import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// Hosts that do not answer: one is left alone, all together are an outage and no item's fault (promises P6, P8).
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeadHostTests {
    private static func manifest(_ addresses: [String], items: Int) -> String {
        let urls = addresses.flatMap { address in (0..<items).map { "\"\(address)/\($0).png\"" } }
        return """
            {"sources": [{"urls": [\(urls.joined(separator: ", "))]}], "cache": {"directory": "cache"},
             "retry": {"backoff": "10ms..20ms"}, "network": {"allow": ["127.0.0.1"]}}
            """
    }

    private static func server(port: UInt16 = 0) throws -> LoopbackServer {
        let photo = try TestImages.tiny(1)
        return try LoopbackServer(port: port) { _ in .data(photo, type: "image/png") }
    }

    /// Runs until the event `host_waiting` gives this reason, then does something and returns the outcome.
    private static func run(
        _ folder: TemporaryFolder,
        until reason: String,
        then act: (Program) throws -> Void
    ) async throws -> Program.Outcome {
        let told = DispatchSemaphore(value: 0)
        let program = try Program("nuke-batch", ["warm", "job.json", "--json"], in: folder.path) { line in
            if line.contains("host_waiting"), line.contains("\"\(reason)\"") { told.signal() }
        }
        await told.signalled()
        try act(program)
        return await program.wait()
    }

    private static func counts(_ folder: TemporaryFolder, _ column: String) async throws -> [String: Int] {
        let items = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        let values = try items.lines.map { line in
            let item = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return "\(item?[column] ?? "")"
        }
        return Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test("a dead host is left alone, then given up, then tried by the next run; the others do not notice")
    func deadHost() async throws {
        let closed = ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let port = closed.number
        let alive = try Self.server()
        let folder = try TemporaryFolder()
        try folder.write(
            Self.manifest([alive.address, closed.address], items: 20),
            to: "job.json"
        )
        let first = try await Self.run(folder, until: "unreachable") { $0.signal(SIGTERM) }
        #expect(first.exit == 143)
        #expect(alive.requests.count <= 20)
        let state = try Connection(path: folder.path(".nuke-batch/job.sqlite"))
        let dead = "name = '127.0.0.1:\(port)'"
        #expect(try state.statement("SELECT breaker FROM host WHERE \(dead)").scalar() == "open")
        // Only this run waits for it: the next one, which somebody started, tries it at once.
        #expect(try state.integer("SELECT not_before_ms FROM host WHERE \(dead)") == 0)
        // Five failures in a row, and what was on its way with them.
        let toDeadHost = "SELECT count(*) FROM request WHERE url LIKE '\(closed.address)/%'"
        #expect(try (5...11).contains(state.integer(toDeadHost)))

        // The signal may have interrupted requests to the other host, and they are sent again.
        let left = try 20 - state.integer("SELECT count(*) FROM item WHERE state = 'done'")
        let before = alive.requests.count
        try state.execute("UPDATE item SET not_before_ms = 0")
        let second = try await Program.run("nuke-batch", ["warm", "job.json"], in: folder.path)
        #expect(second.exit == 1, "\(second.output)\(second.errors)")
        #expect(alive.requests.count - before <= left)
        #expect(try await Self.counts(folder, "state") == ["done": 20, "failed": 20])
        #expect(try await Self.counts(folder, "error")["host_down"] ?? 0 >= 19)
        #expect(try state.statement("SELECT breaker FROM host WHERE \(dead)").scalar() == "down")

        let back = try Self.server(port: port)
        let third = try await Program.run("nuke-batch", ["warm", "job.json"], in: folder.path)
        #expect(third.exit == 0, "\(third.output)\(third.errors)")
        #expect(back.requests.count == 20)
        #expect(try state.integer("SELECT count(*) FROM host WHERE breaker IS NOT NULL") == 0)
    }

    @Test("an outage of the network spends no attempt, and the run goes on when it is over")
    func outage() async throws {
        let ports = (0..<6).map { _ in ClosedPort() }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(ports.map(\.address), items: 6), to: "job.json")
        var servers: [LoopbackServer] = []
        let outcome = try await Self.run(folder, until: "outage") { _ in
            servers = try ports.map { try Self.server(port: $0.number) }
        }
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        #expect(servers.reduce(0) { $0 + $1.requests.count } == 36)
        #expect(try await Self.counts(folder, "state") == ["done": 36])
        #expect(try await Self.counts(folder, "attempts") == ["1": 36])
    }
}
