import Foundation
@testable import Imaging
import TestSupport
import Testing

/// The table of `docs/metadata.md` lists the fields that the code knows, and no others.
@Suite struct DocumentedMetadataTests {
    @Test func listsEachField() throws {
        let page = Repository.root.appendingPathComponent("docs/metadata.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        var listed: [MetadataClass: [String]] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.dropFirst(2).components(separatedBy: " | ")
            guard cells.count == 4, let field = MetadataClass(rawValue: cells[0].replacing("`", with: ""))
            else {
                continue
            }
            listed[field] = Array(cells.dropFirst())
        }
        #expect(Set(listed.keys) == Set(MetadataClass.allCases))
        for (field, cells) in listed {
            let tags = Set(cells[0].matches(of: /`([0-9A-F]{4})`/).compactMap { Int($0.1, radix: 16) })
            let known = [EXIFFields.main, EXIFFields.exposure].flatMap { fields in
                fields.filter { $0.value == field }.keys
            }
            let expected = field == .location ? [0, 0x1F] : Set(known)
            #expect(tags == expected, "\(field): \(tags.symmetricDifference(expected))")

            let datasets = cells[1].matches(of: /2:(\d+)/).compactMap { Int($0.1) }
            let mapped = MarkedMetadata.datasets.filter { $0.value == field }.keys
            #expect(Set(datasets) == Set(mapped).union(field == .date ? [55, 60] : []), "\(field)")

            let names = cells[2].matches(of: /`([^`]+)`/).map {
                String($0.1).replacing("*", with: "Any")
            }
            let properties = MarkedMetadata.properties.filter { $0.field == field }.map(\.name)
            #expect(Set(names) == Set(properties), "\(field): \(Set(names).symmetricDifference(properties))")
        }
    }
}
