import Foundation
import Imaging

// Makes outputs of files, one after the other on one thread, and writes them without a sync: what Benchmarks/imaging
// times. Sizes are of the square to fit into; an operation runs at full size where no size is given.
//
// usage: imaging-bench FORMAT[:QUALITY] SIZES|OPERATION FOLDER FILE...

func format(_ text: Substring) -> EncodingFormat {
    let parts = text.split(separator: ":")
    let quality = parts.count > 1 ? Int(parts[1]) : nil
    switch parts[0] {
    case "png": return .png()
    case "webp": return .webp(WebPOptions(quality: quality ?? 80))
    default: return .jpeg(JPEGOptions(quality: quality ?? 82))
    }
}

func chains(_ text: String) -> [OperationChain] {
    text.split(separator: ",").map { OperationChain([Resize(width: Int($0) ?? 256, height: Int($0) ?? 256)]) }
}

func run(_ words: [String]) throws {
    let (format, chains, folder) = (format(words[1][...]), chains(words[2]), words[3])
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
            try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(number)-\(index).\(format.imageFormat.fileExtension)"))
        }
    }
}

guard CommandLine.arguments.count > 4 else {
    print("usage: imaging-bench FORMAT[:QUALITY] SIZES|OPERATION FOLDER FILE...")
    exit(2)
}
do {
    try run(CommandLine.arguments)
} catch {
    print("imaging-bench: \(error)")
    exit(1)
}
