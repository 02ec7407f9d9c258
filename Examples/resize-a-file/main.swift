// Resizes an image file to another file: resize-a-file INPUT OUTPUT WIDTH HEIGHT
//
// The output's extension (jpg, png, webp, avif, jxl) selects the format. The image keeps its proportions within WIDTH ×
// HEIGHT.

import Foundation
import Imaging

func run(_ arguments: [String]) throws {
    guard arguments.count == 5, let width = Int(arguments[3]), let height = Int(arguments[4]) else {
        throw ImagingError(.processing, "usage: resize-a-file INPUT OUTPUT WIDTH HEIGHT")
    }
    let output = URL(fileURLWithPath: arguments[2])
    let format: EncodingFormat
    switch output.pathExtension.lowercased() {
    case "jpg", "jpeg": format = .jpeg()
    case "png": format = .png()
    case "webp": format = .webp()
    case "avif": format = .avif()
    case "jxl": format = .jxl()
    default:
        throw ImagingError(.processing, "\(output.path): end the name in .jpg, .png, .webp, .avif or .jxl.")
    }

    let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
    let header = try ImageHeader.read(data)
    let chain = OperationChain([Resize(width: width, height: height)])

    let decoded = try ImageDecoder.decode(
        data,
        header: header,
        covering: chain.coveringSize(for: header.size)
    )
    let resized = try chain.apply(to: decoded, originalSize: header.size, for: format)
    try ImageEncoder.encode(resized, as: format).write(to: output)
    print("\(header.format.rawValue) \(header.size) → \(format.imageFormat.rawValue) \(resized.size)")
}

do {
    try run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("resize-a-file: \(error)\n".utf8))
    exit(1)
}
