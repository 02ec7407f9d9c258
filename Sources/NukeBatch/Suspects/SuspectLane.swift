import Files
import Foundation
import JobStorage
import Nuke
import Synchronization

/// Tries the images that a run may have died of, one by one and while no other is worked on, in a child process:
/// only the death of the child proves one guilty.
///
/// Where no child can be had they are tried in this process, and one that it died of twice is not tried again.
final class SuspectLane: Sendable {
    typealias Made = (pictures: [Picture], facts: ItemFacts?)

    private let program: [String]
    private let loader: OriginalLoader
    private let pixels: PixelWork
    private let pins: Pins?
    private let queue = WorkQueue(name: "suspects", width: 1)
    private let state = Mutex<(isStopped: Bool, child: ChildProcess?)>((false, nil))

    /// `program` is what a child is started with: `RunOptions.pixelsProgram`.
    init(_ program: [String], _ loader: OriginalLoader, _ pixels: PixelWork, _ pins: Pins?) {
        self.program = program
        self.loader = loader
        self.pixels = pixels
        self.pins = pins
    }

    /// Ends the child that there is and starts no more; its item is put back.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.child?.kill()
        }
    }

    /// As `PixelWork.make`, of an original that may end the process.
    /// - Throws: `ItemError` of code `crashed` for one that did.
    func make(
        _ recipes: [Recipe],
        _ search: FactSearch,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> Made {
        do throws(ItemError) {
            let made = try await attempt(recipes, search, original, item)
            try await pins?.letGoOfSuspect(original)
            return made
        } catch {
            if error.handling == .quarantine { try await pins?.keepForReport(original) }
            throw error
        }
    }

    private func attempt(
        _ recipes: [Recipe],
        _ search: FactSearch,
        _ original: Original,
        _ item: ClaimedItem
    ) async throws(ItemError) -> Made {
        guard !program.isEmpty else { return try await tryHere(recipes, search, original, item) }
        let request = PixelRequest(
            manifest: loader.manifest.path,
            manifestSHA256: loader.manifest.sha256,
            memory: loader.manifest.limits.memory,
            item: item.itemID,
            source: item.source,
            outputs: recipes.map(\.output.name),
            digests: recipes.map(\.digest),
            facts: search.asked.map(\.rawValue),
            knownFacts: search.knownJSON,
            original: original.data,
            originalSHA256: original.sha256,
            isFromNetwork: original.source == .network,
            isLengthProven: original.isLengthProven,
            pictures: try await pictures()
        )
        let verdict: Verdict
        do {
            verdict = try await pixels.admission.admit(.max) { [queue] in
                // It waits for the child, which is all that this queue's one thread is for.
                try await queue.run { try self.ask(request) }
            }
        } catch let error as FileError {
            // No process, no memory to hand it the image in: the machine's trouble.
            throw ItemError("local", error.description, .local)
        } catch {
            throw ItemError(error)
        }
        switch verdict {
        case .replied(.made(let results, let facts)) where results.count == recipes.count:
            let pictures = zip(recipes, results).map { Picture(recipe: $0, result: $1.result) }
            return (pictures, ItemFacts(json: facts))
        case .replied(.failed(let error)) where error.handling == .local:
            throw .crashed("it had no memory left within its limits: \(error.message)", original)
        case .replied(.failed(let error)):
            throw error
        case .replied(.unable):
            return try await tryHere(recipes, search, original, item)
        case .replied(.made):
            throw .crashed("its answer was not what it was asked for", original)
        case .died(let reason):
            throw .crashed(reason, original)
        }
    }

    /// In this process, while no other image is worked on, so that it dies of this one if it dies.
    private func tryHere(
        _ recipes: [Recipe],
        _ search: FactSearch,
        _ original: Original,
        _ item: ClaimedItem
    ) async throws(ItemError) -> Made {
        guard item.crashes < 2 else {
            throw .crashed("\(item.crashes) runs died while it was worked on", original)
        }
        do throws(ItemError) {
            return try await pixels.make(recipes, search, from: original, of: item.itemID, alone: true)
        } catch {
            throw error.handling == .suspect ? .crashed(error.message, original) : error
        }
    }

    /// The pictures of processors that stand at URLs; they are in the cache by now.
    private func pictures() async throws(ItemError) -> [String: Data] {
        var files: [String: Data] = [:]
        for picture in loader.manifest.pictures {
            guard case .url(let url) = picture.source, files[url] == nil else { continue }
            files[url] = try await loader.load(url).data
        }
        return files
    }

    private enum Verdict: Sendable {
        case replied(PixelReply)
        /// The image ended the child, for this reason.
        case died(String)
    }

    /// Asks a child and waits for its end; blocks the thread.
    private func ask(_ request: PixelRequest) throws -> Verdict {
        let (input, output) = (try MemoryFile(), try MemoryFile(size: BlackBox.oneSlotSize))
        try input.write(try request.propertyList())
        var environment = ProcessInfo.processInfo.environment
        // A helper that examines a crash was seen to hang, and what it says is not read.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // Each arena takes address space, which is limited, and no two threads work at once.
        environment["MALLOC_ARENA_MAX"] = "2"
        let child: ChildProcess = try state.withLock { [program, environment] state in
            guard !state.isStopped else { throw ItemError.interrupted }
            let child = try ChildProcess(program, environment: environment, input: input, output: output)
            state.child = child
            return child
        }
        let end = child.wait()
        let isStopped = state.withLock { state in
            state.child = nil
            return state.isStopped
        }
        let phase = BlackBox.phase(in: output)
        switch end {
        case .exit(0):
            let bytes = try output.read(from: BlackBox.oneSlotSize)
            guard let reply = try? PropertyListDecoder().decode(PixelReply.self, from: bytes) else {
                return .died("its answer could not be read")
            }
            return .replied(reply)
        case .exit(let code):
            guard let phase else { return .replied(.unable("it ended with code \(code) by itself")) }
            return .died("it ended its process with code \(code) in the phase \(phase)")
        case .signal(let number):
            // One that came from outside says nothing of the image.
            guard !isStopped, ![SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(number) else {
                throw ItemError.interrupted
            }
            // Before and after the work it dies of something else.
            guard let phase else { return .replied(.unable("it ended by signal \(number) by itself")) }
            return .died("\(Self.name(of: number)) in the phase \(phase)")
        }
    }

    private static func name(of signal: Int32) -> String {
        switch signal {
        case SIGSEGV: "it ended its process by SIGSEGV"
        case SIGABRT: "it ended its process by SIGABRT"
        case SIGBUS: "it ended its process by SIGBUS"
        case SIGILL: "it ended its process by SIGILL"
        case SIGFPE: "it ended its process by SIGFPE"
        case SIGTRAP: "it ended its process by SIGTRAP"
        case SIGKILL: "it ended its process by SIGKILL, as when memory runs out,"
        case SIGXCPU: "it took more processor time than it may (SIGXCPU)"
        case SIGALRM: "it took more time than it may (SIGALRM)"
        default: "it ended its process by signal \(signal)"
        }
    }
}

extension ItemError {
    /// The original ended a process.
    fileprivate static func crashed(_ reason: String, _ original: Original) -> ItemError {
        let place = original.cacheKey == nil ? "" : "; the original is kept in the cache for a report"
        return ItemError(
            "crashed",
            "\(reason) (SHA-256 of the original \(original.sha256))\(place)",
            .quarantine,
            status: original.status
        )
    }
}
