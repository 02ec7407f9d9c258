import Files
import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobStorage
import TestSupport
import Testing

@testable import NukeBatch

/// The run's side of the sandbox; a shell stands for the child.
@Suite(.timeLimit(.minutes(10))) struct SandboxedRendererTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "cache": {"policy": "none"},
         "outputs": [{"name": "small", "format": "png", "processors": [{"resize": {"width": 2}}]}]}
        """#

    private let job: RunningJob
    private let loader: OriginalLoader
    private let journal: InFlightJournal
    private let plan: OutputPlan

    init() throws {
        job = try RunningJob(Self.text)
        loader = try OriginalLoader(job.context())
        journal = try InFlightJournal(MemoryFile(size: InFlightJournal.oneSlotSize))
        plan = try job.manifest.plan(["small"], facts: [.size])
    }

    private func sandbox(_ program: [String]) -> SandboxedRenderer {
        SandboxedRenderer(program: program, loader: loader, renderer: renderer(journal), pins: nil)
    }

    /// A child that leaves its work in `phase`, replies with `reply` and then does what `end` says.
    private func child(_ end: String, phase: RenderPhase? = nil, reply: Data = Data()) throws -> [String] {
        var bytes = Data(count: InFlightJournal.oneSlotSize)
        bytes[InFlightJournal.oneSlotSize - 8] = UInt8(phase?.rawValue ?? 0)
        let path = try job.files.folder.write(bytes + reply, to: "child")
        return ["/bin/sh", "-c", "cat '\(path)'; \(end)"]
    }

    /// Renders with `program` and returns the rendering or the error.
    private func render(
        _ program: [String],
        crashes: Int = 1,
        data: Data? = nil,
        prepare: (SandboxedRenderer) -> Void = { _ in }
    ) async throws -> Result<Rendering, ItemError> {
        try job.plan(hosts: ["a.example"])
        var items: [Int64] = []
        try job.reader.forEachItem { items.append($0.itemID) }
        for _ in 0..<crashes { try job.store.addCrash(to: items) }
        let item = try #require(try await job.store.claim(limit: 1).first)
        try #require(item.crashes == crashes)
        let sandbox = sandbox(program)
        prepare(sandbox)
        let image = original(try data ?? pngFile(4, 4))
        do throws(ItemError) {
            return .success(try await sandbox.render(plan, from: image, of: item))
        } catch {
            return .failure(error)
        }
    }

    private func error(_ result: Result<Rendering, ItemError>) -> ItemError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The width of the only output; nil if there is none.
    private func width(_ result: Result<Rendering, ItemError>) throws -> Int? {
        let rendering = try result.get()
        guard rendering.outputs.count == 1, case .encoded(let output) = rendering.outputs[0].result else {
            return nil
        }
        return output.size.width
    }

    private func made(_ count: Int) throws -> Data {
        let output = RenderedOutput.Encoded(
            data: Data([1]),
            sha256: "ab",
            size: PixelSize(width: 77, height: 1),
            format: .png,
            encoder: "e"
        )
        let results = Array(repeating: RenderedOutput.Result.encoded(output), count: count)
        return try RenderReply.made(results, facts: #"{"size":"told"}"#).propertyList()
    }

    @Test("the outputs and facts are those that the child replies with")
    func replied() async throws {
        let result = try await render(try child("exit 0", phase: .encode, reply: try made(1)))
        #expect(try width(result) == 77)
        let rendering = try result.get()
        #expect(rendering.facts?.json == #"{"size":"told"}"#)
        #expect(rendering.outputs[0].recipe.output.name == "small")
    }

    @Test("a child is asked for the outputs of the plan, with all that they are made of")
    func asked() async throws {
        let path = job.files.folder.path("request")
        let answer = try child("exit 0", reply: try made(1))[2]
        _ = try await render(["/bin/sh", "-c", "cat > '\(path)'; \(answer)"]).get()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let request = try PropertyListDecoder().decode(RenderRequest.self, from: data)
        #expect(request.manifest == job.manifest.path && request.manifestSHA256 == job.manifest.sha256)
        #expect(request.memory == job.manifest.limits.memory && request.source == 0)
        #expect(request.outputs == ["small"] && request.digests == plan.recipes.map(\.digest))
        #expect(request.facts == ["size"] && request.knownFacts == nil && request.watermarks.isEmpty)
        let image = original(try pngFile(4, 4))
        #expect(request.original == image.data && request.originalSHA256 == image.sha256)
        #expect(request.isFromNetwork && request.isLengthProven)
    }

    @Test("an error that the child replies with is the item's")
    func failed() async throws {
        let reply = try RenderReply.failed(itemError("corrupt", "cut")).propertyList()
        let cut = error(try await render(try child("exit 0", reply: reply)))
        #expect(cut?.code == .corrupt && cut?.message == "cut" && cut?.handling == .permanent)
    }

    @Test("a child that names a format that does not exist has been taken over by the image")
    func inventedFormat() async throws {
        var reply = try made(1)
        let format = try #require(reply.range(of: Data("png".utf8)))
        reply.replaceSubrange(format, with: Data("../".utf8))
        let error = error(try await render(try child("exit 0", reply: reply)))
        #expect(error?.code == .crashed && error?.handling == .quarantine)
    }

    @Test("a lack of memory in the child is the image's fault")
    func memory() async throws {
        let reply = try RenderReply.failed(itemError("local", "no memory", handling: .local)).propertyList()
        let error = error(try await render(try child("exit 0", reply: reply)))
        #expect(error?.code == .crashed && error?.handling == .quarantine)
        #expect(error?.message.hasPrefix("the sandbox ran out of memory: no memory") == true)
    }

    @Test("a reply that fits no request, or is none, is a crash", arguments: [0, 2, nil])
    func wrong(count: Int?) async throws {
        let reply = try count.map { try made($0) } ?? Data("no reply".utf8)
        let error = error(try await render(try child("exit 0", reply: reply)))
        #expect(error?.code == .crashed)
        let reason = count == nil ? "could not be read" : "unexpected reply"
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(
        "a child that ends in the work on the image has crashed",
        arguments: [
            ("kill -SEGV $$", RenderPhase.decode, "rendering crashed with SIGSEGV in the phase decode"),
            ("kill -ABRT $$", .encode, "rendering crashed with SIGABRT in the phase encode"),
            ("kill -KILL $$", .process, "rendering was killed by SIGKILL (possibly out of memory)"),
            ("kill -XCPU $$", .header, "rendering exceeded its processor time limit (SIGXCPU)"),
            ("exit 7", .header, "rendering exited with code 7 in the phase header"),
        ]
    )
    func crashed(end: String, phase: RenderPhase, message: String) async throws {
        let program = try child("ulimit -c 0; \(end)", phase: phase, reply: try made(1))
        let error = error(try await render(program))
        #expect(error?.code == .crashed && error?.handling == .quarantine)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        let image = original(try pngFile(4, 4))
        #expect(error?.message.contains(image.sha256) == true)
    }

    @Test(
        "a child that ends outside of the work proves nothing, and the image is rendered here",
        arguments: ["kill -SEGV $$", "exit 7"]
    )
    func outside(end: String) async throws {
        #expect(try await width(render(child("ulimit -c 0; \(end)"))) == 2)
    }

    @Test("a child that cannot render what the run wants leaves it to the run")
    func unable() async throws {
        let reply = try RenderReply.unable("the manifest has changed").propertyList()
        #expect(try await width(render(child("exit 0", reply: reply))) == 2)
    }

    @Test("a child that somebody else ends puts its item back", arguments: ["TERM", "INT", "HUP"])
    func ended(signal: String) async throws {
        let error = error(try await render(try child("kill -\(signal) $$", phase: .decode)))
        #expect(error?.handling == .interrupted)
    }

    @Test("a child cannot make its output as large as it likes, and does no harm by trying")
    func endlessOutput() async throws {
        let script = "ulimit -c 0; truncate -s 1T /proc/self/fd/1; exit 0"
        #expect(try width(await render(try child(script, phase: .decode, reply: try made(1)))) == 77)
    }

    @Test("a child that crashes after it tried to has crashed")
    func endlessOutputAndCrash() async throws {
        let program = try child(
            "ulimit -c 0; truncate -s 1T /proc/self/fd/1; kill -SEGV $$",
            phase: .decode,
            reply: try made(1)
        )
        let error = error(try await render(program))
        #expect(error?.code == .crashed && error?.handling == .quarantine)
    }

    @Test("a child gets the watermarks of the run, for which nothing is loaded and nothing waits")
    func watermarks() async throws {
        let full = Holder(loader.backpressure.enter(job.manifest.limits.memory))
        let path = job.files.folder.path("request")
        let answer = try child("exit 0", reply: try made(1))[2]
        let sandbox = SandboxedRenderer(
            program: ["/bin/sh", "-c", "cat > '\(path)'; \(answer)"],
            loader: loader,
            renderer: renderer(journal),
            pins: nil,
            watermarks: ["https://a.example/mark.png": Data([7])]
        )
        try job.plan(hosts: ["a.example"])
        let item = try #require(try await job.store.claim(limit: 1).first)
        _ = try await sandbox.render(plan, from: original(try pngFile(4, 4)), of: item)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let request = try PropertyListDecoder().decode(RenderRequest.self, from: data)
        #expect(request.watermarks == ["https://a.example/mark.png": Data([7])])
        full.release()
    }

    /// A program of one's own that runs jobs may have no child to confine.
    @Test("without a program a drawing is refused, and tried again by the next run")
    func drawing() async throws {
        let data = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>".utf8)
        let error = error(try await render([], crashes: 0, data: data))
        #expect(error?.code == .plugIn && error?.handling == .nextRun, "\(error as Any)")
        #expect(error?.message.contains("confined") == true)
    }

    @Test("no child is started after a stop")
    func stopped() async throws {
        let path = job.files.folder.path("started")
        let result = try await render(["/bin/sh", "-c", "touch '\(path)'"]) { $0.stop() }
        #expect(error(result)?.handling == .interrupted)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a child that cannot be started is trouble of the machine")
    func missing() async throws {
        let error = error(try await render([job.files.folder.path("missing")]))
        #expect(error?.code == .local && error?.handling == .local)
    }

    @Test("without a program an image is tried here, until two runs crashed", arguments: [1, 2])
    func here(crashes: Int) async throws {
        let result = try await render([], crashes: crashes)
        if crashes == 1 {
            #expect(try width(result) == 2)
        } else {
            #expect(error(result)?.handling == .quarantine)
            #expect(error(result)?.message.hasPrefix("2 runs crashed while rendering it") == true)
        }
    }
}
