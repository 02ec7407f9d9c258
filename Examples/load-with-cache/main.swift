// Loads a URL twice and prints the source of the data and the time it took: load-with-cache URL

import Foundation
import Nuke

guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
    FileHandle.standardError.write(Data("usage: load-with-cache URL\n".utf8))
    exit(2)
}

do {
    let cache = try DataCache(name: "nuke-example-load-with-cache")
    let pipeline = ImagePipeline {
        $0.dataLoader = CurlDataLoader()
        $0.dataCache = cache
    }
    for round in 1...2 {
        let start = ContinuousClock.now
        let (data, response) = try await pipeline.data(for: ImageRequest(url: url))
        let origin = response == nil ? "the cache" : "the network"
        print("\(round). \(data.count) bytes from \(origin) in \(ContinuousClock.now - start)")
    }
    cache.close()
} catch {
    FileHandle.standardError.write(Data("load-with-cache: \(error)\n".utf8))
    exit(1)
}
