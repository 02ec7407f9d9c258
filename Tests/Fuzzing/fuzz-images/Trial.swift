import CAllocations
import Foundation
import Imaging

/// One file through everything that a job does with it; what it must not do is crash, or hold more than it said.
enum Trial {
    /// The outcome for a file.
    enum Outcome: Hashable {
        case decoded
        case refused(ImagingError.Reason)
    }

    /// Small enough that thousands of files are tried in a minute.
    static var limits: ImageLimits {
        var limits = ImageLimits()
        limits.maxPixels = 2_000_000
        limits.maxDimension = 20_000
        return limits
    }

    /// The memory that work may take beside what was announced: the libraries' own tables.
    private static let slack = 3 << 20

    /// True if allocations are counted: a plane of a megabyte must be noticed.
    static var countsMemory: Bool {
        allocations_begin()
        let image = try? Image(width: 512, height: 512, rgba: Data(count: 512 * 512 * 4))
        return image != nil && allocations_peak() >= 512 * 512 * 4
    }

    /// Decodes the file whole, small, and in 16 bits, and makes an output of it; which one follows from its bytes.
    static func run(_ file: Data) -> Outcome {
        outcome {
            let (header, decodes) = try decodes(of: file)
            let choice = file.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
            try showPart(of: file, ending: file.count * (choice % 61) / 60)
            let operations = Outputs.operations[choice % Outputs.operations.count]
            let format = Outputs.formats[choice / 7 % Outputs.formats.count]
            let chain = OperationChain(operations, limits: limits)
            let kept = Outputs.choices[choice / 3 % Outputs.choices.count]
            for (decode, policy) in zip(decodes, [MetadataPolicy.keep, kept]) {
                let result = try holding(
                    try chain.memoryCost(
                        of: decode.size,
                        originalSize: header.size,
                        bitDepth: 8,
                        for: format
                    ),
                    "\(header.format) \(decode.size) through \(operations) to \(format)"
                ) {
                    let result = try chain.apply(to: decode, originalSize: header.size, for: format)
                    _ = try ImageEncoder.encode(result, as: format)
                    return result
                }
                let metadata = ImageMetadata(of: file, header, keeping: policy, size: result.size)
                let output = try ImageEncoder.encode(result, as: format, metadata: metadata)
                // What is written is a whole file again, and upright.
                guard try ImageHeader.read(output).size == result.size else {
                    fatalError("\(format): the metadata turned the output")
                }
            }
        }
    }

    /// The file whole and small, after it was tried in 16 bits too.
    static func decodes(of file: Data) throws -> (ImageHeader, [Image]) {
        let header = try ImageHeader.read(file)
        try header.check(limits)
        let small = PixelSize(width: 40, height: 30)
        let image = try measured(file, header, covering: nil, bitDepth: 8)
        let thumbnail = try measured(file, header, covering: small, bitDepth: 8)
        _ = try measured(file, header, covering: nil, bitDepth: 16)
        let miniature = try Miniature(thumbnail, of: header.size)
        _ = (ThumbHash(miniature), try BlurHash(miniature), DominantColor(miniature))
        _ = (EXIFSummary(of: file, header), EXIFLocation(of: file, header))
        if header.animation != nil { try animate(file, header) }
        try keepGainMap(file, header)
        return (header, [image, thumbnail])
    }

    /// Reads a gain map, turns it with its image, and writes it; what is written is a map again.
    private static func keepGainMap(_ file: Data, _ header: ImageHeader) throws {
        guard header.gainMap?.isReadable == true,
            let map = try? GainMap(of: file, header, limits: limits)
        else { return }
        var followed: GainMap? = map
        let image = try Image(width: 16, height: 9, rgba: Data(count: 16 * 9 * 4))
        let chain = OperationChain([Rotate(degrees: 90), Resize(width: 7)])
        let result = try chain.apply(to: image, gainMap: &followed, originalSize: image.size)
        for format in [EncodingFormat.jpeg(), .avif(AVIFOptions(speed: 10))] where format.keepsGainMaps {
            let written = try ImageEncoder.encoded(result, as: format, gainMap: followed).data
            guard try ImageHeader.read(written).gainMap?.isReadable == true else {
                fatalError("\(format): a gain map that was written cannot be read")
            }
        }
    }

    /// Converts an animation, which may have up to 20 frames.
    private static func animate(_ file: Data, _ header: ImageHeader) throws {
        var limits = limits
        limits.maxAnimationPixels = 10 * limits.maxPixels
        let chain = OperationChain([Resize(width: 20, height: 20)], limits: limits)
        var conversion = AnimationConversion(of: header, chain, as: .webp(WebPOptions(effort: 0)))
        conversion.maxFrames = 20
        conversion.hdr = .tonemap
        try holding(
            try conversion.memoryCost() + 4 * file.count,
            "\(header.format) of frames of \(header.storedSize)"
        ) {
            _ = try conversion.run(on: file)
        }
    }

    /// Returns the outcome of some work, which may throw only the library's own error.
    static func outcome(_ work: () throws -> Void) -> Outcome {
        do {
            try work()
            return .decoded
        } catch let error as ImagingError {
            return .refused(error.reason)
        } catch {
            fatalError("an error of another kind: \(error)")
        }
    }

    /// Shows a part of the file, which may be refused, and holds that to the memory of a decode.
    private static func showPart(of file: Data, ending end: Int) throws {
        let part = file.prefix(end)
        _ = try? ImageDecoder.embeddedThumbnail(of: part)
        guard let header = try? ImageHeader.read(part), (try? header.check(limits)) != nil else { return }
        let cost = header.largestDecodeCost(covering: nil) + 2 * file.count
        holding(cost, "a part of \(header.format) \(header.storedSize)") {
            _ = try? ImageDecoder.preview(of: part, header: header, hdr: .tonemap, limits: limits)
        }
    }

    /// Decodes, and holds the decoder to the memory that the header's cost promises.
    private static func measured(
        _ file: Data,
        _ header: ImageHeader,
        covering size: PixelSize?,
        bitDepth: Int
    ) throws -> Image {
        var limits = limits
        limits.maxMemory = header.decodeCost(covering: size, bitDepth: bitDepth)
        do {
            return try decoded(file, header, covering: size, bitDepth: bitDepth, limits)
        } catch let error as ImagingError where error.reason == .limits {
            limits.maxMemory = header.largestDecodeCost(covering: size, bitDepth: bitDepth)
            return try decoded(file, header, covering: size, bitDepth: bitDepth, limits)
        }
    }

    private static func decoded(
        _ file: Data,
        _ header: ImageHeader,
        covering size: PixelSize?,
        bitDepth: Int,
        _ limits: ImageLimits
    ) throws -> Image {
        try holding(limits.maxMemory + 2 * file.count, "\(header.format) \(header.storedSize)") {
            try ImageDecoder.decode(
                file,
                header: header,
                covering: size,
                bitDepth: bitDepth,
                hdr: .tonemap,
                limits: limits
            )
        }
    }

    /// Does some work, and holds it to the memory that it announced.
    private static func holding<Result>(
        _ cost: Int,
        _ subject: @autoclosure () -> String,
        _ work: () throws -> Result
    ) rethrows -> Result {
        allocations_begin()
        defer {
            let peak = allocations_peak()
            if peak > cost + slack { fatalError("\(subject()): \(peak) bytes held, \(cost) announced") }
        }
        return try work()
    }
}
