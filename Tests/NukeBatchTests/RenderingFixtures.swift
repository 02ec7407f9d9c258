import Files
import Foundation
import Imaging
import JobManifest
import Originals

@testable import NukeBatch

/// Makes a PNG of one grey.
func pngFile(_ width: Int, _ height: Int, gray: UInt8 = 90) throws -> Data {
    let pixels = Data((0..<width * height).flatMap { _ in [gray, gray, gray, 255] as [UInt8] })
    return try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .png())
}

extension Manifest {
    /// The recipes of these outputs of the first source.
    func recipes(_ names: [String]) throws -> [Recipe] {
        let all = try Recipe.all(of: self, showing: [:])
        return names.compactMap { name in all[0].first { $0.output.name == name } }
    }

    /// A plan to render these outputs of the first source and to find `facts`.
    func plan(_ names: [String], facts: [Fact] = []) throws -> OutputPlan {
        OutputPlan(recipes: try recipes(names), facts: FactExtractor(facts, recorded: nil))
    }
}

/// Makes the output of `recipe` with `text` in place of an image.
func rendered(_ recipe: Recipe, _ text: String = "rendered", width: Int = 3) -> RenderedOutput {
    let data = Data(text.utf8)
    let encoded = RenderedOutput.Encoded(
        data: data,
        sha256: Digest.sha256.hex(of: data),
        size: PixelSize(width: width, height: 2),
        format: .jpeg,
        encoder: "encoder 1"
    )
    return RenderedOutput(recipe: recipe, result: .encoded(encoded))
}

/// Makes a renderer with a thread for each stage.
func renderer(
    _ journal: InFlightJournal,
    memory: Int = 100_000_000,
    onStage: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
) -> Renderer {
    Renderer(
        admission: Admission(memory: memory, slots: 2),
        memory: memory,
        reading: WorkQueue(name: "headers", width: 1),
        decoding: WorkQueue(name: "decode", width: 1),
        processing: WorkQueue(name: "process", width: 1),
        encoding: WorkQueue(name: "encode", width: 1),
        limits: ImageLimits(),
        journal: journal,
        watchdog: nil,
        onStage: onStage
    )
}
