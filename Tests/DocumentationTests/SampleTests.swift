import Foundation
import TestSupport
import Testing

/// Every code sample that a reader sees stands word for word in a file that is compiled and run with these tests.
///
/// In `Samples` and in the programs of `Examples` a sample is what lies between `// sample` and `// end`; readers see it in
/// the articles, in README and `docs`, and in doc comments. Only the indentation of the whole may differ.
struct SampleTests {
    /// The lines of one sample without their common indentation.
    typealias Sample = [String]

    private static let articles = Repository.root.appendingPathComponent("Sources/Nuke/Nuke.docc")

    @Test func everySampleIsCompiled() throws {
        let compiled = try Self.compiledSamples()
        let shown = try Self.shownSamples()
        #expect(shown.count >= 40)
        for (place, sample) in shown where !compiled.contains(sample) {
            let text = sample.joined(separator: "\n")
            Issue.record("\(place): no file in Samples or Examples has this sample:\n\(text)")
        }
    }

    @Test func everyCompiledSampleIsShown() throws {
        let shown = Set(try Self.shownSamples().map(\.sample))
        for sample in try Self.compiledSamples() where !shown.contains(sample) {
            Issue.record("nobody is shown this sample:\n\(sample.joined(separator: "\n"))")
        }
    }

    /// The control: a sample that was changed in any line is refused.
    @Test func aChangedSampleIsRefused() throws {
        let compiled = try Self.compiledSamples()
        for (place, sample) in try Self.shownSamples() {
            for number in sample.indices where !sample[number].isEmpty {
                var changed = sample
                changed[number].removeLast()
                #expect(!compiled.contains(changed), "\(place), line \(number) of the sample")
            }
            #expect(!compiled.contains(Array(sample.dropLast())))
        }
    }

    @Test func everyArticleIsFoundFromTheFirst() throws {
        let landing = try Self.text(Self.articles.appendingPathComponent("Nuke.md"))
        for article in try Self.files(in: Self.articles, "md") where article.lastPathComponent != "Nuke.md" {
            #expect(landing.contains("<doc:\(article.deletingPathExtension().lastPathComponent)>"))
        }
    }

    // MARK: what is shown

    private static func shownSamples() throws -> [(place: String, sample: Sample)] {
        let pages =
            try ["Sources", "docs"].flatMap {
                try files(in: Repository.root.appendingPathComponent($0), "md")
            } + [Repository.root.appendingPathComponent("README.md")]
        let fenced = try pages.flatMap { page in
            fencedSamples(try lines(page)).map { (page.lastPathComponent, $0) }
        }
        let sources = try ["Sources/Nuke", "Sources/DataLoadingConformance"].flatMap {
            try files(in: Repository.root.appendingPathComponent($0), "swift")
        }
        let documented = try sources.flatMap { source in
            documentedSamples(try lines(source)).map { (source.lastPathComponent, $0) }
        }
        return fenced + documented
    }

    /// Returns the code in fences that are marked as Swift, but for those that say `untested="why"`: in the fence, or in a
    /// comment before it where docc reads the page, which takes only its own words in a fence.
    private static func fencedSamples(_ lines: [String]) -> [Sample] {
        var samples: [Sample] = []
        var sample: Sample?
        for (number, line) in lines.enumerated() {
            let before = number > 0 ? lines[number - 1] : ""
            if line.hasPrefix("```swift"), !line.contains("untested="), !before.hasPrefix("<!-- untested=") {
                sample = []
            } else if line == "```", let whole = sample {
                samples.append(unindented(whole))
                sample = nil
            } else {
                sample?.append(line)
            }
        }
        return samples
    }

    /// Returns the code in doc comments: indented by four spaces more than text, after an empty line.
    private static func documentedSamples(_ lines: [String]) -> [Sample] {
        let comments = lines.map { line -> String? in
            let line = line.drop { $0 == " " }
            return line.hasPrefix("///") ? String(line.dropFirst(3)) : nil
        }
        var samples: [Sample] = []
        for (number, comment) in comments.enumerated() {
            guard number > 0, comments[number - 1]?.isEmpty == true, comment?.hasPrefix("     ") == true
            else { continue }
            let rest = comments[number...].prefix { $0?.hasPrefix("     ") == true || $0?.isEmpty == true }
            var sample = rest.compactMap(\.self)
            while sample.last?.isEmpty == true { sample.removeLast() }
            samples.append(unindented(sample))
        }
        return samples
    }

    // MARK: what is compiled

    private static func compiledSamples() throws -> Set<Sample> {
        let compiled = try ["Tests/DocumentationTests/Samples", "Examples"].flatMap {
            try files(in: Repository.root.appendingPathComponent($0), "swift")
        }
        var samples: Set<Sample> = []
        for file in compiled {
            var sample: Sample?
            for line in try lines(file) {
                switch line.drop(while: { $0 == " " }) {
                case "// sample":
                    #expect(sample == nil, "\(file.lastPathComponent): a sample within a sample")
                    sample = []
                case "// end":
                    samples.insert(unindented(try #require(sample)))
                    sample = nil
                default:
                    sample?.append(line)
                }
            }
            #expect(sample == nil, "\(file.lastPathComponent): the last sample has no end")
        }
        return samples
    }

    // MARK: lines

    private static func unindented(_ lines: [String]) -> Sample {
        let indentation =
            lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }
    }

    private static func files(in folder: URL, _ type: String) throws -> [URL] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return paths.filter { $0.hasSuffix("." + type) }.sorted().map(folder.appendingPathComponent)
    }

    private static func lines(_ file: URL) throws -> [String] {
        try text(file).components(separatedBy: "\n")
    }

    private static func text(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }
}
