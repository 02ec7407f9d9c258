import Foundation
import Synchronization

/// A cache as third parties write them: values by their keys, each in a file, the newest also in memory.
///
/// It knows nothing of Nuke, nor of responses.
final class ValueCache: Sendable {
    private struct Memory {
        var values: [String: Data] = [:]
        var order: [String] = []
    }

    private let folder: URL
    private let memoryLimit: Int
    private let memory = Mutex(Memory())

    init(folder: String, memoryLimit: Int = 10) throws {
        self.folder = URL(fileURLWithPath: folder)
        self.memoryLimit = memoryLimit
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    var count: Int { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).count) ?? 0 }

    func value(forKey key: String) -> Data? {
        if let value = memory.withLock({ $0.values[key] }) { return value }
        return try? Data(contentsOf: file(key))
    }

    func setValue(_ value: Data, forKey key: String) {
        memory.withLock { memory in
            if memory.values.updateValue(value, forKey: key) == nil { memory.order.append(key) }
            if memory.order.count > memoryLimit { memory.values[memory.order.removeFirst()] = nil }
        }
        try? value.write(to: file(key), options: .atomic)
    }

    func removeValue(forKey key: String) {
        memory.withLock { memory in
            memory.values[key] = nil
            memory.order.removeAll { $0 == key }
        }
        try? FileManager.default.removeItem(at: file(key))
    }

    func removeAllValues() {
        memory.withLock { $0 = Memory() }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    private func file(_ key: String) -> URL {
        let name = Data(key.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "-")
        return folder.appendingPathComponent(name)
    }
}
