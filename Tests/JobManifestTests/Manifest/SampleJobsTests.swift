import Foundation
import JobManifest
import JobPlanning
import Testing

@Suite struct SampleJobsTests {
    /// `Jobs/` of this clone.
    private static let jobs = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Jobs").path

    @Test("every manifest in Jobs is right, and its items and paths are planned without a problem")
    func planned() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.jobs).filter {
            ($0.hasSuffix(".json") || $0.hasSuffix(".yaml")) && !$0.hasSuffix(".schema.json")
        }
        #expect(names.count >= 5)
        for name in names {
            let manifest = try Manifest.read(path: Self.jobs + "/" + name, environment: [:])
            var collisions = PathCollisions()
            var count = 0
            try ItemReader(manifest).forEach { item in
                count += 1
                #expect(item.problem == nil, "\(name): \(item.location)")
                for (index, output) in manifest.outputs.enumerated() {
                    let path = output.path.planned(for: item)
                    try collisions.add(path, output: index, of: item.identityHash)
                }
            }
            try collisions.endFirstPass()
            #expect(count == 5, "\(name)")
            #expect(!collisions.needsSecondPass, "\(name)")
        }
    }
}
