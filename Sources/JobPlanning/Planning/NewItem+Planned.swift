import JobManifest
import JobStorage

extension NewItem {
    /// The store's row for a planned item of `host` whose outputs go to `paths`.
    init(_ item: PlannedItem, host: String, paths: [String]) {
        self.init(ordinal: item.index, url: item.url, id: item.id, host: host) {
            $0.headersJSON = item.headers.isEmpty ? nil : JSONLine.text(item.headers)
            $0.priority = item.priority.rank
            $0.source = item.source
            $0.varsJSON = ItemColumns(item).json
            $0.location = item.location
            $0.validator = item.validator
            $0.placement = Self.placement(paths)
            $0.problem = item.problem.map {
                RecordedError(code: $0.code.rawValue, message: "\(item.location): \($0.message)")
            }
        }
    }

    /// A number that changes when a path does (FNV-1a, the same in every process).
    private static func placement(_ paths: [String]) -> Int64? {
        guard !paths.isEmpty else { return nil }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for path in paths {
            var path = path
            path.withUTF8 { bytes in
                for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
            hash = hash &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }
}
