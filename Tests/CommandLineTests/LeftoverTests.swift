import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The folders in which a run keeps its sitemaps and a plan its copy of the state, and what a kill leaves of them.
@Suite(.timeLimit(.minutes(10))) struct LeftoverTests {
    private let job: JobFolder
    private let server: LoopbackServer
    /// The second of two sitemaps waits for it.
    private let gate = Gate()

    init() throws {
        job = try JobFolder()
        let (photo, gate) = (try TestImages.tiny(1), gate)
        let index = Data("<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>".utf8)
        let list = Data("<urlset><url><loc>/a.png</loc></url></urlset>".utf8)
        server = try LoopbackServer { request in
            switch request.path {
            case "/sitemap.xml": return .data(index)
            case "/1.xml":
                if request.headers["x-held"] != nil { gate.wait() }
                return .data(list)
            default: return .data(photo, type: "image/png")
            }
        }
        for name in ["job", "held"] {
            let headers = name == "held" ? #", "loading": {"headers": {"X-Held": "1"}}"# : ""
            try job.write(
                #""sources": [{"sitemap": "\#(server.address)/sitemap.xml"}]\#(headers)"#,
                to: "\(name).json"
            )
        }
    }

    /// Starts a command that waits for the second sitemap.
    private func start(_ words: String..., after requests: Int) async throws -> Program {
        let program = try Program("nuke-batch", words, in: job.folder.path)
        _ = await server.requests(atLeast: requests + 2)
        return program
    }

    private func kill(_ program: Program) async {
        program.signal(SIGKILL)
        _ = await program.wait()
    }

    private func temporary() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: job.folder.programsTemporary).sorted()
    }

    @Test("a run keeps sitemaps beside its state, and the next one removes what a kill has left")
    func run() async throws {
        defer { gate.open() }
        let folder = ".nuke-batch/held.sitemaps"
        let killed = try await start("run", "held.json", after: 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: job.folder.path(folder))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        await kill(killed)
        #expect(job.files(in: folder).count == 1)
        #expect(try temporary().isEmpty)
        // Another job of the folder leaves it alone; the next run of this one may have no sitemaps any more.
        #expect(try await job.nukeBatch("run", "job.json").exit == 0)
        #expect(job.files(in: folder).count == 1)
        try job.write(#""sources": [{"urls": ["\#(server.address)/a.png"]}]"#, to: "held.json")
        #expect(try await job.nukeBatch("run", "held.json").exit == 0)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path(folder)))
        #expect(!FileManager.default.fileExists(atPath: job.folder.path(".nuke-batch/job.sitemaps")))
    }

    @Test("a plan removes what a killed one has left, and nothing of one that is going on")
    func plan() async throws {
        defer { gate.open() }
        let killed = try await start("plan", "held.json", after: 0)
        let left = try temporary()
        #expect(left.count == 1 && left[0].hasPrefix("nuke-batch-plan-"), "\(left)")
        await kill(killed)
        #expect(try temporary() == left)
        let second = try await start("plan", "held.json", after: 2)
        let held = try temporary()
        #expect(held.count == 1 && held != left, "\(held)")
        #expect(try await job.nukeBatch("plan", "job.json").exit == 0)
        #expect(try temporary() == held)
        gate.open()
        #expect(await second.wait().exit == 0)
        #expect(try temporary().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path(".nuke-batch")))
    }
}
