import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// Every manifest in `Jobs/` and every program in `Examples/` does what the README says of it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SampleTests {
    private static func isManifest(_ name: String) -> Bool {
        (name.hasSuffix(".json") || name.hasSuffix(".yaml")) && !name.hasSuffix(".schema.json")
    }

    /// The samples in a folder of their own, with the address of a server of the test's own in their URLs.
    private func copySamples() throws -> (TemporaryFolder, LoopbackServer) {
        let folder = try TemporaryFolder()
        let photos = try FolderHandler(folder: Repository.photos.path)
        let server = try LoopbackServer { photos.respond(to: $0) }
        try FileManager.default.copyItem(atPath: Repository.photos.path, toPath: folder.path("photos"))
        let jobs = Repository.root.appendingPathComponent("Jobs")
        for name in try FileManager.default.contentsOfDirectory(atPath: jobs.path)
        where Self.isManifest(name) || name.hasSuffix(".csv") {
            let text = try String(contentsOf: jobs.appendingPathComponent(name), encoding: .utf8)
            try folder.write(text.replacing("http://127.0.0.1:8099", with: server.address), to: name)
        }
        return (folder, server)
    }

    @Test("the sample jobs are done, and doing them again does nothing")
    func jobs() async throws {
        let (folder, server) = try copySamples()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(Self.isManifest)
        #expect(names.count >= 5)
        for name in names.sorted() {
            let run = try await Program.run("nuke-batch", ["run", name], in: folder.path)
            #expect(run.exit == 0, "\(name): \(run.output)\(run.errors)")
            let before = server.requests.count
            let again = try await Program.run("nuke-batch", ["run", name], in: folder.path)
            #expect(again.exit == 0)
            #expect(again.output.hasPrefix("nothing to do"), "\(name): \(again.output)")
            #expect(server.requests.count == before)
        }
        // One cache serves all of them: each photograph came over the network once.
        #expect(server.requests.count == 5)
        let thumbnails = try FileManager.default.subpathsOfDirectory(atPath: folder.path("out/thumbnails"))
        #expect(thumbnails.count { $0.hasSuffix(".jpg") } == 15)
        #expect(thumbnails.count { $0.hasSuffix(".webp") } == 15)
    }

    @Test("a job run from a program of one's own")
    func runAJob() async throws {
        let (folder, server) = try copySamples()
        let run = try await Program.run("run-a-job", ["thumbnails.json"], in: folder.path)
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(run.lines.count { $0.hasPrefix("done ") } == 5)
        #expect(server.requests.count == 5)
    }

    @Test("the second load of a URL comes from the cache")
    func loadWithCache() async throws {
        let (folder, server) = try copySamples()
        let url = server.address + "/rocket.jpg"
        let caches = ["XDG_CACHE_HOME": folder.path("caches")]
        let load = try await Program.run("load-with-cache", [url], in: folder.path, environment: caches)
        #expect(load.exit == 0, "\(load.errors)")
        #expect(load.lines.count == 2)
        #expect(load.lines.last?.contains("from the cache") == true)
        #expect(server.requests.count == 1)
    }

    @Test("a manifest that a program builds is a job, which a second run continues")
    func buildAJob() async throws {
        let (folder, _) = try copySamples()
        let photos = ["photos/rocket.jpg", "photos/coffee.png"]
        let run = try await Program.run("build-a-job", photos, in: folder.path)
        #expect(run.exit == 0 && run.output == "2 made, 0 failed, 0 left\n", "\(run.output)\(run.errors)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path("thumbnails"))
        #expect(made.sorted() == ["coffee.webp", "rocket.webp"])
        let more = try await Program.run("build-a-job", photos + ["photos/chelsea.png"], in: folder.path)
        #expect(more.output == "1 made, 0 failed, 0 left\n", "\(more.output)\(more.errors)")
        // It tells why an item failed.
        let missing = try await Program.run("build-a-job", photos + ["photos/none.png"], in: folder.path)
        #expect(missing.lines.count == 2, "\(missing.output)\(missing.errors)")
        #expect(missing.lines.first?.hasPrefix("failed ") == true)
        #expect(missing.lines.first?.contains("photos/none.png: not_found: ") == true, "\(missing.output)")
    }

    @Test("the programs for one image write a WebP 320 pixels wide; a download comes from the cache later")
    func oneImage() async throws {
        let (folder, server) = try copySamples()
        let words = ["photos/rocket.jpg", "file.webp"]
        let file = try await Program.run("make-a-thumbnail", words, in: folder.path)
        #expect(file.exit == 0 && file.output.hasPrefix("640×427 → 320×"), "\(file.output)\(file.errors)")
        for _ in 1...2 {
            let load = try await Program.run(
                "download-an-image",
                [server.address + "/rocket.jpg", "loaded.webp"],
                in: folder.path
            )
            #expect(load.exit == 0 && load.output.hasPrefix("320 by "), "\(load.output)\(load.errors)")
        }
        #expect(server.requests.count == 1)
        for name in ["file.webp", "loaded.webp"] {
            let header = try ImageHeader.read(Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
            #expect(header.format == .webp && header.size.width == 320)
        }
    }

    @Test("changing a quality makes that output again, without a request")
    func changedManifest() async throws {
        let (folder, server) = try copySamples()
        _ = try await Program.run("nuke-batch", ["run", "thumbnails.json"], in: folder.path)
        let text = try String(contentsOfFile: folder.path("thumbnails.json"), encoding: .utf8)
        try folder.write(text.replacing("\"quality\": 85", with: "\"quality\": 60"), to: "thumbnails.json")
        let run = try await Program.run("nuke-batch", ["run", "thumbnails.json"], in: folder.path)
        #expect(run.output.hasPrefix("5 made, 25 reused"), "\(run.output)")
        #expect(server.requests.count == 5)
    }
}
