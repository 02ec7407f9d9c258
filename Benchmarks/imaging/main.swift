import Foundation
import Imaging

// Makes outputs of files, one after the other on one thread, and writes them without a sync: what Benchmarks/imaging
// times. SIZES are of the squares to fit into, one output each; OPERATION comes after the resize.
//
// usage: imaging-bench FORMAT[:QUALITY|:COMPRESSION] SIZE,...[+blur|sharpen|watermark] FOLDER FILE...

func format(_ text: Substring) -> EncodingFormat {
    let parts = text.split(separator: ":")
    let quality = parts.count > 1 ? Int(parts[1]) : nil
    switch parts[0] {
    case "png": return .png(PNGOptions(compression: quality ?? 4))
    case "webp": return .webp(WebPOptions(quality: quality ?? 80))
    case "avif": return .avif(AVIFOptions(quality: quality ?? 60))
    default: return .jpeg(JPEGOptions(quality: quality ?? 82))
    }
}

func operation(_ name: Substring?) throws -> [any ImageOperation] {
    switch name {
    case "blur": return [GaussianBlur(radius: 8)]
    case "sharpen": return [Sharpen(sigma: 1)]
    case "watermark":
        // A gray square of 64 pixels; the peers lay an equal one on.
        let mark = try Image(width: 64, height: 64, rgba: Data(repeating: 200, count: 64 * 64 * 4))
        return [Watermark(image: mark, .init(opacity: 0.5, margin: 8))]
    default: return []
    }
}

func chains(_ text: String) throws -> [OperationChain] {
    let parts = text.split(separator: "+")
    let operation = try operation(parts.count > 1 ? parts[1] : nil)
    return (parts.first ?? "").split(separator: ",").compactMap { Int($0) }
        .map { OperationChain([Resize(width: $0, height: $0)] + operation) }
}

/// Writes without the sync of `Data.write`, which the peers do not have.
func write(_ bytes: Data, _ path: String) throws {
    guard let file = fopen(path, "wb") else { throw CocoaError(.fileWriteUnknown) }
    let written = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    guard fclose(file) == 0, written == bytes.count else { throw CocoaError(.fileWriteUnknown) }
}

func run(_ words: [String]) throws {
    let (format, chains, folder) = (format(words[1][...]), try chains(words[2]), words[3])
    for (number, path) in words[4...].enumerated() {
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let header = try ImageHeader.read(file)
        var covering: PixelSize? = PixelSize(width: 1, height: 1)
        for chain in chains {
            let needed = try chain.coveringSize(for: header.size)
            covering = covering.flatMap { one in
                needed.map { PixelSize(width: max(one.width, $0.width), height: max(one.height, $0.height)) }
            }
        }
        let image = try ImageDecoder.decode(file, header: header, covering: covering)
        for (index, chain) in chains.enumerated() {
            let output = try chain.apply(to: image, originalSize: header.size, for: format)
            let bytes = try ImageEncoder.encode(output, as: format)
            try write(bytes, "\(folder)/\(number)-\(index).\(format.imageFormat.fileExtension)")
        }
    }
}

guard CommandLine.arguments.count > 4 else {
    print("usage: imaging-bench FORMAT[:QUALITY|:COMPRESSION] SIZE,...[+OPERATION] FOLDER FILE...")
    exit(2)
}
do {
    try run(CommandLine.arguments)
} catch {
    print("imaging-bench: \(error)")
    exit(1)
}
