import JobManifest
import Files
import Foundation
import JobPlanning
import JobStorage
import Synchronization

/// Renders images that may have crashed a run, in a child process, one by one and while no other image is rendered.
///
/// An image is quarantined if its child crashes. If no child process can be started, the image is rendered in this
/// process, and an image that crashed it twice is quarantined.
final class SandboxedRenderer: Sendable {
    /// The variables of a child besides those of every sandbox and of the manifest.
    private static let environment = [
        // The backtrace tool can hang, and its output is not read.
        "SWIFT_BACKTRACE": "enable=no",
        // Each arena takes address space, which is limited, and no two threads work at once.
        "MALLOC_ARENA_MAX": "2",
    ]

    private let program: [String]
    private let loader: OriginalLoader
    private let renderer: Renderer
    private let pins: Pins?
    /// The files of watermarks at URLs, by the URL as written.
    ///
    /// They are loaded before the run's items: an item that loaded one would wait for room that it holds itself.
    private let watermarks: [String: Data]
    private let queue = WorkQueue(name: "suspects", width: 1)
    private let state = Mutex<(isStopped: Bool, child: ChildProcess?)>((false, nil))

    /// Starts children with `program` (`RunOptions.sandboxProgram`); if it is empty, renders in this process.
    init(
        program: [String],
        loader: OriginalLoader,
        renderer: Renderer,
        pins: Pins?,
        watermarks: [String: Data] = [:]
    ) {
        self.watermarks = watermarks
        self.program = program
        self.loader = loader
        self.renderer = renderer
        self.pins = pins
    }

    /// Ends the active child and starts no more; its item is put back.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.child?.kill()
        }
    }

    /// Renders an original that may crash the process, like `Renderer.render`.
    /// - Throws: `ItemError` of code `crashed` if it crashed the child.
    func render(
        _ plan: OutputPlan,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> Rendering {
        do throws(ItemError) {
            let rendering = try await attempt(plan, from: original, of: item)
            try await pins?.letGoOfSuspect(original)
            return rendering
        } catch {
            if error.handling == .quarantine { try await pins?.keepForReport(original) }
            throw error
        }
    }

    private func attempt(
        _ plan: OutputPlan,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> Rendering {
        guard !program.isEmpty else { return try await renderHere(plan, from: original, of: item) }
        let recipes = plan.recipes
        let request = RenderRequest(
            manifest: loader.manifest.path,
            manifestText: loader.manifest.text,
            manifestFiles: loader.manifest.isFromFiles ? loader.manifest.files : nil,
            manifestSHA256: loader.manifest.sha256,
            memory: loader.manifest.limits.memory,
            item: item.itemID,
            source: item.source,
            outputs: recipes.map(\.output.name),
            digests: recipes.map(\.digest),
            facts: plan.facts.asked.map(\.rawValue),
            knownFacts: plan.facts.knownJSON,
            original: original.data,
            originalSHA256: original.sha256,
            isFromNetwork: original.source == .network,
            isLengthProven: original.isLengthProven,
            watermarks: watermarks
        )
        let verdict: Verdict
        do {
            verdict = try await renderer.admission.admit(.max) { [queue] in
                // This queue's one thread only waits for children.
                try await queue.run { try self.ask(request) }
            }
        } catch let error as FileError {
            // No process or no memory for the request: a local problem.
            throw ItemError(.local, error.description)
        } catch {
            throw ItemError(error)
        }
        switch verdict {
        case .replied(.made(let results, let facts)) where results.count == recipes.count:
            let outputs = zip(recipes, results).map { RenderedOutput(recipe: $0, result: $1) }
            return Rendering(outputs: outputs, facts: ItemFacts(json: facts))
        case .replied(.failed(let error)) where error.handling == .local:
            throw .crashed("the sandbox ran out of memory: \(error.message)", original)
        case .replied(.failed(let error)):
            throw error
        case .replied(.unable):
            return try await renderHere(plan, from: original, of: item)
        case .replied(.made):
            throw .crashed("the sandbox sent an unexpected reply", original)
        case .died(let reason):
            throw .crashed(reason, original)
        }
    }

    /// Renders in this process while no other image is rendered, so that only this image can cause a crash.
    private func renderHere(
        _ plan: OutputPlan,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> Rendering {
        guard item.crashes < 2 else {
            throw .crashed("\(item.crashes) runs crashed while rendering it", original)
        }
        do throws(ItemError) {
            return try await renderer.render(plan, from: original, of: item.itemID, alone: true)
        } catch {
            guard error.handling == .suspect else { throw error }
            // What only a child may read waits for a run that can start one.
            guard error.code == .crashed else { throw ItemError(error.code, error.message) }
            throw .crashed(error.message, original)
        }
    }

    private enum Verdict: Sendable {
        case replied(RenderReply)
        /// The image crashed the child, for this reason.
        case died(String)
    }

    /// Sends the request to a child and waits for its end; blocks the thread.
    private func ask(_ request: RenderRequest) throws -> Verdict {
        let (input, output) = (try MemoryFile(), try MemoryFile(size: InFlightJournal.oneSlotSize))
        try input.write(try request.propertyList())
        let limit = RenderProcess.addressSpace(for: request.memory)
        let sandbox = Sandbox(
            own: loader.manifest.renderEnvironment.merging(Self.environment) { $1 },
            fileSize: limit,
            // Its own limits come first, unless they were taken from it.
            silence: .seconds(60 + 8 * Watchdog.seconds(for: request.memory))
        )
        let child: ChildProcess = try state.withLock { [program] state in
            guard !state.isStopped else { throw ItemError.interrupted }
            let child = try ChildProcess(program, in: sandbox, input: input, output: output)
            state.child = child
            return child
        }
        let end = child.wait()
        let isStopped = state.withLock { state in
            state.child = nil
            return state.isStopped
        }
        let phase = InFlightJournal.phase(in: output)
        switch end {
        case .exit(0):
            guard let bytes = try? output.read(from: InFlightJournal.oneSlotSize, limit: limit),
                let reply = try? PropertyListDecoder().decode(RenderReply.self, from: bytes)
            else { return .died("the reply of the sandbox could not be read") }
            return .replied(reply)
        case .exit(let code):
            guard let phase else {
                return .replied(.unable("the sandbox exited with code \(code) outside the work on the image"))
            }
            return .died("rendering exited with code \(code) in the phase \(phase)")
        case .silent, .stopped:
            return .died("rendering did not end\(phase.map { " in the phase \($0)" } ?? "")")
        case .signal(let number):
            // A signal from outside is unrelated to the image.
            guard !isStopped, ![SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(number) else {
                throw ItemError.interrupted
            }
            // Before and after the work, the image cannot be the cause.
            guard let phase else {
                return .replied(
                    .unable("the sandbox ended with signal \(number) outside the work on the image")
                )
            }
            return .died("\(Self.name(of: number)) in the phase \(phase)")
        }
    }

    private static func name(of signal: Int32) -> String {
        switch signal {
        case SIGSEGV: "rendering crashed with SIGSEGV"
        case SIGABRT: "rendering crashed with SIGABRT"
        case SIGBUS: "rendering crashed with SIGBUS"
        case SIGILL: "rendering crashed with SIGILL"
        case SIGFPE: "rendering crashed with SIGFPE"
        case SIGTRAP: "rendering crashed with SIGTRAP"
        case SIGKILL: "rendering was killed by SIGKILL (possibly out of memory)"
        case SIGXCPU: "rendering exceeded its processor time limit (SIGXCPU)"
        case SIGALRM: "rendering exceeded its time limit (SIGALRM)"
        default: "rendering ended with signal \(signal)"
        }
    }
}

extension ItemError {
    /// Returns the error of an original that crashed a process.
    fileprivate static func crashed(_ reason: String, _ original: Original) -> ItemError {
        let note = original.cacheKey == nil ? "" : "; the original is kept in the cache for a bug report"
        return ItemError(
            .crashed,
            "\(reason) (SHA-256 of the original \(original.sha256))\(note)",
            status: original.status
        )
    }
}
