import Foundation
import TestSupport
import Testing

/// The markup of a job before a parser of HTML that accepts no error (html5lib, after the HTML standard, 13.2).
@Suite(.timeLimit(.minutes(10)), .enabled(if: StrictParser.isInstalled)) struct MarkupInHTMLTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for width in [300, 2000] {
            try job.folder.write(try TestImages.gradient(width: width, height: 100), to: "w\(width).png")
        }
    }

    /// Parses a whole page with `element` in its body.
    private func parse(_ element: String) async throws -> Program.Outcome {
        try job.folder.write(
            "<!DOCTYPE html><html><head><title>x</title></head><body>\(element)</body></html>",
            to: "page.html"
        )
        return try await StrictParser.parse("page.html", in: job.folder)
    }

    @Test(
        "each element is without an error",
        arguments: [
            #""widths": [400, 800, 1600], "formats": ["avif", "webp", "jpeg"], "path": "{id}-{width}.{ext}""#,
            #""formats": ["webp", "png"], "path": "a, b&{id}.{ext}""#,
            #""formats": ["jxl", "avif", "jpeg"], "path": "{id}.{ext}""#,
            #""widths": [100, 200], "format": "png", "path": "{id} {width}.png""#,
            #""format": "jpeg", "path": "{id}.jpg""#,
        ]
    )
    func elements(output: String) async throws {
        let sizes = output.contains("widths") ? #", "sizes": "(min-width: 60em) 50vw, 100vw""# : ""
        try job.write(
            """
            "sources": [{"urls": [{"url": "w300.png", "id": "a\\"<&'", "vars": {"alt": "\\"'><b>& &amp; \\u0001 é"}},
              {"url": "w2000.png", "id": "b"}]}],
            "outputs": [{\(output), "markup": {"file": "images.json"\(sizes)}}]
            """
        )
        try await job.run()
        let index = try JSONSerialization.jsonObject(with: try job.data("out/images.json"))
        let entries = try #require(index as? [String: [String: Any]])
        #expect(entries.count == 2)
        for entry in entries.values {
            let picture = try #require(entry["picture"] as? String)
            let parsed = try await parse(picture)
            #expect(parsed.exit == 0 && parsed.output.contains("img"), "\(picture): \(parsed.errors)")
        }
    }

    @Test("the report is without an error")
    func report() async throws {
        try job.write(
            """
            "sources": [{"urls": ["w300.png", "<missing & \\"gone\\">.png"]}],
            "outputs": [{"format": "jpeg", "path": "{stem}.jpg"}]
            """
        )
        #expect(try await job.nukeBatch("run", "job.json").exit == 1)
        #expect(try await job.nukeBatch("report", "job.json", "-o", "report.html").exit == 0)
        let parsed = try await StrictParser.parse("report.html", in: job.folder)
        #expect(parsed.exit == 0 && parsed.output.contains("section"), "\(parsed.errors)")
    }

    @Test(
        "what is wrong is found",
        arguments: ["<picture><img alt=a alt=b>", "<p>&nosuch;</p>", "<b><p></b>"]
    )
    func control(element: String) async throws {
        #expect(try await parse(element).exit == 1)
    }
}

/// html5lib in its strict mode, which ends at the first error.
private enum StrictParser {
    private static let python = "/usr/bin/python3"

    static var isInstalled: Bool {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/html5lib")
    }

    /// Prints the names of the elements of a page.
    static func parse(_ page: String, in folder: TemporaryFolder) async throws -> Program.Outcome {
        let script = """
            import html5lib, sys
            page = html5lib.HTMLParser(strict=True).parse(open(sys.argv[1], encoding="utf-8").read())
            print(*(element.tag.split("}")[-1] for element in page.iter() if isinstance(element.tag, str)))
            """
        return try await Program(path: python, ["-c", script, page], in: folder.path).wait()
    }
}
