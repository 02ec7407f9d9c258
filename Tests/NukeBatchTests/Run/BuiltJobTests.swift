import Foundation
import Imaging
import JobPlanning
import NukeBatch
import TestSupport
import Testing

/// A job whose manifest has no file.
@Suite(.timeLimit(.minutes(10))) struct BuiltJobTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["rocket.jpg", "coffee.png"] {
            try folder.write(try Repository.photo(name), to: "photos/\(name)")
        }
    }

    /// A job that makes WebPs `width` pixels wide.
    private func manifest(width: Int) throws -> Manifest {
        let output = ManifestOutput(
            processors: [.resize(Resize(width: width))],
            format: .encoded(.webp()),
            path: "{stem}.{ext}"
        )
        var cache = CacheSettings()
        cache.directory = folder.path("cache")
        return try Manifest(
            name: "thumbnails",
            sources: [.files(folder.path("photos/*"))],
            outputs: [output],
            destination: folder.path("out"),
            state: folder.path("state/job.sqlite"),
            cache: cache
        )
    }

    @Test("it runs, its state is where it says, and the next run finds what has changed")
    func run() async throws {
        let first = try await BatchRunner(manifest: try manifest(width: 32)).run()
        #expect(first.exit == .done && first.made == 2 && first.failed == 0, "\(first)")
        let made = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/rocket.webp")))
        #expect(try ImageHeader.read(made).size.width == 32)
        #expect(FileManager.default.fileExists(atPath: folder.path("state/job.sqlite")))
        let second = try await BatchRunner(manifest: try manifest(width: 32)).run()
        #expect(second.exit == .done && second.made == 0 && second.done == 2, "\(second)")
        let third = try await BatchRunner(manifest: try manifest(width: 16)).run()
        #expect(third.exit == .done && third.made == 2, "\(third)")
    }

    @Test("an option that does not fit it names it")
    func options() throws {
        var options = RunOptions()
        options.onlyOutput = "large"
        let manifest = try manifest(width: 32)
        let error = #expect(throws: RunError.self) { try BatchRunner(manifest: manifest, options: options) }
        #expect(error?.description == "the manifest has no output large, only: output")
    }
}
