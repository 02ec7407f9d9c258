import Foundation
import NukeBatch
import Testing

@Suite struct SampleJobsTests {
    /// `Jobs/` of this clone.
    private static let jobs = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Jobs").path

    @Test("every manifest in Jobs is right, and its items and paths are planned without a problem")
    func planned() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.jobs).filter {
            $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json")
        }
        #expect(names.count >= 4)
        for name in names {
            let manifest = try Manifest.read(path: Self.jobs + "/" + name, environment: [:])
            var collisions = PathCollisions()
            var count = 0
            try ItemReader(manifest).forEach { item in
                count += 1
                #expect(item.problem == nil, "\(name): \(item.location)")
                for output in manifest.outputs { collisions.add(output.path.planned(for: item)) }
            }
            #expect(count == 5, "\(name)")
            #expect(!collisions.needsSecondPass, "\(name)")
        }
    }
}
