import Foundation
import Imaging
@testable import JobManifest
import TestSupport
import Testing

/// The sources, outputs and processors of a manifest that a program builds, each beside its text in a file.
@Suite struct BuiltPartTests {
    private func built(_ json: CanonicalJSON) throws -> Manifest {
        try Manifest.read(built: json, environment: [:], inspector: try UnseenSources(names: ["url"]))
    }

    private func read(_ text: String) throws -> Manifest {
        try Manifest.read(
            path: "-",
            text: Data(text.utf8),
            environment: [:],
            inspector: try UnseenSources(names: ["url"])
        )
    }

    private static let columns = ItemList.Columns(url: "image_url")
    private static let changed: ManifestSource = {
        var source = ManifestSource.urls(["a.jpg"])
        source.priority = .high
        source.headers = ["A": "b"]
        source.variables = ["season": "spring"]
        source.processors = [.grayscale]
        return source
    }()

    @Test(
        "sources are those of a file",
        arguments: [
            (
                .urls(["https://a.example/1.jpg", "b.png"]),
                #"{"urls": ["https://a.example/1.jpg", "b.png"]}"#
            ),
            (
                .entries([
                    ItemEntry(
                        url: "a.jpg",
                        id: "7",
                        priority: .low,
                        headers: ["A": "b"],
                        variables: ["n": "1"]
                    )
                ]),
                #"{"urls": [{"url": "a.jpg", "id": "7", "priority": "low", "headers": {"A": "b"}, "vars": {"n": "1"}}]}"#
            ),
            (.files("a/*.jpg", "b"), #"{"files": ["a/*.jpg", "b"]}"#),
            (
                .files("a/*.jpg", excluding: ["**/x*"], ignoringCase: false),
                #"{"files": "a/*.jpg", "exclude": ["**/x*"], "ignoreCase": false}"#
            ),
            (.list("a.txt"), #"{"list": "a.txt"}"#),
            (
                .list("a.data", format: .csv, columns: columns, base: "/srv"),
                #"{"list": "a.data", "as": "csv", "columns": {"url": "image_url"}, "base": "/srv"}"#
            ),
            (
                .sqlite("a.db", query: "select url from t"),
                #"{"sqlite": "a.db", "query": "select url from t"}"#
            ),
            (
                .template("https://a.example/{n}.jpg", values: ["n": ["1", "2"]]),
                #"{"template": "https://a.example/{n}.jpg", "vars": {"n": ["1", "2"]}}"#
            ),
            (.sitemap("https://a.example/sitemap.xml"), #"{"sitemap": "https://a.example/sitemap.xml"}"#),
            (
                changed,
                #"{"urls": ["a.jpg"], "priority": "high", "headers": {"A": "b"}, "vars": {"season": "spring"}, "#
                    + #""processors": [{"grayscale": {}}]}"#
            ),
        ] as [(ManifestSource, String)]
    )
    func sources(source: ManifestSource, text: String) throws {
        let built = try built(["sources": .array([source.json])])
        let read = try read("{\"sources\": [\(text)]}")
        #expect("\(built.sources)" == "\(read.sources)")
    }

    @Test("every key can be written in code")
    func keys() {
        func keys(_ json: CanonicalJSON) -> Set<String> {
            if case .object(let members) = json { Set(members.keys) } else { [] }
        }
        func names(_ section: ManifestSection) -> Set<String> { Set(section.keys.map(\.name)) }
        let output = ManifestOutput { ($0.animation, $0.hdr) = (.keep(), .keep) }
        #expect(keys(output.json) == names(ManifestOutput.section))
        #expect(keys(LoadingSettings().json) == names(LoadingSettings.section))
        #expect(keys(CacheSettings().json) == names(CacheSettings.section))
        #expect(keys(RetrySettings().json) == names(RetrySettings.section))
        #expect(keys(LimitSettings().json) == names(LimitSettings.section))
        #expect(keys(NetworkSettings().json) == names(NetworkSettings.section))
        #expect(keys(DatasetSettings().json) == names(DatasetSettings.section))
    }

    @Test("a variable that a template does not name is refused, as in a file")
    func templateVariables() {
        var source = ManifestSource.template("https://a.example/{n}.jpg", values: ["n": ["1"]])
        source.variables = ["season": "1..2"]
        let error = #expect(throws: ManifestErrors.self) { try built(["sources": .array([source.json])]) }
        #expect(error?.errors.map(\.path) == ["sources[0].vars.season"], "\(String(describing: error))")
    }

    @Test("an output is that of a file")
    func output() throws {
        var output = ManifestOutput(
            name: "small",
            processors: [.resize(Resize(width: 320))],
            format: .encoded(.webp(WebPOptions(quality: 70))),
            path: "small/{stem}.{ext}"
        )
        output.existing = .keep
        output.onCollision = .first
        output.metadata = .copyright
        output.hdr = .tonemap
        output.condition.minWidth = 200
        output.condition.minHeight = 100
        output.condition.maxAspect = 2.5
        output.condition.types = [.jpeg]
        output.background = RGBColor(red: 1, green: 2, blue: 3)
        let read = try read(
            ##"""
            {"sources": [{"urls": []}], "outputs": [{"name": "small", "processors": [{"resize": {"width": 320}}],
             "format": {"webp": {"quality": 70}}, "path": "small/{stem}.{ext}", "existing": "keep",
             "onCollision": "first", "metadata": "copyright", "hdr": "tonemap", "background": "#010203",
             "when": {"minWidth": 200, "minHeight": 100, "maxAspect": 2.5, "types": ["jpeg"]}}]}
            """##
        )
        let built = try built(["sources": [["urls": []]], "outputs": .array([output.json])])
        #expect("\(built.outputs)" == "\(read.outputs)")
    }

    @Test(
        "an output in the format of the smallest file is that of a file, without qualities of single formats"
    )
    func smallest() throws {
        let choice = SmallestFormat(
            [
                .avif(AVIFOptions(quality: 3, speed: 8)), .webp(WebPOptions(quality: 90, lossless: true)),
                .jpeg(JPEGOptions(progressive: true, maxBytes: 7)), .jxl(JPEGXLOptions(distance: 4)), .png(),
            ],
            minimumSSIMULACRA2: 65,
            maxBytes: 90_000
        )
        let output = ManifestOutput(format: .smallest(choice), path: "{stem}.{ext}")
        let read = try read(
            """
            {"sources": [{"urls": []}], "outputs": [{"path": "{stem}.{ext}", "format": {"smallest": {
             "formats": [{"avif": {"speed": 8}}, {"webp": {"lossless": true, "quality": 90}}, {"jpeg": {"progressive": true}},
             "jxl", "png"], "quality": {"ssimulacra2": 65}, "maxBytes": "90kB"}}}]}
            """
        )
        let built = try built(["sources": [["urls": []]], "outputs": .array([output.json])])
        #expect("\(built.outputs)" == "\(read.outputs)")
        #expect(built.recipe(of: built.outputs[0], source: 0) == read.recipe(of: read.outputs[0], source: 0))
    }

    @Test("an output of widths and formats, with its markup, is that of a file")
    func variants() throws {
        var output = ManifestOutput(name: "web", path: "{output}/{stem}.{ext}")
        output.widths = [640, 320]
        output.formats = [.encoded(.webp()), .encoded(.jpeg())]
        output.markup = ManifestOutput.Markup(file: "images.json")
        output.markup?.sizes = "50vw"
        output.markup?.baseURL = "https://cdn.example/"
        let read = try read(
            """
            {"sources": [{"urls": []}], "outputs": [{"name": "web", "path": "{output}/{stem}.{ext}", "widths": [320, 640],
             "formats": ["webp", "jpeg"],
             "markup": {"file": "images.json", "sizes": "50vw", "baseURL": "https://cdn.example/"}}]}
            """
        )
        let built = try built(["sources": [["urls": []]], "outputs": .array([output.json])])
        #expect(built.outputs.count == 4 && "\(built.outputs)" == "\(read.outputs)")
        #expect(built.markups.count == 1 && "\(built.markups)" == "\(read.markups)")
    }

    @Test("every processor arrives with its parameters", arguments: StepTests.all.map { $0.1 })
    func processors(step: Step) throws {
        let built = try built(["sources": [["urls": []]], "processors": .array([step.canonical])])
        #expect(built.processors == [step])
    }

    @Test("every format arrives with its settings")
    func formats() throws {
        let formats: [OutputFormat] = [
            .same, .original, .encoded(.png(PNGOptions(compression: 9, palette: true))),
            .encoded(.jpeg(JPEGOptions(quality: 70, progressive: true, subsampling: .s444))),
            .encoded(.jpeg(JPEGOptions(effort: .smallest))),
            .encoded(.webp(WebPOptions(quality: 7, lossless: true, effort: 6))),
            .encoded(.avif(AVIFOptions(speed: 4, minimumSSIMULACRA2: 61.5))),
            .encoded(.jxl(JPEGXLOptions(distance: 2.5, effort: 3, maxBytes: 9000))),
            .encoded(.jxl(JPEGXLOptions(lossless: true))),
            .encoded(.jxl(JPEGXLOptions(minimumSSIMULACRA2: 70))), .encoded(.gif(GIFOptions(colors: 16))),
        ]
        for format in formats {
            let output = ManifestOutput(format: format)
            let built = try built(["sources": [["urls": []]], "outputs": .array([output.json])])
            #expect(built.outputs.map(\.format) == [format])
        }
    }

    @Test("a watermark is read from its file")
    func watermark() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try Repository.photo("coffee.png"), to: "logo.png")
        let placement = Watermark.Placement(
            gravity: .northWest,
            scale: 0.5,
            opacity: 0.25,
            margin: 3,
            tile: true
        )
        let step = Step.watermark(WatermarkImage(path), placement)
        let built = try built(["sources": [["urls": []]], "processors": .array([step.canonical])])
        guard case .watermark(let image, placement)? = built.processors.first else {
            Issue.record("\(built.processors)")
            return
        }
        #expect(image.identity.count == 64 && image != WatermarkImage(path))
    }
}
