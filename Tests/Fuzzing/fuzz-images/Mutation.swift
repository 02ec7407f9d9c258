import Foundation
import Imaging
import TestSupport

/// Ways to damage a file.
enum Mutation {
    /// The file with a few bytes changed, cut short, or with a part of it repeated, removed or cleared.
    static func mutant(of file: Data, using random: inout some RandomNumberGenerator) -> Data {
        var bytes = [UInt8](file)
        for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 8 {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let length = Int.random(in: 1...min(64, bytes.count - place), using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes[place] = .random(in: 0...255, using: &random)
            case 3: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            // Headers are where sizes, counts and offsets stand.
            case 4: bytes[place % min(bytes.count, 256)] = .random(in: 0...255, using: &random)
            case 5: bytes.removeLast(bytes.count - place)
            case 6: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            default: bytes.replaceSubrange(place..<place + length, with: [UInt8](repeating: 0, count: length))
            }
        }
        return Data(bytes)
    }
}

/// The files that mutants are made of.
enum Seeds {
    /// One of the seeds in this repository.
    static func file(_ name: String) -> Data {
        let url = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)")
        guard let data = try? Data(contentsOf: url) else { fatalError("\(url.path) cannot be read") }
        return data
    }

    /// At most `count` images of at most 100 kB below the folders, as many of each format as there are.
    static func files(
        in folders: some Sequence<String>,
        count: Int,
        using random: inout some RandomNumberGenerator
    ) -> [Data] {
        var byFormat: [ImageFormat: [Data]] = [:]
        for folder in folders {
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
            for path in paths.sorted() {
                let url = URL(fileURLWithPath: folder).appendingPathComponent(path)
                guard let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize,
                    (1...100_000).contains(size),
                    let file = try? Data(contentsOf: url), let format = ImageFormat(file)
                else { continue }
                byFormat[format, default: []].append(file)
            }
        }
        var seeds: [Data] = []
        let formats = byFormat.keys.sorted { $0.rawValue < $1.rawValue }
        for format in formats { byFormat[format]?.shuffle(using: &random) }
        while seeds.count < count {
            let before = seeds.count
            for format in formats where seeds.count < count {
                if let file = byFormat[format]?.popLast() { seeds.append(file) }
            }
            if seeds.count == before { break }
        }
        return seeds
    }
}
