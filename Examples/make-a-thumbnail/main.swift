// Makes a thumbnail of an image file: make-a-thumbnail INPUT OUTPUT.webp

// sample
import Foundation
import Imaging

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let data = try Data(contentsOf: files[0])
let header = try ImageHeader.read(data)
let chain = OperationChain([Resize(width: 320)])
let image = try ImageDecoder.decode(data, header: header, covering: chain.coveringSize(for: header.size))
let thumbnail = try chain.apply(to: image, originalSize: header.size, for: .webp())
try ImageEncoder.encode(thumbnail, as: .webp()).write(to: files[1])
print("\(header.size) → \(thumbnail.size)")
// end
