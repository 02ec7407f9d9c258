import Foundation
@testable import JobManifest
import TestSupport
import Testing

/// The manifests of the samples and the documentation, as they are and disordered.
@Suite struct FormattedCorpusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A manifest with the name of its file, which tells its language.
    private struct Sample {
        let name: String
        let text: String
        var isJob = false
    }

    private static func samples() throws -> [Sample] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var samples: [Sample] = []
        let jobs = try FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("Jobs").path
        )
        for name in jobs.sorted()
        where (name.hasSuffix(".json") || name.hasSuffix(".yaml")) && !name.hasSuffix(".schema.json") {
            let text = try String(contentsOf: root.appendingPathComponent("Jobs/\(name)"), encoding: .utf8)
            samples.append(Sample(name: name, text: text, isJob: true))
        }
        let docs = root.appendingPathComponent("docs")
        for name in try FileManager.default.contentsOfDirectory(atPath: docs.path).sorted()
        where name.hasSuffix(".md") {
            let text = try String(contentsOf: docs.appendingPathComponent(name), encoding: .utf8)
            for match in text.matches(of: /```(?:jsonc?|yaml) manifest=(\S+).*\n((?:.*\n)*?)```/) {
                samples.append(Sample(name: "\(match.1)", text: String(match.2)))
            }
        }
        return samples
    }

    private func format(_ text: String, as name: String) throws -> String {
        let name = name.replacing("/", with: "-")
        try folder.write(Data(text.utf8), to: name)
        return String(decoding: try ManifestFormat(path: folder.path(name)).text, as: UTF8.self)
    }

    private static func root(_ text: String, _ name: String) throws -> JSONValue {
        let reading = ManifestReading(
            file: name,
            text: Data(text.utf8),
            folder: "/",
            ManifestReading.Shared(environment: [:]) { _ in nil }
        )
        return try #require(ManifestLanguage(path: name).root(of: Data(text.utf8), reading))
    }

    @Test("each manifest of Jobs is in its canonical form")
    func jobs() throws {
        let samples = try Self.samples().filter(\.isJob)
        #expect(samples.count >= 5)
        for sample in samples {
            #expect(try format(sample.text, as: sample.name) == sample.text, "\(sample.name)")
        }
    }

    @Test(
        "a disordered manifest comes to the form of the ordered one, keeps its values and comments, and stays"
    )
    func disorder() throws {
        let samples = try Self.samples()
        #expect(samples.count > 20)
        let seed = SeededGenerator.seed(of: "FormattedCorpusTests")
        var generator = SeededGenerator(seed: seed)
        for sample in samples {
            let formatted = try format(sample.text, as: sample.name)
            #expect(try format(formatted, as: sample.name) == formatted, "\(sample.name)")
            let root = try Self.root(sample.text, sample.name)
            #expect(CanonicalJSON(try Self.root(formatted, sample.name)).text == CanonicalJSON(root).text)
            let json = try format(Disorder.text(of: root, commentedBy: nil, using: &generator), as: "a.json")
            for _ in 0..<5 {
                let plain = Disorder.text(of: root, commentedBy: nil, using: &generator)
                #expect(try format(plain, as: "a.json") == json, "\(sample.name), seed \(seed): \(plain)")
                var count = 0
                let disordered = Disorder.text(
                    of: root,
                    commentedBy: {
                        count += 1
                        return "comment \(count)."
                    },
                    using: &generator
                )
                let first = try format(disordered, as: "a.json")
                let context = "\(sample.name), seed \(seed): \(disordered)\n\(first)"
                #expect(try format(first, as: "a.json") == first, "\(context)")
                #expect(
                    CanonicalJSON(try Self.root(first, "a.json")).text == CanonicalJSON(root).text,
                    "\(context)"
                )
                for number in 0..<count {
                    #expect(first.contains("comment \(number + 1)."), "\(context)")
                }
            }
        }
    }

    @Test("a disordered manifest in YAML keeps its values and comments, and stays once it is formatted")
    func disorderedBlocks() throws {
        let seed = SeededGenerator.seed(of: "FormattedCorpusTests, YAML")
        var generator = SeededGenerator(seed: seed)
        for sample in try Self.samples() {
            let root = try Self.root(sample.text, sample.name)
            for _ in 0..<5 {
                var count = 0
                let disordered = Disorder.blocks(
                    of: root,
                    commentedBy: {
                        count += 1
                        return "comment \(count)."
                    },
                    using: &generator
                )
                let first = try format(disordered, as: "a.yaml")
                let context = "\(sample.name), seed \(seed):\n\(disordered)\n\(first)"
                #expect(try format(first, as: "a.yaml") == first, "\(context)")
                let value = try Self.root(first, "a.yaml")
                #expect(CanonicalJSON(value).text == CanonicalJSON(root).text, "\(context)")
                let keys = try #require(value.keys)
                let order = Manifest.section.keys.map(\.name).filter(keys.contains)
                #expect(keys == order, "\(context)")
                for number in 0..<count {
                    #expect(first.contains("comment \(number + 1)."), "\(context)")
                }
            }
        }
    }
}

extension JSONValue {
    fileprivate var keys: [String]? {
        if case .object(let members) = kind { members.map(\.key) } else { nil }
    }
}

extension CanonicalJSON {
    /// The value without its place, numbers as they are written.
    fileprivate init(_ value: JSONValue) {
        self =
            switch value.kind {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let text): .array([.string("number"), .string(text)])
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map { CanonicalJSON($0) })
            case .object(let members):
                .object(Dictionary(members.map { ($0.key, CanonicalJSON($0.value)) }) { $1 })
            }
    }
}
