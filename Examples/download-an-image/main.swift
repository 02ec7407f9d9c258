// Loads an image through a disk cache and writes a smaller one: download-an-image URL OUTPUT.webp

// sample
import Nuke

let cache = try DataCache(name: "com.example.originals")
let pipeline = ImagePipeline {
    $0.dataLoader = CurlDataLoader()
    $0.dataCache = cache
}
let url = URL(string: CommandLine.arguments[1])
let output = URL(fileURLWithPath: CommandLine.arguments[2])
let image = try await pipeline.image(for: ImageRequest(url: url, processors: [.resize(width: 320)]))
try ImageEncoders.ImageIO(type: .webp).encode(image)?.write(to: output)
print("\(image.width) by \(image.height) pixels")
cache.close()  // waits until the original is on disk
// end
