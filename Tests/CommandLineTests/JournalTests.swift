import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `--journal`: the entries that journald gets, at a socket in the place of its own.
@Suite(.timeLimit(.minutes(10))) struct JournalTests {
    /// Runs the job with `--journal` where /run/systemd/journal is the folder `journal` of the job; nil where nobody may mount.
    private func run(_ job: ToldJob, _ options: String = "") async throws -> Program.Outcome? {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let script = """
            unshare -m true 2>/dev/null || exit 77
            exec unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/systemd && ln -s "$PWD/journal" /run/systemd/journal \
            && exec \(program) run job.json --fresh --journal \(options)'
            """
        let outcome = try await Program(path: "/bin/sh", ["-c", script], in: job.folder.path).wait()
        return outcome.exit == 77 ? nil : outcome
    }

    @Test("has an entry of the start, of each failure and of the end, without secrets")
    func entries() async throws {
        let job = try await ToldJob()
        try FileManager.default.createDirectory(
            atPath: job.folder.path("journal"),
            withIntermediateDirectories: false
        )
        let socket = try DatagramSocket(at: job.folder.path("journal/socket"))
        guard let outcome = try await run(job, "--quiet") else { return }
        #expect(outcome.exit == 1 && outcome.errors == "", "\(outcome.errors)")
        let entries = socket.received().map(Self.fields)
        #expect(entries.map { $0["NUKE_BATCH_EVENT"] } == ["run_started", "item_finished", "run_finished"])
        try #require(entries.count == 3)
        let name = "Told <job>"
        #expect(
            entries.allSatisfy { $0["NUKE_BATCH_JOB"] == name && $0["SYSLOG_IDENTIFIER"] == "nuke-batch" }
        )
        #expect(entries.map { $0["PRIORITY"] } == ["6", "4", "4"])
        let failure = entries[1]
        #expect(failure["NUKE_BATCH_ERROR"] == "http_404" && failure["NUKE_BATCH_STATE"] == "failed")
        #expect(failure["NUKE_BATCH_URL"] == "\(job.server.address)/missing.jpg")
        #expect(failure["MESSAGE"]?.contains("/missing.jpg: http_404") == true)
        let end = entries[2]
        #expect(
            end["NUKE_BATCH_EXIT"] == "1" && end["NUKE_BATCH_FAILED"] == "1"
                && end["NUKE_BATCH_STOPPED"] == nil
        )
        #expect(!entries.contains { $0.values.contains { $0.contains("SECRET") } })
    }

    @Test("warns where no journal listens, and runs") func missing() async throws {
        let job = try await ToldJob()
        guard let outcome = try await run(job) else { return }
        #expect(outcome.exit == 1 && outcome.output.contains("3 made"), "\(outcome.output)")
        #expect(outcome.errors.contains("3 events are not in the journal"), "\(outcome.errors)")
        #expect(outcome.errors.contains("/run/systemd/journal/socket: No such file"), "\(outcome.errors)")
    }

    /// The fields of a datagram whose values stand after their lengths.
    private static func fields(_ datagram: Data) -> [String: String] {
        var fields: [String: String] = [:]
        var rest = datagram[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let start = end + 9
            let length = rest[(end + 1)..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(
                fields.updateValue(
                    String(decoding: rest[start..<(start + length)], as: UTF8.self),
                    forKey: name
                ) == nil
            )
            #expect(rest[start + length] == 0x0A, "\(name)")
            rest = rest[(start + length + 1)...]
        }
        #expect(rest.isEmpty)
        return fields
    }
}

/// A socket of datagrams at a path.
private struct DatagramSocket: ~Copyable {
    private let descriptor: Int32

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
    }

    deinit { close(descriptor) }

    /// The datagrams that have arrived.
    func received() -> [Data] {
        var datagrams: [Data] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)),
            count >= 0
        {
            datagrams.append(Data(buffer.prefix(count)))
        }
        return datagrams
    }
}
