import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// Item facts through a whole job: what they are, and that a changed list does what changed and nothing else.
@Suite(.timeLimit(.minutes(10))) struct FactTests {
    private static let all =
        #""size", "format", "orientation", "exif", "dominantColor", "blurHash", "thumbHash""#
    private static let output =
        #"[{"processors": [{"resize": {"width": 50}}], "format": "jpeg", "path": "{stem}.{ext}"}]"#

    /// Serves two photographs and a third that has EXIF data, in a folder with a manifest of their URLs.
    private func serve() throws -> (TemporaryFolder, LoopbackServer) {
        let rocket = try Repository.photo("rocket.jpg")
        let coffee = try Repository.photo("coffee.png")
        let tagged = EXIFData.embed(EXIFData.photograph.data, in: rocket)
        let server = try LoopbackServer { request in
            switch request.path {
            case "/rocket.jpg": .data(rocket)
            case "/tagged.jpg": .data(tagged)
            case "/cut.jpg": .data(rocket.prefix(rocket.count / 2))
            default: .data(coffee)
            }
        }
        return (try TemporaryFolder(), server)
    }

    private func run(
        _ folder: TemporaryFolder,
        _ server: LoopbackServer,
        facts: String,
        outputs: String = "[]",
        names: [String] = ["rocket.jpg", "tagged.jpg", "coffee.png"],
        memory: String = "1GiB",
        command: [String] = ["run"]
    ) async throws -> Program.Outcome {
        let urls = names.map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "facts": [\(facts)], "outputs": \(outputs),
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]}, "limits": {"memory": "\(memory)"}}
            """,
            to: "job.json"
        )
        return try await Program.run("nuke-batch", command + ["job.json"], in: folder.path)
    }

    /// The facts that `items --json` tells, by the URL's last part.
    private func listed(_ folder: TemporaryFolder) async throws -> [String: [String: Any]] {
        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        var facts: [String: [String: Any]] = [:]
        for line in listing.lines {
            let item = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let url = try #require(item["url"] as? String)
            #expect(item.keys.contains("facts"), "null where there are none")
            facts[(url as NSString).lastPathComponent] = item["facts"] as? [String: Any]
        }
        return facts
    }

    @Test("all facts of a job without outputs, in JSON, in CSV and in the events of the run")
    func facts() async throws {
        let (folder, server) = try serve()
        let run = try await run(folder, server, facts: Self.all, command: ["run", "--json"])
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(server.requests.count == 3)
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
        #expect(run.lines.count { $0.contains(#""facts":{"blurHash":"L"#) } == 3, "\(run.output)")

        let facts = try await listed(folder)
        let coffee = try #require(facts["coffee.png"])
        #expect(coffee.count == 7 && coffee["location"] == nil)
        #expect(coffee["size"] as? [String: Int] == ["width": 600, "height": 400])
        #expect(coffee["format"] as? String == "png" && coffee["orientation"] as? Int == 1)
        #expect(coffee["exif"] is NSNull)
        // The hashes of another implementation (ImagingTests/Facts), of a decode that is a half as large.
        let (blurHash, thumbHash) = (coffee["blurHash"] as? String, coffee["thumbHash"] as? String)
        #expect(blurHash?.hasPrefix("LOJ$KdNcv}x") == true, "\(blurHash ?? "")")
        #expect(thumbHash?.hasPrefix("GIoKDYSlqIdP") == true, "\(thumbHash ?? "")")
        let color = try #require(coffee["dominantColor"] as? String)
        #expect(color.wholeMatch(of: /#[0-9A-F]{6}/) != nil)

        let tagged = try #require(facts["tagged.jpg"])
        #expect(tagged["orientation"] as? Int == 6)
        #expect(tagged["size"] as? [String: Int] == ["width": 427, "height": 640])
        let exif = try #require(tagged["exif"] as? [String: Any])
        #expect(exif["taken"] as? String == "2024-05-06T07:08:09+02:00")
        #expect(exif["exposureTime"] as? Double == 0.004 && exif["iso"] as? Int == 400)
        #expect(tagged["blurHash"] as? String != facts["rocket.jpg"]?["blurHash"] as? String)

        let csv = try await Program.run("nuke-batch", ["items", "job.json", "--csv"], in: folder.path)
        #expect(
            csv.lines[0].hasSuffix(
                "message,facts.size.width,facts.size.height,facts.format,facts.orientation,facts.exif.make,"
                    + "facts.exif.model,facts.exif.lens,facts.exif.taken,facts.exif.exposureTime,facts.exif.fNumber,"
                    + "facts.exif.iso,facts.exif.focalLength,facts.dominantColor,facts.blurHash,facts.thumbHash"
            )
        )
        let row =
            ",,,427,640,jpeg,6,Canon,Canon EOS R5,RF85mm F1.2 L USM,2024-05-06T07:08:09+02:00,0.004,2.8,400,85,#"
        #expect(csv.lines[2].contains(row), "\(csv.lines[2])")
        #expect(csv.lines[3].contains(",,,600,400,png,1,,,,,,,,,#"), "\(csv.lines[3])")
    }

    @Test("a changed list asks nobody, makes the facts that are new and touches no output")
    func changedList() async throws {
        let (folder, server) = try serve()
        func outputs() throws -> [String] {
            try ["rocket", "tagged", "coffee"].map { name in
                let file = try FileManager.default.attributesOfItem(atPath: folder.path("out/\(name).jpg"))
                return
                    "\(String(describing: file[.systemFileNumber])) \(String(describing: file[.modificationDate]))"
            }
        }
        #expect(try await run(folder, server, facts: #""format""#).exit == 0)
        var run = try await run(folder, server, facts: #""size", "blurHash""#, outputs: Self.output)
        #expect(run.output.hasPrefix("3 made"), "\(run.output)")
        let (made, hashes) = (try outputs(), try await listed(folder).mapValues { $0["blurHash"] as? String })
        #expect(try await listed(folder)["rocket.jpg"]?.keys.sorted() == ["blurHash", "size"])

        let plan = try await self.run(
            folder,
            server,
            facts: Self.all,
            outputs: Self.output,
            command: ["plan", "--json"]
        )
        #expect(plan.output.contains(#""changed":3"#) && plan.output.contains(#""make":0"#), "\(plan.output)")
        run = try await self.run(folder, server, facts: Self.all, outputs: Self.output)
        #expect(run.output.hasPrefix("0 made, 3 reused"), "\(run.output)\(run.errors)")
        #expect(try await listed(folder).allSatisfy { $0.value.count == 7 })

        run = try await self.run(folder, server, facts: Self.all + #", "location""#, outputs: Self.output)
        #expect(run.output.hasPrefix("0 made, 3 reused"))
        let place = try await listed(folder)["tagged.jpg"]?["location"] as? [String: Double]
        #expect(place == ["latitude": -33.8569, "longitude": 151.2156, "altitude": -12.5])
        #expect(try await listed(folder).mapValues { $0["blurHash"] as? String } == hashes)

        // Asked for no more, the place is nowhere in the state.
        run = try await self.run(folder, server, facts: #""blurHash", "size""#, outputs: Self.output)
        #expect(run.output.hasPrefix("nothing to do"), "\(run.output)")
        #expect(try await listed(folder).allSatisfy { $0.value.keys.sorted() == ["blurHash", "size"] })
        #expect(try outputs() == made)
        #expect(server.requests.count == 3)

        // Other orders and warming change nothing.
        run = try await self.run(folder, server, facts: #""size", "blurHash""#, outputs: Self.output)
        #expect(run.output.hasPrefix("nothing to do"), "\(run.output)")
        _ = try await Program.run("nuke-batch", ["warm", "job.json"], in: folder.path)
        run = try await self.run(folder, server, facts: #""size", "blurHash""#, outputs: Self.output)
        #expect(run.output.hasPrefix("nothing to do"), "\(run.output)")
        #expect(try await listed(folder).mapValues { $0["blurHash"] as? String } == hashes)
        #expect(try outputs() == made && server.requests.count == 3)
    }

    @Test("an original that cannot be decoded fails where pixels are asked for, and only there")
    func damaged() async throws {
        let (folder, server) = try serve()
        let header = try await run(folder, server, facts: #""size", "exif""#, names: ["cut.jpg"])
        #expect(header.exit == 0, "\(header.output)")
        #expect(
            try await listed(folder)["cut.jpg"]?["size"] as? [String: Int] == ["width": 640, "height": 427]
        )
        let pixels = try await run(folder, server, facts: #""size", "thumbHash""#, names: ["cut.jpg"])
        #expect(pixels.exit == 1)
        #expect(pixels.output.contains("corrupt 1"), "\(pixels.output)")
    }

    @Test("facts alone decode small: in memory that a whole decode would not have")
    func memory() async throws {
        let (folder, server) = try serve()
        let names = ["rocket.jpg"]
        let small = try await run(folder, server, facts: Self.all, names: names, memory: "250KB")
        #expect(small.exit == 0, "\(small.output)")
        let whole = try await run(
            folder,
            server,
            facts: Self.all,
            outputs: #"[{"format": "png"}]"#,
            names: names,
            memory: "250KB"
        )
        #expect(whole.exit == 1 && whole.output.contains("limits 1"), "\(whole.output)")
    }
}
