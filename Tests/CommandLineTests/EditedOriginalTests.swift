import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Cached originals that somebody has edited through their other name, or that a disk has changed, with the size and the times they
/// had: nothing is made of them.
@Suite(.timeLimit(.minutes(10))) struct EditedOriginalTests {
    private let job: JobFolder
    private let server: LoopbackServer
    private let isGone = Flag()
    private let photo: Data

    /// Whether the origin has lost the photograph.
    private final class Flag: Sendable {
        private let state = Mutex(false)
        var value: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    init() throws {
        job = try JobFolder()
        // A copy of so many bytes shares the cache's file.
        photo = try Repository.photo("rocket.jpg")
        try #require((16_384..<1_048_576).contains(photo.count))
        server = try LoopbackServer { [photo, isGone] _ in
            isGone.value ? .status(404) : .data(photo, type: "image/jpeg")
        }
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.jpg"]}],
            "outputs": [
              {"name": "copy", "format": "original", "path": "copy.{ext}"},
              {"name": "small", "processors": [{"resize": {"width": 16}}], "format": "png", "path": "small.{ext}"},
              {"name": "other", "processors": [{"resize": {"width": 32}}], "format": "png", "path": "other.{ext}"}]
            """
        )
    }

    /// Changes the middle of a file in place, and sets its time to what it was.
    private func edit(_ path: String) throws {
        let before = try FileManager.default.attributesOfItem(atPath: path)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(photo.count / 2))
        let bytes = try #require(try handle.read(upToCount: 64))
        try handle.seek(toOffset: UInt64(photo.count / 2))
        try handle.write(contentsOf: Data(bytes.map { $0 ^ 0x55 }))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(before[.modificationDate])],
            ofItemAtPath: path
        )
    }

    /// Edits a file, and removes the small output, so that it is made again.
    private func editAndRemoveSmall(_ path: String) throws {
        try edit(path)
        try FileManager.default.removeItem(atPath: job.folder.path("out/small.png"))
    }

    /// The cache's file of the original.
    private func cachedFile() throws -> String {
        let files = job.files(in: "cache").filter { $0.count == 43 && $0.contains("/") }
        return job.folder.path("cache/\(try #require(files.first))")
    }

    @Test(
        "a repair makes outputs of the right original, wherever it was edited",
        arguments: ["the copy", "the cache's file"]
    )
    func repaired(place: String) async throws {
        try await job.run()
        let (small, other) = (try job.data("out/small.png"), try job.data("out/other.png"))
        try editAndRemoveSmall(place == "the copy" ? job.folder.path("out/copy.jpg") : try cachedFile())
        let found = try await job.nukeBatch("verify", "job.json")
        #expect(found.exit == 1 && found.output.contains("small.png"), "\(found.output)")
        let repair = try await job.nukeBatch("verify", "job.json", "--repair")
        #expect(repair.exit == 0, "\(repair.output)\(repair.errors)")
        #expect(try job.data("out/small.png") == small)
        #expect(try job.data("out/other.png") == other)
        #expect(try job.data("out/copy.jpg") == photo)
        let after = try await job.nukeBatch("verify", "job.json")
        #expect(after.exit == 0, "\(after.output)")
    }

    @Test("a run that makes a missing output again does not believe an edited original either")
    func runAgain() async throws {
        try await job.run()
        let small = try job.data("out/small.png")
        try editAndRemoveSmall(job.folder.path("out/copy.jpg"))
        try await job.run()
        #expect(try job.data("out/small.png") == small)
    }

    @Test("without the origin nothing is made of the edited original, and what is good stays")
    func originGone() async throws {
        try await job.run()
        let other = try job.data("out/other.png")
        try editAndRemoveSmall(job.folder.path("out/copy.jpg"))
        isGone.value = true
        let repair = try await job.nukeBatch("verify", "job.json", "--repair")
        let isLinked = !job.folder.sharesBlocks
        if isLinked {
            #expect(repair.exit == 1, "\(repair.output)\(repair.errors)")
            #expect(!job.files().contains("small.png"))
        } else {
            // The cache's file is another one, and good.
            #expect(repair.exit == 0, "\(repair.output)\(repair.errors)")
        }
        #expect(try job.data("out/other.png") == other)
    }

    @Test("a good cached original repairs outputs without the origin")
    func cacheIsGood() async throws {
        try await job.run()
        let small = try job.data("out/small.png")
        try FileManager.default.removeItem(atPath: job.folder.path("out/small.png"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: job.folder.path("out/other.png")))
        isGone.value = true
        let repair = try await job.nukeBatch("verify", "job.json", "--repair")
        #expect(repair.exit == 0, "\(repair.output)\(repair.errors)")
        #expect(try job.data("out/small.png") == small)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }
}
