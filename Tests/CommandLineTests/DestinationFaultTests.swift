import CacheTrials
import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// Promise P8 at the destination: whatever a file system answers to a write, no item is blamed.
@Suite(.timeLimit(.minutes(10))) struct DestinationFaultTests {
    private static let errors = [ENOSPC, EDQUOT, EIO, EROFS, EFBIG, EBUSY, ESTALE, ENOTCONN, ETIMEDOUT]

    private let job: JobFolder
    private let server: LoopbackServer
    private let library: String

    init() throws {
        job = try JobFolder()
        server = try .tinyPictures()
        library = try Faults.build(in: job.folder.path)
        try job.write(
            """
            "sources": [{"urls": [\((1...6).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", "))]}],
            "outputs": [{"name": "small", "format": "png", "path": "small/{stem}.{ext}"}]
            """
        )
    }

    /// Runs the job with `call` on the destination failing with `code`, and checks that nobody is blamed.
    private func run(failing call: String, with code: Int32, from number: Int = 1) async throws {
        let faults = [
            "LD_PRELOAD": library, "NB_FAIL": call, "NB_ERRNO": "\(code)", "NB_FAIL_AT": "\(number)",
            "NB_FAIL_COUNT": "1000000", "NB_FAIL_PATH": job.folder.path("out/small"),
        ]
        let outcome = try await job.run(exit: 4, environment: faults)
        #expect(outcome.output.contains("stopped: "), "\(call) \(code): \(outcome.output)")
        #expect(outcome.output.contains(job.folder.path("out/small")), "\(call) \(code): \(outcome.output)")
        for item in try await job.items() {
            let state = item["state"] as? String
            #expect(state == "pending" || state == "done", "\(call) \(code): \(item)")
            if state == "pending" { #expect(item["attempts"] as? Int == 0, "\(call) \(code): \(item)") }
        }
    }

    private func finish() async throws {
        try await job.run()
        #expect(job.files() == (1...6).map { "small/\($0).png" })
    }

    @Test("a call that fails while a file is made stops the run and blames no item")
    func making() async throws {
        for code in Self.errors { try await run(failing: "mkdir", with: code) }
        for call in ["create unnamed", "pwrite", "fsync", "link"] {
            for code in Self.errors { try await run(failing: call, with: code) }
        }
        try await run(failing: "pwrite", with: EIO, from: 4)
        try await finish()
    }

    @Test("a call that fails while a file is replaced stops the run and leaves the old file")
    func replacing() async throws {
        for number in 1...6 { try job.folder.write("old", to: "out/small/\(number).png") }
        for code in Self.errors { try await run(failing: "rename", with: code) }
        for number in 1...6 { #expect(try job.data("out/small/\(number).png") == Data("old".utf8)) }
        try await finish()
        #expect(try job.image("out/small/6.png").size.width > 0)
    }
}
