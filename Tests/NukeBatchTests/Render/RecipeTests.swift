import Files
import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct RecipeTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}],
         "outputs": [{"name": "small", "processors": [{"resize": {"width": 2}}], "format": "png"}]}
        """#

    private func recipe(_ change: (inout Output) -> Void = { _ in }) throws -> Recipe {
        var manifest = try RunningJob(Self.text).manifest
        change(&manifest.outputs[0])
        return try #require(try Recipe.all(of: manifest, showing: [:]).first?.first)
    }

    private func png(_ width: Int, _ height: Int, alpha: UInt8 = 255) throws -> Data {
        let pixels = Data((0..<width * height).flatMap { _ in [10, 20, 30, alpha] })
        return try ImageEncoder.encode(Image(width: width, height: height, rgba: pixels), as: .png())
    }

    private func header(_ width: Int, _ height: Int) throws -> ImageHeader {
        try ImageHeader.read(png(width, height))
    }

    @Test("sides of exactly the least are enough")
    func sides() throws {
        let wide = try recipe { $0.condition.minWidth = 8 }
        #expect(wide.reasonToSkip(try header(8, 2)) == nil)
        #expect(wide.reasonToSkip(try header(7, 20)) == "narrower than 8 pixels")
        let high = try recipe { $0.condition.minHeight = 8 }
        #expect(high.reasonToSkip(try header(2, 8)) == nil)
        #expect(high.reasonToSkip(try header(20, 7)) == "lower than 8 pixels")
        #expect(try recipe().reasonToSkip(try header(1, 1)) == nil)
    }

    @Test("the aspect is that of the longer side to the shorter one")
    func aspect() throws {
        let recipe = try recipe { $0.condition.maxAspect = 2 }
        #expect(recipe.reasonToSkip(try header(8, 4)) == nil)
        #expect(recipe.reasonToSkip(try header(4, 8)) == nil)
        #expect(recipe.reasonToSkip(try header(9, 4)) != nil)
        #expect(recipe.reasonToSkip(try header(4, 9)) != nil)
    }

    @Test("only the given types are made")
    func types() throws {
        #expect(try recipe { $0.condition.types = [.jpeg] }.reasonToSkip(header(2, 2)) == "of type png")
        #expect(try recipe { $0.condition.types = [.jpeg, .png] }.reasonToSkip(header(2, 2)) == nil)
    }

    @Test("an output of `widths` is skipped where the next smaller width has the whole image")
    func widths() throws {
        let resize = Step.resize(Resize(width: 8))
        let plain = try recipe { output in
            output.condition.widerThan = 4
            output.processors = [resize]
        }
        #expect(plain.reasonToSkip(try header(4, 20)) == OutputRecord.width)
        #expect(plain.reasonToSkip(try header(5, 20)) == nil)
        #expect(try !plain.needsPixels(of: header(4, 20)))
        let rotated = try recipe { output in
            output.condition.widerThan = 4
            output.processors = [.rotate(Rotate(degrees: 90)), resize]
        }
        #expect(rotated.reasonToSkip(try header(20, 4)) == OutputRecord.width)
        #expect(rotated.reasonToSkip(try header(4, 20)) == nil)
        // A rectangle outside the image is an error, and no reason to skip.
        let broken = try recipe { output in
            output.condition.widerThan = 4
            output.processors = [.crop(Crop(x: 50, y: 0, width: 1, height: 1)), resize]
        }
        #expect(broken.reasonToSkip(try header(4, 4)) == nil)
        #expect(broken.obstacle(try header(4, 4)) != nil)
    }

    @Test("where only the pixels tell the width, they decide")
    func trimmedWidths() throws {
        let recipe = try recipe { output in
            output.condition.widerThan = 4
            output.processors = [.trim(Trim(tolerance: 0)), .resize(Resize(width: 8))]
        }
        // A bar of so many columns in a white image of twelve.
        func processed(_ columns: Int) throws -> Recipe.Processed {
            let pixels = Data(
                (0..<36).flatMap {
                    (1...columns).contains($0 % 12) ? [10, 20, 30, 255] : [255, 255, 255, 255]
                }
            )
            let data = try ImageEncoder.encode(Image(width: 12, height: 3, rgba: pixels), as: .png())
            let header = try ImageHeader.read(data)
            #expect(recipe.reasonToSkip(header) == nil && recipe.needsPixels(of: header))
            let image = try ImageDecoder.decode(data)
            let source = DecodedOriginal(original: original(data), header: header, image: image)
            return try recipe.process(source)
        }
        guard case .skipped(OutputRecord.width) = try processed(4) else {
            Issue.record("4 columns are not skipped")
            return
        }
        for (columns, width) in [(5, 5), (8, 8), (10, 8)] {
            guard case .image(let result) = try processed(columns) else {
                Issue.record("\(columns) columns are skipped")
                continue
            }
            #expect(result.image.size.width == width)
        }
    }

    @Test("without a format of its own, an output has that of the original")
    func same() throws {
        let same = try recipe { $0.format = .same }
        let image = try Image(width: 2, height: 2, rgba: Data(repeating: 255, count: 16))
        for format in [EncodingFormat.png(), .jpeg(), .webp()] {
            let header = try ImageHeader.read(ImageEncoder.encode(image, as: format))
            #expect(same.encodings(of: header).map(\.imageFormat) == [format.imageFormat])
            #expect(try recipe().encodings(of: header).map(\.imageFormat) == [.png])
        }
        #expect(!same.isCopy)
        #expect(try recipe { $0.format = .original }.isCopy)
    }

    @Test(
        "the smallest file is that of its choice, whatever the original is, and tells its format and encoder"
    )
    func smallest() throws {
        let choice = SmallestFormat([.webp(), .jpeg(), .png()], minimumSSIMULACRA2: 60)
        let recipe = try recipe { $0.format = .smallest(choice) }
        var pixels = Data()
        for y in UInt8(0)..<64 { for x in UInt8(0)..<64 { pixels += [x * 4, y * 4, 90, 255] as [UInt8] } }
        let data = try ImageEncoder.encode(Image(width: 64, height: 64, rgba: pixels), as: .png())
        let header = try ImageHeader.read(data)
        #expect(recipe.encodings(of: header) == choice.candidates && recipe.needsPixels(of: header))
        let image = try ImageDecoder.decode(data)
        let source = DecodedOriginal(original: original(data), header: header, image: image)
        guard case .image(let processed) = try recipe.process(source) else {
            Issue.record("skipped")
            return
        }
        let encoded = try recipe.encode(processed, metadataOf: source)
        let (file, format) = try ImageEncoder.encoded(processed.image, as: choice)
        #expect(encoded.data == file.data && encoded.format == format.imageFormat)
        #expect(encoded.encoder == ImageEncoder.version(of: format))
        #expect(encoded.quality == file.quality && encoded.score == file.score)
    }

    @Test("an output of the same bytes and recipe is used again")
    func made() throws {
        let recipe = try recipe()
        let original = original(try png(4, 4))
        var known = output("small")
        known.recipe = recipe.digest
        known.spec = recipe.specification(originalSHA256: original.sha256)
        #expect(recipe.made([output("web"), known], of: original) == known)
        #expect(recipe.made([], of: original) == nil)
        for change: (inout OutputRecord) -> Void in [
            { $0.name = "web" }, { $0.state = .failed }, { $0.shardOffset = 512 }, { $0.spec = "other" },
            { $0.spec = recipe.specification(originalSHA256: "other") },
        ] {
            var other = known
            change(&other)
            #expect(recipe.made([other], of: original) == nil)
        }
    }

    @Test("an output under another condition is used again where the present one allows it")
    func condition() throws {
        let recipe = try recipe { $0.condition.minWidth = 4 }
        for (width, isUsed) in [(4, true), (3, false)] {
            let original = original(try png(width, 4))
            var known = output("small")
            known.recipe = try self.recipe().digest
            known.spec = recipe.specification(originalSHA256: original.sha256)
            try #require(known.recipe != recipe.digest)
            let made = recipe.made([known], of: original)
            #expect((made != nil) == isUsed)
            #expect(made?.recipe == (isUsed ? recipe.digest : nil))
        }
    }

    @Test("the condition does not shape an output, everything else does")
    func specification() throws {
        let plain = try recipe().specification(originalSHA256: "o")
        #expect(try recipe { $0.condition.minWidth = 9 }.specification(originalSHA256: "o") == plain)
        #expect(try recipe { $0.format = .same }.specification(originalSHA256: "o") != plain)
        #expect(try recipe().specification(originalSHA256: "p") != plain)
        #expect(try recipe { $0.condition.minWidth = 9 }.digest != recipe().digest)
    }
}
